#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs nginx as a server of the case http: nginx.sh COMMAND WORKERS PORT DIRECTORY.
# It writes to the directory only, and stays in the foreground.
set -eu

sed -e "s/@WORKERS@/$2/" -e "s/@PORT@/$3/" "$(dirname "$0")/nginx.conf.in" >"$4/nginx.conf"
echo "127.0.0.1:$3"
exec "$1" -p "$4" -c nginx.conf -e stderr
