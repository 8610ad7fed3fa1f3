/* SPDX-License-Identifier: MIT */
/* tuco/version.h: the version of the headers, and the attributes of functions. */
#ifndef TUCO_VERSION_H
#define TUCO_VERSION_H

#define TUCO_VERSION_MAJOR  0
#define TUCO_VERSION_MINOR  1
#define TUCO_VERSION_PATCH  0
#define TUCO_VERSION_STRING "0.1.0"

#if defined(__GNUC__)
#define TUCO_API __attribute__((visibility("default")))
#else
#define TUCO_API
#endif

/* Marks functions whose result must be used: it reports whether the caller has the lock,
   the connection or the units, or how much was done. tuco_sem_acquire() is not marked:
   without a context it fails only for a negative number, and a cast to void does not
   silence gcc's warning.
   tuco_go(), tuco_wg_go() and tuco_group_go() are not either: they fail only for lack of
   memory or of a running runtime. */
#if defined(__GNUC__)
#define TUCO_NODISCARD __attribute__((warn_unused_result))
#else
#define TUCO_NODISCARD
#endif

/* Marks functions whose result is the only reference to the new object. */
#define TUCO_MAKES TUCO_NODISCARD

#ifdef __cplusplus
#if defined(__GNUC__)
#define TUCO_NORETURN __attribute__((noreturn)) /* clang needs it next to TUCO_API */
#else
#define TUCO_NORETURN [[noreturn]]
#endif
extern "C" {
#else
#define TUCO_NORETURN _Noreturn
#endif

/* Returns the version of the linked library as a static string. The library may be newer
   than the headers that the program was compiled with. */
TUCO_API const char *tuco_version(void);

#ifdef __cplusplus
}
#endif

#endif
