// SPDX-License-Identifier: MIT

// Sleeping and timers: the cases of sleep.c and timers.c.
package main

import (
	"sync"
	"time"
)

const (
	untilEnd   = 1500 * time.Millisecond
	shortSleep = 50 * time.Microsecond
)

func sleepTogether(n int) {
	var going, awake sync.WaitGroup
	settleMemory()
	start := time.Now()
	end := start.Add(untilEnd)
	going.Add(n)
	awake.Add(n)
	for range n {
		go func() {
			going.Done()
			time.Sleep(time.Until(end))
			awake.Done()
		}()
	}
	going.Wait()
	goingTook := time.Since(start)
	awake.Wait()
	late := time.Since(end)
	reportOne("_going", "ms", n, float64(goingTook.Nanoseconds())/1e6)
	reportOne("_late", "ms late", n, float64(late.Nanoseconds())/1e6)
}

func sleepShort(n int) float64 {
	var late time.Duration
	for range n {
		start := time.Now()
		time.Sleep(shortSleep)
		late += time.Since(start) - shortSleep
	}
	return float64(late.Nanoseconds()) / 1e3 / float64(n)
}

func stop(t *time.Timer) {
	if !t.Stop() {
		die("a timer an hour away has fired")
	}
}

func timersWithChannel(n int) {
	for range n {
		stop(time.NewTimer(time.Hour))
	}
}

func timersWithFunction(n int) {
	for range n {
		stop(time.AfterFunc(time.Hour, func() { die("a timer an hour away calls") }))
	}
}
