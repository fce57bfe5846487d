#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# environment: BUILD, SOURCE, CMAKE, GENERATOR, CC, CFLAGS, PKG_CONFIG, SCDOC
# Installs the build into a folder with a space in its name, moves that folder, and builds and runs
# a small program against what is there: by pkg-config and by CMake, shared and static.
set -eu
consumer=$SOURCE/tests/install/consumer
have() { [ -n "$1" ] && [ "${1%NOTFOUND}" = "$1" ]; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$CMAKE" --install "$BUILD" --prefix "$tmp/first place" >"$tmp/install.log"
prefix="$tmp/second place"
mv "$tmp/first place" "$prefix"

pc=$(find "$prefix" -name stele.pc)
lib=$(dirname "$(dirname "$pc")")
version=$(sed -n 's/^Version: //p' "$pc")

run() { # run WHAT PROGRAM
    out=$(LD_LIBRARY_PATH=$lib "$2")
    case $out in
    "stele $version "*) echo "ok: $1" ;;
    *)
        echo "$1: expected version $version, got: $out"
        exit 1
        ;;
    esac
}

echo "== names that others see"
if command -v nm >/dev/null; then
    for names in "-D $lib/libstele.so" "$lib/libstele.a"; do
        option=${names%%/*}
        foreign=$(nm $option --defined-only --extern-only "/${names#*/}" |
            awk 'NF == 3 && $3 !~ /^stele_/ && !($2 == "A" && $3 == "STELE_0") { print $3 }')
        if [ -n "$foreign" ]; then
            echo "${names##*/} defines names that do not begin with stele_:" $foreign
            exit 1
        fi
    done
    echo "ok: all begin with stele_"
fi

echo "== CMake"
"$CMAKE" -S "$consumer" -B "$tmp/consumer" -G "$GENERATOR" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS="$CFLAGS" -DCMAKE_PREFIX_PATH="$prefix" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
"$CMAKE" --build "$tmp/consumer" >"$tmp/log" || { cat "$tmp/log"; exit 1; }
run "find_package, shared" "$tmp/consumer/consumer_shared"
run "find_package, static" "$tmp/consumer/consumer_static"

echo "== instructions"
trace=$SOURCE/src/formats/xtrace/good/every_token.xinsndata.bin
for program in insn_shared insn_static; do
    out=$(LD_LIBRARY_PATH=$lib "$tmp/consumer/$program" "$trace")
    # What the command says of the same trace.
    expected=$("$prefix/bin/stele" insn blocks --csv "$trace" |
        awk -F, 'NR > 1 { total += $6 } END { print total " instructions, " NR - 1 " blocks" }')
    case $out in
    "$expected, "*" lines") echo "ok: $program" ;;
    *)
        echo "$program: expected $expected, got: $out"
        exit 1
        ;;
    esac
done

echo "== command, manual, completions"
if [ -x "$BUILD/stele" ]; then
    "$prefix/bin/stele" formats
fi
if [ -d "$BUILD/manual" ]; then
    for file in bash-completion/completions/stele zsh/site-functions/_stele \
        fish/vendor_completions.d/stele.fish; do
        [ -s "$prefix/share/$file" ] || { echo "$file is not installed"; exit 1; }
    done
    if have "$SCDOC"; then
        [ -s "$prefix/share/man/man1/stele.1" ] || { echo "stele.1 is not installed"; exit 1; }
    else
        echo "SKIP: no scdoc (package scdoc): the manual pages are not checked"
    fi
fi

echo "== pkg-config"
if ! have "$PKG_CONFIG"; then
    echo "SKIP: no pkg-config (package pkgconf): stele.pc is not checked"
    exit 0
fi
export PKG_CONFIG_PATH="$(dirname "$pc")"
[ "$("$PKG_CONFIG" --modversion stele)" = "$version" ]
# pkg-config quotes the space in the path for the shell, hence eval.
eval "\"$CC\" $CFLAGS -o \"$tmp/shared\" \"$consumer/consumer.c\" $("$PKG_CONFIG" --cflags --libs stele)"
run "pkg-config, shared" "$tmp/shared"
eval "\"$CC\" $CFLAGS -o \"$tmp/static\" \"$consumer/consumer.c\"" \
    "$("$PKG_CONFIG" --static --cflags --libs stele | sed 's/-lstele/-l:libstele.a/')"
run "pkg-config, static" "$tmp/static"
