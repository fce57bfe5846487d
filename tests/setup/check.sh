#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh ROOT
# The parts of ./setup that need no fresh machine: help, wrong use, and what it says on a machine
# where everything is missing and nothing may be installed.
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "$1"
    cat "$tmp/out"
    exit 1
}

sh -n "$root/setup" || fail "setup is no valid POSIX sh"
sh "$root/setup" >"$tmp/out" 2>&1 || fail "./setup alone should print its help and exit 0"
for word in demo test full; do
    grep -q "setup $word" "$tmp/out" || fail "the help does not name ./setup $word"
done
status=0
sh "$root/setup" nonsense >"$tmp/out" 2>&1 || status=$?
[ $status -eq 2 ] || fail "./setup nonsense should exit 2, not $status"

# A machine with a shell and the small tools, but no compiler, build tools, root or sudo.
mkdir "$tmp/bin" "$tmp/copy"
for tool in sh dash dirname uname cat sed grep mktemp rm mkdir tr sort env; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool"
done
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
chmod +x "$tmp/bin/id"
cp "$root/setup" "$tmp/copy/setup"
status=0
env -i PATH="$tmp/bin" HOME="$tmp" sh "$tmp/copy/setup" test >"$tmp/out" 2>&1 || status=$?
[ $status -eq 1 ] || fail "without anything and without root ./setup test should exit 1, not $status"
grep -q '^ *apt-get update && apt-get install .*cmake.*ninja-build.*zlib1g-dev.*libzstd-dev' "$tmp/out" ||
    fail "./setup test should print the line that installs what is missing"
[ ! -e "$tmp/copy/build" ] || fail "./setup test should stop before it builds"
echo "setup explains itself and stops in time"
