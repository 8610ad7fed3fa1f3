/* SPDX-License-Identifier: MIT */
/* tuco/version.h: the version of the headers, and the mark that exports a function from
   the library. */
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

#ifdef __cplusplus
#define TUCO_NORETURN [[noreturn]]
extern "C" {
#else
#define TUCO_NORETURN _Noreturn
#endif

/* Returns the version of the library that is linked, which can be newer than the headers
   that the program was compiled with. The string is static. */
TUCO_API const char *tuco_version(void);

#ifdef __cplusplus
}
#endif

#endif
