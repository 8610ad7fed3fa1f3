// SPDX-License-Identifier: MIT

// Computation of a known length, and goroutines that compute and yield: compute.c and busy.c.
package main

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	calibrationTrials = 200
	calibrationSteps  = 50_000
	busyTurnsBefore   = 3
)

var stepsPerNS float64

//go:noinline
func compute(steps int) uint64 {
	x := uint64(1)
	for range steps {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func stepsFor(span time.Duration) int {
	if stepsPerNS == 0 {
		fastest := time.Duration(math.MaxInt64)
		for range calibrationTrials {
			start := time.Now()
			compute(calibrationSteps)
			fastest = min(fastest, time.Since(start))
		}
		stepsPerNS = calibrationSteps / float64(fastest.Nanoseconds())
	}
	return int(stepsPerNS * float64(span.Nanoseconds()))
}

type busyTeam struct {
	steps  int
	stop   atomic.Bool
	job    atomic.Pointer[func()] // called once, as a part of a turn
	turns  atomic.Int64
	limit  atomic.Int64
	mark   atomic.Pointer[time.Time]
	marked atomic.Int64 // turns at the mark, or 0
	begun  sync.WaitGroup
	done   sync.WaitGroup
}

func (t *busyTeam) countTurn() {
	turn := t.turns.Add(1)
	now := time.Now()
	if mark := t.mark.Load(); mark != nil && !now.Before(*mark) {
		t.marked.CompareAndSwap(0, turn)
	}
}

func (t *busyTeam) beBusy() {
	for i := 0; !t.stop.Load() && t.turns.Load() < t.limit.Load(); i++ {
		compute(t.steps)
		t.countTurn()
		if t.job.Load() != nil {
			if job := t.job.Swap(nil); job != nil {
				(*job)()
			}
		}
		if i+1 == busyTurnsBefore {
			t.begun.Done()
		}
		runtime.Gosched()
	}
	t.done.Done()
}

func startBusy(count int, span time.Duration) *busyTeam {
	t := &busyTeam{steps: stepsFor(span)}
	t.limit.Store(math.MaxInt64)
	t.begun.Add(count)
	t.done.Add(count)
	for range count {
		go t.beBusy()
	}
	t.begun.Wait()
	return t
}

func (t *busyTeam) turnsSinceMark() int64 {
	if marked := t.marked.Load(); marked != 0 {
		return t.turns.Load() - marked
	}
	return 0
}

func (t *busyTeam) end() {
	t.stop.Store(true)
	t.done.Wait()
}
