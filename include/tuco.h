/* SPDX-License-Identifier: MIT */
/* tuco.h: Go's scheduler as a C library. Including this header includes every other. */
#ifndef TUCO_H
#define TUCO_H

/*
 * How to read this interface.
 *
 * Errors. A call that can fail returns a negative errno value such as -EAGAIN; zero or a
 * count is success. errno is not used to report anything and is the same after a call as
 * before it.
 *
 * Time. tuco_time is a signed number of nanoseconds. A deadline is a point on the clock
 * read by tuco_now(); TUCO_NEVER is the deadline that never comes, and anything at or
 * below zero is long past.
 *
 * Objects. Synchronisation objects are plain structs that are valid when zeroed. Their
 * fields are private.
 *
 * Threads. Everything may be called from goroutines and from other threads of the
 * program, which then block as threads, unless the function says otherwise.
 *
 * Misuse, such as a wait group counted below zero, ends the process with a message that
 * names the rule broken and the goroutine, and exit status 2.
 *
 * A goroutine may come back from a call of this library on another thread: from a wait,
 * and from any other call too, if its time slice is over. Do not keep the address of a
 * thread-local variable, and do not hold a pthread mutex, across a call, unless the
 * goroutine is wired to its thread: see tuco_lock_thread(). Between two calls it stays
 * where it is.
 */
#include <tuco/version.h>
#include <tuco/time.h>
#include <tuco/go.h>
#include <tuco/sync.h>
#include <tuco/chan.h>
#include <tuco/select.h>
#include <tuco/ctx.h>
#include <tuco/net.h>

#endif
