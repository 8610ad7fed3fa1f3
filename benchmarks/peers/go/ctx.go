// SPDX-License-Identifier: MIT

// Contexts: the case of ctx.c. What its last figure measures, the collector does here.
package main

import (
	"context"
	"time"
)

const ctxChildren = 10_000

type child struct {
	ctx    context.Context
	cancel context.CancelFunc
}

// What making and cancelling the children took, for each in nanoseconds.
func liveAndDie() (makeNS, cancelNS float64) {
	kids := make([]child, ctxChildren)
	parent, cancel := context.WithCancel(context.Background())

	start := time.Now()
	for i := range kids {
		kids[i].ctx, kids[i].cancel = context.WithCancel(parent)
	}
	makeNS = nsPerOp(start, ctxChildren)
	start = time.Now()
	cancel()
	cancelNS = nsPerOp(start, ctxChildren)

	for i := range kids {
		if kids[i].ctx.Err() == nil {
			die("child %d has outlived its parent", i)
		}
	}
	return makeNS, cancelNS
}

func ctxCancel() {
	measured("", "ns/op", ctxChildren, func(int) float64 {
		_, cancelNS := liveAndDie()
		return cancelNS
	})
	measured("_make", "ns/op", ctxChildren, func(int) float64 {
		makeNS, _ := liveAndDie()
		return makeNS
	})
}
