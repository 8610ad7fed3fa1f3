# SPDX-License-Identifier: MIT
# Toolchain file: Debian's cross compiler for aarch64, and qemu to run what it makes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
# The emulator does not take the lock of GLib's own allocator before it forks: a program with
# several threads whose one forks while another is translated leaves the child waiting for that
# lock for ever. malloc's locks are taken.
set(CMAKE_CROSSCOMPILING_EMULATOR
    env G_SLICE=always-malloc qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
