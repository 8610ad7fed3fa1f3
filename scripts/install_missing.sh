#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs missing Debian packages; each argument is WITNESS=PACKAGE.
# A witness is a command, or a file if it begins with a slash. Silent if all are there.
set -eu

packages=
for pair in "$@"; do
    witness=${pair%%=*}
    case $witness in
    /*) [ -e "$witness" ] && continue ;;
    *) command -v "$witness" >/dev/null && continue ;;
    esac
    packages="$packages ${pair#*=}"
done
[ -n "$packages" ] || exit 0

if ! command -v apt-get >/dev/null; then
    echo "missing, and there is no apt-get to install them:$packages" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "missing, and this is not root: apt-get install$packages" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "installing:$packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists of a fresh machine are empty, those of an old one name packages that are gone.
# shellcheck disable=SC2086
if ! { $as_root apt-get -qq update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o DPkg::Lock::Timeout=300 install --no-install-recommends $packages; } \
    </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "could not install:$packages" >&2
    exit 1
fi
