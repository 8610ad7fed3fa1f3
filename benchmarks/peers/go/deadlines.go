// SPDX-License-Identifier: MIT

// Timers beside busy goroutines: the cases of deadlines.c.
package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	deadlines       = 50_000
	deadlinesAhead  = time.Second
	farTimerCount   = 200_000
	farAway         = time.Hour
	farSleeps       = 200
	farSleepsBefore = 10
	farSleep        = 5 * time.Millisecond
)

func deadlines50k() {
	var team atomic.Pointer[busyTeam]
	var fired atomic.Int32
	var first, last int64
	var done sync.WaitGroup
	cancels := make([]context.CancelFunc, deadlines)
	due := time.Now().Add(deadlinesAhead)
	done.Add(deadlines)
	fire := func() {
		now := fired.Add(1)
		if now == 1 {
			first = team.Load().turnsSinceMark()
		}
		if now == deadlines {
			last = team.Load().turnsSinceMark()
		}
		done.Done()
	}
	for i := range cancels {
		var ctx context.Context
		ctx, cancels[i] = context.WithDeadline(context.Background(), due)
		context.AfterFunc(ctx, fire)
	}
	busy := startBusy(busyCount, busySpan)
	team.Store(busy)
	if !time.Now().Before(due) {
		die("the deadlines were due before the work had begun")
	}
	busy.mark.Store(&due)
	done.Wait()
	busy.end()
	for _, cancel := range cancels {
		cancel()
	}
	reportOne("_first", "turns", deadlines, float64(first))
	reportOne("_last", "turns", deadlines, float64(last))
}

func farSleepLateUS() float64 {
	start := time.Now()
	time.Sleep(farSleep)
	return float64((time.Since(start) - farSleep).Nanoseconds()) / 1e3
}

func farTimers() {
	timers := make([]*time.Timer, farTimerCount)
	for i := range timers {
		timers[i] = time.AfterFunc(farAway, func() { die("a timer fired an hour early") })
	}
	busy := startBusy(busyCount, busySpan)
	for range farSleepsBefore {
		farSleepLateUS()
	}
	late := make([]float64, farSleeps)
	for i := range late {
		late[i] = farSleepLateUS()
	}
	busy.end()
	for _, timer := range timers {
		timer.Stop()
	}
	reportPercentiles("us late", late)
}
