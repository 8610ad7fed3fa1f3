// SPDX-License-Identifier: MIT

// Mutexes: the cases of mutex.c.
package main

import "sync"

const contenders = 8

func lockAlone(n int) {
	var m sync.Mutex
	for range n {
		m.Lock()
		m.Unlock()
	}
}

func lockTogether(n int) {
	var m sync.Mutex
	var done sync.WaitGroup
	counter := 0
	done.Add(contenders)
	for range contenders {
		go func() {
			for range n / contenders {
				m.Lock()
				counter++
				m.Unlock()
			}
			done.Done()
		}()
	}
	done.Wait()
	if counter != n {
		die("the counter is %d, not %d", counter, n)
	}
}
