#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs ./run and ./test in a bare Debian, which has nothing but apt and what apt needs.
# Status 77, with the reason, where no such root can be made.
set -eu

usage() {
    cat <<'END'
usage: scripts/bare_root.sh [--full]

Makes build/bare/root with debootstrap --variant=minbase, copies the sources into it, and
runs there by chroot: ./run, then a few tests of ./test release. --full: all of them.
Packages are kept in build/bare/packages for the next time.
END
}

# Few tests, because the root has no compiler cache: the internals, a program of each kind,
# and valgrind, which ./test installs and the library then has to know.
some_tests='^(unit/(runq|stack)_test|behaviour/spawn/.*@4|examples/0.*|leak/01-hello)$'

case ${1-} in
'') set -- ./test release -R "$some_tests" ;;
--full) set -- ./test release ;;
-h | --help) usage && exit 0 ;;
*) usage >&2 && exit 2 ;;
esac

skip() {
    echo "skipped: $*"
    exit 77
}

cd "$(dirname "$0")/.."
bare=$PWD/build/bare
root=$bare/root
packages=$bare/packages

[ "$(id -u)" -eq 0 ] || skip "a bare root needs root"
command -v apt-get >/dev/null || skip "a bare root needs apt, to know a mirror"
scripts/install_missing.sh debootstrap=debootstrap || skip "there is no debootstrap"
unshare --mount --pid --fork true 2>/dev/null || skip "unshare is not permitted here"

# The release that this machine runs, from where this machine gets it.
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
# apt-get has its own idea of $(...).
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' \
    'Identifier: Packages' | awk -v suite="$suite" '$1 == suite && $2 == "main" { print $3; exit }')
[ -n "$mirror" ] || skip "apt has no source for ${suite:-this release}"
mkdir -p "$packages"
/usr/lib/apt/apt-helper download-file "${mirror}dists/$suite/InRelease" \
    "$bare/InRelease" >/dev/null 2>&1 || skip "the mirror of apt does not answer"
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
export http_proxy https_proxy

rm -rf --one-file-system "$root"
echo "making $root"
debootstrap --variant=minbase --cache-dir="$packages" "$suite" "$root" "$mirror" \
    >"$bare/debootstrap.log" 2>&1 || {
    tail -n 5 "$bare/debootstrap.log" >&2
    exit 1
}
apt-config dump | grep -E '^Acquire::https?::Proxy ' \
    >"$root/etc/apt/apt.conf.d/90proxy" || true

# What an installer or a container adds: without it nothing is named localhost.
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"

mkdir "$root/tuco"
if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard
else
    find . -name build -prune -o -type f -print0
fi | tar -c --null --ignore-failed-read -T - | tar -x -C "$root/tuco"

# Mounts are made in a name space of their own and end with it, as do all processes.
# $1 is the root, $2 the packages; the command in the root follows.
# shellcheck disable=SC2016
in_root='
    mount -t proc proc "$1/proc"
    mount -t devpts -o newinstance,ptmxmode=666 devpts "$1/dev/pts"
    mount -t tmpfs tmpfs "$1/dev/shm"
    mount --bind "$2" "$1/var/cache/apt/archives"
    root=$1
    shift 2
    exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /tuco && exec \"\$@\"" sh "$@"'

# Runs a command in the root.
in_root() {
    echo "in the bare root: $*"
    unshare --mount --pid --fork --kill-child -- \
        sh -e -c "$in_root" sh "$root" "$packages" "$@"
}

in_root ./run </dev/null
in_root "$@" </dev/null
rm -rf --one-file-system "$root"
