// SPDX-License-Identifier: MIT

// Goroutines that never call the runtime: the cases of hogs.c.
package main

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const (
	stepsPerUnit = 4000
	hogsPerP     = 2
	hogSleeps    = 300
	sleepsBefore = 10
	hogSleep     = time.Millisecond
	workers      = 1000
	windows      = 5
	workWindow   = time.Second
)

//go:noinline
func work(x uint64) uint64 {
	for range stepsPerUnit {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func sleepLateUS() float64 {
	start := time.Now()
	time.Sleep(hogSleep)
	return float64((time.Since(start) - hogSleep).Nanoseconds()) / 1e3
}

func percentile(sorted []float64, percent int) float64 {
	return sorted[(len(sorted)*percent+99)/100-1]
}

func hogsSleep() {
	var stop atomic.Bool
	var results atomic.Uint64
	var done sync.WaitGroup
	hogs := hogsPerP * runtime.GOMAXPROCS(0)
	done.Add(hogs)
	for range hogs {
		go func() {
			x := uint64(1)
			for !stop.Load() {
				x = work(x)
			}
			results.Add(x)
			done.Done()
		}()
	}
	for range sleepsBefore {
		sleepLateUS()
	}
	late := make([]float64, hogSleeps)
	for i := range late {
		late[i] = sleepLateUS()
	}
	stop.Store(true)
	done.Wait()
	sort.Float64s(late)
	reportOne("_p50", "us late", hogSleeps, percentile(late, 50))
	reportOne("_p99", "us late", hogSleeps, percentile(late, 99))
}

type worker struct {
	units  int // 0 if it had no turn in the window
	result uint64
}

func (w *worker) workUntil(end time.Time) {
	units, x := 0, uint64(1)
	for time.Now().Before(end) {
		x = work(x)
		units++
	}
	w.units, w.result = units, x
}

func workTogether(count int) (unitsPerSecond float64, unrun int) {
	var done sync.WaitGroup
	team := make([]worker, count)
	start := time.Now()
	end := start.Add(workWindow)
	done.Add(count)
	for i := range team {
		go func() {
			team[i].workUntil(end)
			done.Done()
		}()
	}
	done.Wait()
	took := time.Since(start).Seconds()
	for i := range team {
		unitsPerSecond += float64(team[i].units) / took
		if team[i].units == 0 {
			unrun++
		}
	}
	return unitsPerSecond, unrun
}

func preemptCost() {
	var alone, shared float64
	unrun := workers
	procs := min(runtime.GOMAXPROCS(0), workers)
	for range windows {
		few, _ := workTogether(procs)
		many, without := workTogether(workers)
		alone = max(alone, few)
		shared = max(shared, many)
		unrun = min(unrun, without)
	}
	reportOne("", "% lost", windows, 100*(1-shared/alone))
	reportOne("_unrun", "goroutines", windows, float64(unrun))
}
