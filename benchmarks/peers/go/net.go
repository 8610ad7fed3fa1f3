// SPDX-License-Identifier: MIT

// Servers to be loaded by net_load, a goroutine for each connection: see serve_tuco.c.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

const (
	serveCommand = "serve"
	bufferBytes  = 512
	yieldEvery   = 100 * time.Microsecond
)

type serverKind struct {
	serve    func(connection net.Conn)
	hog      func()
	hogsPerP int
}

var serverKinds = map[string]serverKind{
	"echo":     {serve: echo},
	"once":     {serve: once},
	"yielders": {serve: tellTime, hog: yieldNowAndThen, hogsPerP: 1},
	"hogs":     {serve: tellTime, hog: neverYield, hogsPerP: 2},
}

func echo(connection net.Conn) {
	defer connection.Close()
	buffer := make([]byte, bufferBytes)
	for {
		n, err := connection.Read(buffer)
		if err != nil {
			return
		}
		if _, err = connection.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func once(connection net.Conn) {
	connection.Read(make([]byte, 1))
	connection.Close()
}

// The clock of net_load: that of the package time begins at a moment of its own.
func monotonicNS() uint64 {
	const clockMonotonic = 1
	var now syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic,
		uintptr(unsafe.Pointer(&now)), 0)
	return uint64(now.Nano())
}

func tellTime(connection net.Conn) {
	defer connection.Close()
	message := make([]byte, 8)
	for {
		if _, err := io.ReadFull(connection, message); err != nil {
			return
		}
		binary.NativeEndian.PutUint64(message, monotonicNS())
		if _, err := connection.Write(message); err != nil {
			return
		}
	}
}

func yieldNowAndThen() {
	for {
		start := time.Now()
		for time.Since(start) < yieldEvery {
		}
		runtime.Gosched()
	}
}

func neverYield() {
	for i := uint64(0); ; i++ {
	}
}

func hello(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "Hello, World!\n")
}

func listenAnywhere() net.Listener {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		die("%v", err)
	}
	fmt.Println(listener.Addr())
	return listener
}

func acceptAll(listener net.Listener, serve func(connection net.Conn)) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			die("%v", err)
		}
		go serve(connection)
	}
}

func startServer(name string) {
	if name == "http" {
		go http.Serve(listenAnywhere(), http.HandlerFunc(hello))
		return
	}
	kind, found := serverKinds[name]
	if !found {
		refuse("no such kind of server: %s", name)
	}
	go acceptAll(listenAnywhere(), kind.serve)
	for range kind.hogsPerP * runtime.GOMAXPROCS(0) {
		go kind.hog()
	}
}

// The main goroutine is in a read that blocks a thread. A byte asks for a collection.
func serve(name string) {
	startServer(name)
	message := make([]byte, 1)
	for {
		if n, _ := os.Stdin.Read(message); n != 1 {
			return
		}
		settleMemory()
		os.Stdout.Write(message)
	}
}
