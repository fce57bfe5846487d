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

echo "== C++17"
if [ -x "$tmp/consumer/consumer_cxx" ]; then
    run "find_package, C++" "$tmp/consumer/consumer_cxx"
    sample=$SOURCE/src/formats/heph/good/heph_tracing_example.bin.log
    total=$(LD_LIBRARY_PATH=$lib "$tmp/consumer/consumer_cxx" "$sample" |
        awk 'NR > 1 { sum += $1 } END { print sum }')
    [ "$total" = 97 ] || { echo "C++: expected 97 events, got $total"; exit 1; }
    echo "ok: events by name"
else
    echo "SKIP: no C++ compiler: the consumer in C++17 is not built"
fi

echo "== a profile and a conversion by what is installed"
trace=$SOURCE/src/formats/fxt/good/four_word_initialization.fxt
if [ -e "$trace" ] && [ -x "$BUILD/stele" ]; then
    LD_LIBRARY_PATH=$lib "$tmp/consumer/consumer_shared" "$trace" "$tmp/consumer.jsonl" >"$tmp/calls"
    "$BUILD/stele" cat --json "$trace" >"$tmp/command.jsonl"
    cmp "$tmp/consumer.jsonl" "$tmp/command.jsonl"
    [ "$(cat "$tmp/calls")" = "call 10" ] || { echo "calls:"; cat "$tmp/calls"; exit 1; }
    echo "ok: as the command does"
fi

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

echo "== examples in C"
# The warnings are ours, not those of the user's flags: examples are to be clean.
sample=$SOURCE/src/formats/heph/good/heph_tracing_example.bin.log
mkdir "$tmp/examples"
for source in "$SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    "$CC" $CFLAGS -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
        -I "$prefix/include" -o "$tmp/examples/$name" "$source" -L "$lib" -lstele
done
example() {
    name=$1
    shift
    LD_LIBRARY_PATH=$lib "$tmp/examples/$name" "$@"
}
# same WHAT EXPECTED GOT
same() {
    if [ "$2" != "$3" ]; then
        printf '%s: expected\n%s\ngot\n%s\n' "$1" "$2" "$3"
        exit 1
    fi
    echo "ok: $1"
}
same "count" "      21  receiving message" "$(example count "$sample" | head -n 1)"
same "count, all" 97 "$(example count "$sample" | awk '{ sum += $1 } END { print sum }')"
same "slowest" 10 "$(example slowest "$sample" | wc -l)"
same "slowest, in order" "$(example slowest "$sample")" "$(example slowest "$sample" | sort -nr)"
same "histogram" 96 "$(example histogram "$sample" | awk '{ sum += $3 } END { print sum }')"
same "histogram of a name" 18 \
    "$(example histogram "$sample" 'sending message' | awk '{ sum += $3 } END { print sum }')"
example convert "$sample" "$tmp/examples/converted.ctf" ctf
same "convert" "$(example count "$sample" | sed 1q)" \
    "$(example count "$tmp/examples/converted.ctf" | sed 1q)"
example write_ctf "$tmp/examples/written.ctf"
same "write_ctf" "    1000  request" "$(example count "$tmp/examples/written.ctf")"
example write_fxt "$tmp/examples/written.fxt"
same "write_fxt" "      80  handle
      80  read" "$(example count "$tmp/examples/written.fxt" | grep -E ' (handle|read)$' | sort -k 2)"

echo "== examples in Python"
python=${PYTHON:-/usr/bin/python3}
package=$(dirname "$(find "$prefix" -path '*/stele/__init__.py')")
if command -v "$python" >/dev/null; then
    export STELE_LIBRARY="$lib/libstele.so" PYTHONDONTWRITEBYTECODE=1
    PYTHONPATH=$(dirname "$package")
    export PYTHONPATH
    script() {
        name=$1
        shift
        "$python" "$SOURCE/examples/$name" "$@"
    }
    same "count.py" "$(example count "$sample" | sort)" "$(script count.py "$sample" | sort)"
    same "slowest.py" "$(example slowest "$sample" | awk '{ print $1 }')" \
        "$(script slowest.py "$sample" | awk '{ print $1 }')"
    script write.py "$tmp/examples/python.ctf" ctf
    same "write.py" "     100  request" "$(example count "$tmp/examples/python.ctf")"
else
    echo "SKIP: no python3 (package python3): the examples in Python are not run"
fi

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
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
[ "$("$PKG_CONFIG" --modversion stele)" = "$version" ]
# pkg-config quotes the space in the path for the shell, hence eval.
eval "\"$CC\" $CFLAGS -o \"$tmp/shared\" \"$consumer/consumer.c\" $("$PKG_CONFIG" --cflags --libs stele)"
run "pkg-config, shared" "$tmp/shared"
eval "\"$CC\" $CFLAGS -o \"$tmp/static\" \"$consumer/consumer.c\"" \
    "$("$PKG_CONFIG" --static --cflags --libs stele | sed 's/-lstele/-l:libstele.a/')"
run "pkg-config, static" "$tmp/static"
