// SPDX-License-Identifier: MIT

// The cases of ../../cases, line by line where the languages allow it.
package main

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// The batch of spawn, spawn_seq and spawn_peak, and the crowd of million.
const goroutines = 1_000_000

const (
	fibArgument = 27
	fibResult   = 196418
	fibSpawns   = 317810
)

func yields(n int) {
	var done sync.WaitGroup
	done.Add(2)
	for range 2 {
		go func() {
			for i := 0; i < n/2; i++ {
				runtime.Gosched()
			}
			done.Done()
		}()
	}
	done.Wait()
}

func spawnBatch(n int) {
	var wg sync.WaitGroup
	wg.Add(n)
	for i := 0; i < n; i++ {
		go wg.Done()
	}
	wg.Wait()
}

func spawnOneByOne(n int) {
	var wg sync.WaitGroup
	for i := 0; i < n; i++ {
		wg.Add(1)
		go wg.Done()
		wg.Wait()
	}
}

func spawnPeak() {
	settleMemory()
	pageTables := statusBytes("VmPTE")
	resetPeak()
	before := statusBytes("VmRSS")
	spawnBatch(goroutines)
	peak := statusBytes("VmHWM") - before + statusBytes("VmPTE") - pageTables
	reportOne("", "B/goroutine", goroutines, peak/goroutines)
}

func fib(n int) int {
	if n < 2 {
		return n
	}
	var done sync.WaitGroup
	var child int
	done.Add(1)
	go func() {
		child = fib(n - 1)
		done.Done()
	}()
	own := fib(n - 2)
	done.Wait()
	return own + child
}

func fibOnce(int) {
	if result := fib(fibArgument); result != fibResult {
		die("fib(%d) is %d, not %d", fibArgument, fibResult, result)
	}
}

// Heap left behind by the start of the program must not hide what a case adds.
func settleMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}

func million() {
	var arrived, gate, gone sync.WaitGroup
	arrived.Add(goroutines)
	gate.Add(1)
	gone.Add(goroutines)
	settleMemory()
	before := residentBytes()

	start := time.Now()
	for i := 0; i < goroutines; i++ {
		go func() {
			arrived.Done()
			gate.Wait()
			gone.Done()
		}()
	}
	arrived.Wait()
	for range 4 {
		runtime.Gosched()
	}
	reportOne("_create", "ns/op", goroutines, nsPerOp(start, goroutines))

	reportOne("_bytes", "B/goroutine", goroutines, (residentBytes()-before)/goroutines)
	reportOne("_vmas", "VMAs", 1, float64(mappings()))

	start = time.Now()
	gate.Done()
	gone.Wait()
	reportOne("_wake_exit", "ns/op", goroutines, nsPerOp(start, goroutines))
}
