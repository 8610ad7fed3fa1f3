// SPDX-License-Identifier: MIT

// What the kernel says in /proc about the memory and CPU time of a process; see proc.c.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

func readFile(path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		die("%v", err)
	}
	return text
}

// The value of a line of /proc/self/status that is in kB, in bytes.
func statusBytes(field string) float64 {
	for _, line := range bytes.Split(readFile("/proc/self/status"), []byte("\n")) {
		value, found := bytes.CutPrefix(line, []byte(field+":"))
		var kib float64
		if found {
			if _, err := fmt.Sscanf(string(value), "%f kB", &kib); err == nil {
				return kib * 1024
			}
		}
	}
	die("/proc/self/status has no %s", field)
	return 0
}

func residentBytes() float64 {
	return statusBytes("VmRSS") + statusBytes("VmPTE")
}

func resetPeak() {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		die("%v", err)
	}
}

func mappings() int {
	return bytes.Count(readFile("/proc/self/maps"), []byte("\n"))
}

// Sums over the living threads of a process.
type cpuUse struct {
	threads    int
	runNS      uint64
	timeslices uint64
}

func readCPUUse(pid int) (use cpuUse) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(paths) == 0 {
		die("process %d has no schedstat", pid)
	}
	for _, path := range paths {
		var run, wait, slices uint64
		if _, err := fmt.Sscan(string(readFile(path)), &run, &wait, &slices); err != nil {
			die("%s: %v", path, err)
		}
		use.threads++
		use.runNS += run
		use.timeslices += slices
	}
	return use
}
