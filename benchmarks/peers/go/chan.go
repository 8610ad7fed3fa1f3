// SPDX-License-Identifier: MIT

// Channels: the cases of chan.c, select.c and skynet.c, and fib_chan of fib.c.
package main

import "sync"

const (
	bufferValues = 128
	senders      = 4
	links        = 1000
	leaves       = 1_000_000
	children     = 10
	leavesSum    = 499_999_500_000
)

// 0 + 1 + ... + (n - 1): what has to come out when these went in.
func sumBelow(n int) int {
	return n * (n - 1) / 2
}

func checkSum(sum, expected int) {
	if sum != expected {
		die("the values sum up to %d, not %d", expected, sum)
	}
}

func pingpong(n int) {
	a, b := make(chan int), make(chan int)
	go func() {
		for range n {
			b <- <-a
		}
	}()
	sum := 0
	for i := range n {
		a <- i
		sum += <-b
	}
	checkSum(sum, sumBelow(n))
}

func stream(n int) {
	c := make(chan int, bufferValues)
	go func() {
		for i := range n {
			c <- i
		}
		close(c)
	}()
	sum := 0
	for v := range c {
		sum += v
	}
	checkSum(sum, sumBelow(n))
}

func crowd(n int) {
	c := make(chan int, bufferValues)
	var sent, received sync.WaitGroup
	var sums [senders]int
	sent.Add(senders)
	received.Add(senders)
	for k := range senders {
		go func() {
			for i := range n / senders {
				c <- i
			}
			sent.Done()
		}()
		go func() {
			sum := 0
			for v := range c {
				sum += v
			}
			sums[k] = sum
			received.Done()
		}()
	}
	sent.Wait()
	close(c)
	received.Wait()
	sum := 0
	for _, s := range sums {
		sum += s
	}
	checkSum(sum, senders*sumBelow(n/senders))
}

func handOn(in, out chan int) {
	for v := range in {
		out <- v
	}
	close(out)
}

func ring(hops int) {
	first := make(chan int)
	last := first
	for range links {
		out := make(chan int)
		go handOn(last, out)
		last = out
	}
	sum := 0
	for i := range hops / links {
		first <- i
		sum += <-last
	}
	checkSum(sum, sumBelow(hops/links))
	close(first)
	for range last {
	}
}

func selectTwo(n int) {
	a, b := make(chan int), make(chan int)
	go func() {
		for i := range n {
			if i%2 == 0 {
				a <- i
			} else {
				b <- i
			}
		}
	}()
	for i := range n {
		var v, chosen int
		select {
		case v = <-a:
			chosen = 0
		case v = <-b:
			chosen = 1
		}
		if chosen != i%2 || v != i {
			die("value %d: case %d, value %d", i, chosen, v)
		}
	}
}

func runNode(out chan int, first, size int) {
	if size == 1 {
		out <- first
		return
	}
	c := make(chan int)
	for i := range children {
		go runNode(c, first+i*(size/children), size/children)
	}
	sum := 0
	for range children {
		sum += <-c
	}
	out <- sum
}

func skynet(n int) {
	c := make(chan int)
	go runNode(c, 0, n)
	if sum := <-c; sum != leavesSum {
		die("the leaves sum up to %d, not %d", leavesSum, sum)
	}
}

func fibChan(n int) int {
	if n < 2 {
		return n
	}
	c := make(chan int, 1)
	go func() { c <- fibChan(n - 1) }()
	own := fibChan(n - 2)
	return own + <-c
}

func fibChanOnce(int) {
	if result := fibChan(fibArgument); result != fibResult {
		die("fib(%d) is %d, not %d", fibArgument, fibResult, result)
	}
}
