// SPDX-License-Identifier: MIT

// The idle case: a process whose goroutines all wait, watched from another; see wakep.c.
package main

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

const (
	idleChild      = "idle-child"
	idleGoroutines = 10_000
	settle         = time.Second
	window         = 5 * time.Second
)

// The process that is watched. Nothing but a sleep keeps it from being a deadlock.
func beIdle() {
	var arrived, gate sync.WaitGroup
	arrived.Add(idleGoroutines)
	gate.Add(1)
	for range idleGoroutines {
		go func() {
			arrived.Done()
			gate.Wait()
		}()
	}
	arrived.Wait()
	if _, err := os.Stdout.Write([]byte{0}); err != nil {
		die("the watching process is gone: %v", err)
	}
	time.Sleep(time.Hour)
}

func startIdleChild() *exec.Cmd {
	// The kernel sends the signal below when the thread that forked ends: keep it.
	runtime.LockOSThread()
	child := exec.Command("/proc/self/exe", idleChild)
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	ready, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err == nil {
		_, err = ready.Read(make([]byte, 1))
	}
	if err != nil {
		die("the process to watch did not get ready: %v", err)
	}
	return child
}

func idle() {
	child := startIdleChild()
	time.Sleep(settle)
	before := readCPUUse(child.Process.Pid)
	start := time.Now()
	time.Sleep(window)
	took := time.Since(start)
	after := readCPUUse(child.Process.Pid)
	if after.threads < before.threads {
		die("a thread ended in the window and took its CPU time with it")
	}
	run := float64(after.runNS - before.runNS)
	timeslices := float64(after.timeslices - before.timeslices)
	reportOne("_cpu", "% of a CPU", 1, 100*run/float64(took.Nanoseconds()))
	reportOne("_wakes", "wakes/s", 1, timeslices/took.Seconds())
	child.Process.Kill()
	child.Wait()
}
