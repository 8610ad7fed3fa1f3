// SPDX-License-Identifier: MIT

// Requests to a pool beside busy goroutines: the cases of request.c.
package main

import (
	"runtime"
	"time"
)

const (
	requestWorkers  = 4
	requestSpan     = 20 * time.Microsecond
	requestBusyPerP = 2
	requestBusySpan = 2 * time.Millisecond
	requestCount    = 500
	requestsBefore  = 10
	requestPause    = 500 * time.Microsecond
)

func requestsUS(requests, answers chan int, count int) float64 {
	start := time.Now()
	sum := 0
	for i := 1; i <= count; i++ {
		requests <- i
	}
	for i := 1; i <= count; i++ {
		sum += i - <-answers
	}
	if sum != 0 {
		die("an answer is lost or came twice")
	}
	return float64(time.Since(start).Nanoseconds()) / 1e3
}

func measureRequests(atOnce int) {
	steps := stepsFor(requestSpan)
	requests, answers := make(chan int), make(chan int)
	for range requestWorkers {
		go func() {
			for request := range requests {
				compute(steps)
				answers <- request
			}
		}()
	}
	busy := startBusy(requestBusyPerP*runtime.GOMAXPROCS(0), requestBusySpan)
	us := make([]float64, requestCount)
	for i := -requestsBefore; i < requestCount; i++ {
		took := requestsUS(requests, answers, atOnce)
		if i >= 0 {
			us[i] = took
		}
		time.Sleep(requestPause)
	}
	busy.end()
	close(requests)
	reportPercentiles("us", us)
}
