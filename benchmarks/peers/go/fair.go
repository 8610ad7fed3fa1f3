// SPDX-License-Identifier: MIT

// Goroutines that wait for their first turn: the cases of fair.c.
package main

import (
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	busyCount       = 8
	busySpan        = 200 * time.Microsecond
	fairSpawned     = 1000
	fairTurnsBefore = 100
	fairTurnsMax    = 20_000
	fairYielders    = 20_000
	fairCPU         = time.Second
	clockEvery      = 16

	clockProcessCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
)

type spawned struct {
	turns               *atomic.Int64
	atStart, turnsAtEnd int64
	left                atomic.Int32
	done                sync.WaitGroup
}

func expectSpawned(turns *atomic.Int64) *spawned {
	s := &spawned{turns: turns}
	s.left.Store(fairSpawned)
	s.done.Add(fairSpawned)
	return s
}

func (s *spawned) spawnAll() {
	s.atStart = s.turns.Load()
	for range fairSpawned {
		go func() {
			if s.left.Add(-1) == 0 {
				s.turnsAtEnd = s.turns.Load()
			}
			s.done.Done()
		}()
	}
}

func (s *spawned) report() {
	reportOne("", "turns", fairSpawned, float64(s.turnsAtEnd-s.atStart))
}

func fairSpawn() {
	team := startBusy(busyCount, busySpan)
	s := expectSpawned(&team.turns)
	team.limit.Store(team.turns.Load() + fairTurnsMax)
	job := s.spawnAll
	team.job.Store(&job)
	s.done.Wait()
	team.end()
	s.report()
}

type chain struct {
	steps   int
	links   [busyCount]chan byte
	turns   atomic.Int64
	spawned *spawned
	done    sync.WaitGroup
}

func (c *chain) takeTurn() bool {
	compute(c.steps)
	turn := c.turns.Add(1) - 1
	if turn == fairTurnsBefore {
		c.spawned.spawnAll()
	}
	return turn < fairTurnsBefore+fairTurnsMax && c.spawned.left.Load() > 0
}

func (c *chain) runSource() {
	for c.takeTurn() {
		c.links[1] <- 1
	}
	close(c.links[1])
	c.done.Done()
}

func (c *chain) runStage(i int) {
	sends := i < busyCount-1
	for range c.links[i] {
		c.takeTurn()
		if sends {
			c.links[i+1] <- 1
		}
	}
	if sends {
		close(c.links[i+1])
	}
	c.done.Done()
}

func (c *chain) runMember(i int) {
	out := c.links[(i+1)%busyCount]
	for range c.links[i] {
		if !c.takeTurn() {
			break
		}
		out <- 1
	}
	close(out)
	c.done.Done()
}

func newChain() *chain {
	c := &chain{steps: stepsFor(busySpan)}
	c.spawned = expectSpawned(&c.turns)
	c.done.Add(busyCount)
	for i := range c.links {
		c.links[i] = make(chan byte)
	}
	return c
}

func (c *chain) end() {
	c.done.Wait()
	c.spawned.done.Wait()
	c.spawned.report()
}

func fairPipeline() {
	c := newChain()
	go c.runSource()
	for i := 1; i < busyCount; i++ {
		go c.runStage(i)
	}
	c.end()
}

func fairRing() {
	c := newChain()
	for i := range c.links {
		go c.runMember(i)
	}
	c.links[0] <- 1
	c.end()
}

func processCPU() time.Duration {
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockProcessCPU,
		uintptr(unsafe.Pointer(&now)), 0)
	return time.Duration(now.Nano())
}

func fairYield() {
	var over atomic.Bool
	var done sync.WaitGroup
	runs := make([]int64, fairYielders)
	end := processCPU() + fairCPU
	done.Add(fairYielders)
	for i := range runs {
		go func() {
			for !over.Load() {
				runs[i]++
				if runs[i]%clockEvery == 0 && processCPU() >= end {
					over.Store(true)
				}
				runtime.Gosched()
			}
			done.Done()
		}()
	}
	done.Wait()
	sort.Slice(runs, func(i, j int) bool { return runs[i] < runs[j] })
	unrun := sort.Search(len(runs), func(i int) bool { return runs[i] > 0 })
	reportOne("_unrun", "%", fairYielders, 100*float64(unrun)/fairYielders)
	most, median := runs[fairYielders-1], max(runs[fairYielders/2], 1)
	reportOne("_max", "x median", fairYielders, float64(most)/float64(median))
}
