/* SPDX-License-Identifier: MIT */
/* tuco.h: Go's scheduler as a C library. Includes every other header of the library. */
#ifndef TUCO_H
#define TUCO_H

/*
 * Conventions. The manual pages have the details; tuco(7) is the first one to read.
 *
 * Errors. A function that can fail returns a negative errno value such as -EAGAIN. Zero
 * or a count means success. No function reports through errno, and every function leaves
 * errno unchanged. The headers redefine errno so that it belongs to the goroutine: see
 * tuco/errno.h.
 *
 * Time. A tuco_time is a point on the clock of tuco_now(), in nanoseconds. A deadline is
 * such a point. TUCO_NEVER means no deadline; every deadline at or below zero has passed.
 *
 * Objects. Those of tuco/sync.h, but for tuco_pool, are plain structs, which are valid
 * when zeroed; their fields are private. Others are made by a function, and freed by the
 * one of the same family whose name ends in _free or _unref, by tuco_fd_close() or by
 * tuco_group_wait().
 *
 * NULL. A pointer to an object must not be NULL unless the comment allows it.
 *
 * Threads. A foreign thread is a thread of the program that is not running a goroutine.
 * It may call every function unless the comment says otherwise. Where a goroutine would
 * park, a foreign thread blocks.
 *
 * Misuse, such as a negative wait group counter, ends the process with exit status 2 and
 * a report that names the broken rule and the goroutine.
 *
 * Migration. A goroutine may return from any call of this library on another thread: from
 * a call that waits, and from any other call when its time slice is over. Do not keep the
 * address of a thread-local variable, and do not hold a pthread mutex, across a call,
 * unless tuco_lock_thread() has wired the goroutine to its thread. Between two calls the
 * goroutine stays on its thread.
 */
#include <tuco/version.h>
#include <tuco/errno.h>
#include <tuco/time.h>
#include <tuco/go.h>
#include <tuco/sync.h>
#include <tuco/chan.h>
#include <tuco/select.h>
#include <tuco/ctx.h>
#include <tuco/net.h>

#endif
