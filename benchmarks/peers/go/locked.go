// SPDX-License-Identifier: MIT

// Goroutines wired to threads: the case of locked.c.
package main

import (
	"runtime"
	"sync"
	"time"
)

func begin(locked bool) {
	if locked {
		runtime.LockOSThread()
	}
}

func end(locked bool) {
	if locked {
		runtime.UnlockOSThread()
	}
}

func play(n int, serverLocked, otherLocked bool) {
	a, b := make(chan int), make(chan int)
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		begin(serverLocked)
		for i := range n {
			a <- i
			if v := <-b; v != i {
				die("%d came back in place of %d", v, i)
			}
		}
		end(serverLocked)
		done.Done()
	}()
	go func() {
		begin(otherLocked)
		for range n {
			b <- <-a
		}
		end(otherLocked)
		done.Done()
	}()
	done.Wait()
}

func lockedPingpong() {
	const roundTrips, roundTripsFree = 20_000, 500_000
	timed(roundTrips, func(n int) { play(n, true, true) })
	measured("_one", "ns/op", roundTrips, func(n int) float64 {
		start := time.Now()
		play(n, true, false)
		return nsPerOp(start, n)
	})
	measured("_none", "ns/op", roundTripsFree, func(n int) float64 {
		start := time.Now()
		play(n, false, false)
		return nsPerOp(start, n)
	})
}
