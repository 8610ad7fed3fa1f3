// SPDX-License-Identifier: MIT

// Two goroutines that wake each other and compute on: the cases of talk.c.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

const (
	pairRun          = 200 * time.Millisecond
	pairAlone        = 50 * time.Millisecond
	pairRoundsBefore = 10
)

var pairSpans = []int{1, 5, 20, 100, 500}

// What two goroutines share that are measured together.
type pair struct {
	steps, rounds int
	start         time.Time
	there, back   chan int
}

type pairKind struct {
	first, second func(p *pair)
	parts         int
}

var talkers = pairKind{(*pair).talkFirst, (*pair).talkSecond, 4}
var newTalkers = pairKind{(*pair).talkNewRounds, (*pair).talkNewOther, 2}
var pipelineStages = pairKind{(*pair).pipelineFirst, (*pair).pipelineSecond, 2}

func (p *pair) expect(from chan int, expected int) {
	if value := <-from; value != expected {
		die("received %d, not %d", value, expected)
	}
}

func (p *pair) noteStart(round int) {
	if round == pairRoundsBefore {
		p.start = time.Now()
	}
}

func (p *pair) talkFirst() {
	for i := range p.rounds + pairRoundsBefore {
		p.noteStart(i)
		compute(p.steps)
		p.there <- i
		compute(p.steps)
		p.expect(p.back, i)
	}
}

func (p *pair) talkSecond() {
	for i := range p.rounds + pairRoundsBefore {
		compute(p.steps)
		p.expect(p.there, i)
		compute(p.steps)
		p.back <- i
	}
}

func (p *pair) talkNewRounds() {
	for i := range p.rounds + pairRoundsBefore {
		p.noteStart(i)
		var done sync.WaitGroup
		done.Add(2)
		go func() {
			p.expect(p.there, i)
			compute(p.steps)
			done.Done()
		}()
		go func() {
			p.there <- i
			compute(p.steps)
			done.Done()
		}()
		done.Wait()
	}
}

func (p *pair) talkNewOther() {}

func (p *pair) pipelineFirst() {
	for i := range p.rounds + pairRoundsBefore {
		p.noteStart(i)
		compute(p.steps)
		p.there <- i
	}
}

func (p *pair) pipelineSecond() {
	for i := range p.rounds + pairRoundsBefore {
		p.expect(p.there, i)
		compute(p.steps)
	}
}

func aloneNS(steps, times int) float64 {
	start := time.Now()
	for range times {
		compute(steps)
	}
	return nsPerOp(start, times)
}

func runPair(kind pairKind, steps, parts int) float64 {
	cpus := min(runtime.GOMAXPROCS(0), 2)
	p := &pair{steps: steps, rounds: parts / kind.parts,
		there: make(chan int), back: make(chan int)}
	ideal := aloneNS(steps, parts/int(pairRun/pairAlone)) * float64(parts) / float64(cpus)
	var done sync.WaitGroup
	done.Add(2)
	for _, run := range []func(*pair){kind.first, kind.second} {
		go func() {
			run(p)
			done.Done()
		}()
	}
	done.Wait()
	return float64(time.Since(p.start).Nanoseconds()) / ideal
}

func measurePair(kind pairKind) {
	for _, us := range pairSpans {
		span := time.Duration(us) * time.Microsecond
		steps := stepsFor(span)
		measured(fmt.Sprintf("_%dus", us), "x ideal", int(pairRun/span),
			func(parts int) float64 { return runPair(kind, steps, parts) })
	}
}
