// SPDX-License-Identifier: MIT

// System calls, announced to the scheduler or not: the cases of blocking.c.
package main

import (
	"encoding/binary"
	"math"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	chunks     = 20
	readers    = 1000
	blockBytes = 4096
)

// Past the scheduler, as syscall.Getppid is too.
func callPlainly(n int) {
	for range n {
		syscall.RawSyscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
}

// As the package does it for every call that can block.
func callAnnounced(n int) {
	for range n {
		syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
	}
}

func nsPerCall(run func(n int), n int) float64 {
	start := time.Now()
	run(n)
	return nsPerOp(start, n)
}

func addedByAnnouncing(n int) float64 {
	leastPlain, leastAnnounced := math.Inf(1), math.Inf(1)
	for range chunks {
		leastPlain = min(leastPlain, nsPerCall(callPlainly, n/chunks))
		leastAnnounced = min(leastAnnounced, nsPerCall(callAnnounced, n/chunks))
	}
	return leastAnnounced - leastPlain
}

func blocking() {
	const calls = 1_000_000
	timed(calls, callAnnounced)
	measured("_plain", "ns/op", calls, func(n int) float64 {
		return nsPerCall(callPlainly, n)
	})
	measured("_added", "ns/op", calls, addedByAnnouncing)
}

type block [blockBytes]byte

func numberedBlock(number int) (b block) {
	binary.NativeEndian.PutUint64(b[:], uint64(number))
	return b
}

func checkTransfer(bytes int, err error, what string) {
	if err != nil {
		die("%s: %v", what, err)
	}
	if bytes != blockBytes {
		die("%s: %d bytes, not %d", what, bytes, blockBytes)
	}
}

func checkNumber(b *block, expected int) {
	if number := binary.NativeEndian.Uint64(b[:]); number != uint64(expected) {
		die("block %d was read in place of %d", number, expected)
	}
}

func makeFile() *os.File {
	file, err := os.CreateTemp("/tmp", "go_bench")
	if err == nil {
		err = os.Remove(file.Name())
	}
	if err != nil {
		die("%v", err)
	}
	for i := range readers {
		b := numberedBlock(i)
		n, err := file.Write(b[:])
		checkTransfer(n, err, "write")
	}
	return file
}

// Not through os.File, which has a lock and a poller of its own above the call.
func readFileTogether(fd, n int) float64 {
	var done sync.WaitGroup
	start := time.Now()
	done.Add(readers)
	for first := range readers {
		go func() {
			var b block
			for i := range n / readers {
				number := (first + i) % readers
				got, err := syscall.Pread(fd, b[:], int64(number)*blockBytes)
				checkTransfer(got, err, "pread")
				checkNumber(&b, number)
			}
			done.Done()
		}()
	}
	done.Wait()
	return nsPerOp(start, n)
}

// The main goroutine writes to the pipes; each reader closes the end that it reads from.
type pipeReaders struct {
	writeFDs [readers]int
	round    sync.WaitGroup // counts the readers that have not yet read in this round
	gone     sync.WaitGroup
}

// Not os.Pipe, whose ends do not block a thread.
func startReaders() *pipeReaders {
	p := &pipeReaders{}
	p.gone.Add(readers)
	for i := range readers {
		var fds [2]int
		if err := syscall.Pipe2(fds[:], syscall.O_CLOEXEC); err != nil {
			die("pipe2: %v", err)
		}
		p.writeFDs[i] = fds[1]
		go p.readPipe(i, fds[0])
	}
	return p
}

func (p *pipeReaders) readPipe(number, fd int) {
	var b block
	for {
		got, err := syscall.Read(fd, b[:])
		if got == 0 && err == nil {
			break
		}
		checkTransfer(got, err, "read")
		checkNumber(&b, number)
		p.round.Done()
	}
	syscall.Close(fd)
	p.gone.Done()
}

func (p *pipeReaders) feed(n int) float64 {
	start := time.Now()
	for range n / readers {
		p.round.Add(readers)
		for i, fd := range p.writeFDs {
			b := numberedBlock(i)
			put, err := syscall.Write(fd, b[:])
			checkTransfer(put, err, "write")
		}
		p.round.Wait()
	}
	return nsPerOp(start, n)
}

func (p *pipeReaders) end() {
	for _, fd := range p.writeFDs {
		syscall.Close(fd)
	}
	p.gone.Wait()
}

func blockRead() {
	file := makeFile()
	fd := int(file.Fd())
	measured("_file", "ns/op", 500_000, func(n int) float64 {
		return readFileTogether(fd, n)
	})
	file.Close()
	p := startReaders()
	measured("_pipe", "ns/op", 10_000, p.feed)
	p.end()
}
