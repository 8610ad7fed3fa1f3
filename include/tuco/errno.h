/* SPDX-License-Identifier: MIT */
/* tuco/errno.h: an errno that stays correct when a call returns on another thread. */
#ifndef TUCO_ERRNO_H
#define TUCO_ERRNO_H

/*
 * The C library declares the function behind errno as const, so a compiler may compute
 * the address of errno once and reuse it. A goroutine may return from a call on another
 * thread, where errno has another address. This header therefore redefines errno through
 * a function that is not const. All headers of this library but tuco/version.h include
 * this one. Define TUCO_KEEP_ERRNO before the first include to keep the C library's
 * errno.
 */
#include <errno.h>
#include <tuco/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Private. Returns the address of the calling thread's errno. */
TUCO_API int *tuco_private_errno(void);

#ifdef __cplusplus
}
#endif

#ifndef TUCO_KEEP_ERRNO
#undef errno
#define errno (*tuco_private_errno())
#endif

#endif
