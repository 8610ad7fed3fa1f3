// SPDX-License-Identifier: MIT

// The Go twin of tuco_bench: same cases, sizes and repetitions, the same lines of JSON.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"time"
)

// Repetitions that count, after one that warms up; BENCH_REPETITIONS of harness.h.
const repetitions = 5

// More room for the collector than by default, in Go's favour, and the same everywhere.
const gcPercent = 400

// As in cases.def: the Ps that a case is bound to, or whatever GOMAXPROCS says.
const anyProcs = 0

type benchCase struct {
	name  string
	procs int
	run   func()
}

var cases = []benchCase{
	{"yield", anyProcs, func() { timed(5_000_000, yields) }},
	{"spawn", anyProcs, func() { timed(goroutines, spawnBatch) }},
	{"spawn_seq", anyProcs, func() { timed(goroutines, spawnOneByOne) }},
	{"fib", anyProcs, func() { timed(fibSpawns, fibOnce) }},
	{"fib_chan", anyProcs, func() { timed(fibSpawns, fibChanOnce) }},
	{"pingpong", anyProcs, func() { timed(1_000_000, pingpong) }},
	{"chan_buf128", anyProcs, func() { timed(5_000_000, stream) }},
	{"chan_mpmc4x4", anyProcs, func() { timed(4_000_000, crowd) }},
	{"ring1000", anyProcs, func() { timed(1_000_000, ring) }},
	{"select2", anyProcs, func() { timed(1_000_000, selectTwo) }},
	{"skynet", anyProcs, func() { timed(leaves, skynet) }},
	{"mutex", anyProcs, func() { timed(20_000_000, lockAlone) }},
	{"mutex_contended8", anyProcs, func() { timed(8_000_000, lockTogether) }},
	{"timer", anyProcs, func() { timed(1_000_000, timersWithChannel) }},
	{"timer_func", anyProcs, func() { timed(1_000_000, timersWithFunction) }},
	{"sleep50us", anyProcs, func() { measured("", "us late", 1000, sleepShort) }},
	{"sleepers_100k", anyProcs, func() { sleepTogether(100_000) }},
	{"sleepers", anyProcs, func() { sleepTogether(1_000_000) }},
	{"ctx_cancel", anyProcs, ctxCancel},
	{"blocking", anyProcs, blocking},
	{"block_read", anyProcs, blockRead},
	{"hogs_sleep", anyProcs, hogsSleep},
	{"preempt_cost", anyProcs, preemptCost},
	{"fair_spawn", anyProcs, fairSpawn},
	{"fair_ring", anyProcs, fairRing},
	{"fair_pipeline", anyProcs, fairPipeline},
	{"fair_yield", anyProcs, fairYield},
	{"deadlines_50k", anyProcs, deadlines50k},
	{"far_timers", anyProcs, farTimers},
	{"talk", anyProcs, func() { measurePair(talkers) }},
	{"talk_new", anyProcs, func() { measurePair(newTalkers) }},
	{"pipeline", anyProcs, func() { measurePair(pipelineStages) }},
	{"request_busy", anyProcs, func() { measureRequests(1) }},
	{"request_burst", anyProcs, func() { measureRequests(requestWorkers) }},
	{"locked_pingpong", anyProcs, lockedPingpong},
	{"million", anyProcs, million},
	{"spawn_peak", 1, spawnPeak},
	{"idle", 16, idle},
}

// The case that is running. Set once by main.
var current *benchCase

func die(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "go_bench: "+format+"\n", args...)
	os.Exit(1)
}

const usage = "usage: go_bench CASE | serve KIND | --list | --help"

func refuse(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "go_bench: "+format+"\n", args...)
	fmt.Fprintln(os.Stderr, usage)
	os.Exit(2)
}

func report(suffix, unit string, ops int, samples []float64) {
	sort.Float64s(samples)
	n := len(samples)
	best, worst := samples[0], samples[n-1]
	median := (samples[(n-1)/2] + samples[n/2]) / 2
	fmt.Printf(`{"peer":"go","version":"%s","case":"%s","figure":"%s%s"`,
		runtime.Version(), current.name, current.name, suffix)
	fmt.Printf(`,"procs":%d,"unit":"%s","ops":%d,"reps":%d`,
		runtime.GOMAXPROCS(0), unit, ops, n)
	fmt.Printf(`,"best":%.4f,"median":%.4f,"worst":%.4f`, best, median, worst)
	if best > 0 {
		fmt.Printf(`,"spread":%.4f`, (worst-best)/best)
	}
	fmt.Println("}")
}

func reportOne(suffix, unit string, ops int, value float64) {
	report(suffix, unit, ops, []float64{value})
}

// Sorts the samples: the median, what 99 of 100 are within, and the worst.
func reportPercentiles(unit string, samples []float64) {
	sort.Float64s(samples)
	n := len(samples)
	reportOne("_p50", unit, n, percentile(samples, 50))
	reportOne("_p99", unit, n, percentile(samples, 99))
	reportOne("_worst", unit, n, samples[n-1])
}

func nsPerOp(since time.Time, ops int) float64 {
	return float64(time.Since(since).Nanoseconds()) / float64(ops)
}

func timed(ops int, run func(ops int)) {
	run(ops)
	samples := make([]float64, repetitions)
	for i := range samples {
		start := time.Now()
		run(ops)
		samples[i] = nsPerOp(start, ops)
	}
	report("", "ns/op", ops, samples)
}

// Repeats run in the same way, for what is no time per operation or a part of the run.
func measured(suffix, unit string, ops int, run func(ops int) float64) {
	run(ops)
	samples := make([]float64, repetitions)
	for i := range samples {
		samples[i] = run(ops)
	}
	report(suffix, unit, ops, samples)
}

func chooseProcs(procs int) {
	if procs == anyProcs {
		return
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(procs)
	}
	if runtime.GOMAXPROCS(0) != procs {
		refuse("the case has %d Ps, and GOMAXPROCS is another number", procs)
	}
}

func main() {
	debug.SetGCPercent(gcPercent)
	if len(os.Args) == 3 && os.Args[1] == serveCommand {
		serve(os.Args[2])
		return
	}
	if len(os.Args) != 2 {
		refuse("exactly one argument is expected")
	}
	switch name := os.Args[1]; name {
	case "--help":
		fmt.Println(usage)
		fmt.Println("Runs one case, prints a line of JSON per figure. GOMAXPROCS sets the Ps.")
		fmt.Println("Or is a server for net_load.")
	case "--list":
		for _, c := range cases {
			fmt.Println(c.name)
		}
	case idleChild:
		beIdle()
	default:
		for i := range cases {
			if cases[i].name == name {
				current = &cases[i]
				chooseProcs(current.procs)
				current.run()
				return
			}
		}
		refuse("no such case: %s", name)
	}
}
