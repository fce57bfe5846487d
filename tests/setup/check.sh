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
for word in demo test full sql; do
    grep -q "setup $word" "$tmp/out" || fail "the help does not name ./setup $word"
done
status=0
sh "$root/setup" nonsense >"$tmp/out" 2>&1 || status=$?
[ $status -eq 2 ] || fail "./setup nonsense should exit 2, not $status"

# What tests look for and skip without is installed by ./setup full, or is there on every Debian.
packages=" $(sed -n "/^full_packages=/,/'\$/p" "$root/setup" | tr -d "'" | tr '\n' ' ')"
for program in $(grep -ohE '(if|elif|!) have [a-z][a-z0-9-]*' \
    "$root"/tests/cli/*.sh "$root"/tests/peers/*.sh | sed 's/.* //' | sort -u) \
    aarch64-linux-gnu-gcc; do
    case $program in
    bash | script) continue ;;
    aarch64-linux-gnu-gcc) package='gcc-aarch64-linux-gnu libc6-dev-arm64-cross' ;;
    callgrind) package=valgrind ;; # callgrind_annotate
    clang-*) package=clang ;;
    dot) package=graphviz ;;
    llvm-xray-*) package=llvm-14 ;;
    node) package=nodejs ;;
    qemu-aarch64) package=qemu-user ;;
    readelf) package=binutils ;;
    xmllint | rsvg-convert) package=libxml2-utils ;;
    *) package=$program ;;
    esac
    for name in $package; do
        case $packages in
        *" $name "*) ;;
        *)
            : >"$tmp/out"
            fail "a test looks for $program: ./setup full should install $name"
            ;;
        esac
    done
done

# A machine with a shell and the small tools, but no compiler and no build tools. `id` and `apt-get`
# are ours: who runs it is in the file uid, what apt-get was asked for goes to the file asked.
mkdir "$tmp/bin" "$tmp/copy"
for tool in sh dash dirname uname cat sed grep mktemp rm mkdir tr sort env; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool"
done
printf '#!/bin/sh\ncat "%s/uid"\n' "$tmp" >"$tmp/bin/id"
printf '#!/bin/sh\necho "$DEBIAN_FRONTEND: $*" >>"%s/asked"\n[ "$1" = update ]\n' "$tmp" \
    >"$tmp/bin/apt-get"
chmod +x "$tmp/bin/id" "$tmp/bin/apt-get"
cp "$root/setup" "$tmp/copy/setup"
run_there() {
    status=0
    env -i PATH="$tmp/bin" HOME="$tmp" sh "$tmp/copy/setup" test >"$tmp/out" 2>&1 || status=$?
    [ ! -e "$tmp/copy/build" ] || fail "./setup test should stop before it builds"
}

echo 1000 >"$tmp/uid"
run_there
[ $status -eq 1 ] || fail "where it may not install, ./setup test should exit 1, not $status"
grep -q '^ *apt-get update && apt-get install .*cmake.*ninja-build.*zlib1g-dev.*libzstd-dev' \
    "$tmp/out" || fail "./setup test should print the line that installs what is missing"
[ ! -e "$tmp/asked" ] || fail "without root it should not call apt-get"

echo 0 >"$tmp/uid"
run_there
[ $status -ne 0 ] || fail "./setup test should fail when apt-get does"
sed -n 1p "$tmp/asked" | grep -q ': update' || fail "apt-get update should come first"
sed -n 2p "$tmp/asked" | grep -q '^noninteractive: install -y .*--no-install-recommends .*cmake' ||
    fail "apt-get install should ask nothing and take no recommended packages"
echo "setup explains itself, stops in time, and installs without asking"
