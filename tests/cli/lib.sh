# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# For the tests of the command: `. "$SOURCE/tests/cli/lib.sh"`, with STELE (the command) and SOURCE
# (the repository) in the environment. They run in an empty folder of their own.
#
#     expect 0 info "$heph/x.bin.log"     runs stele; its output is in ./out, its complaints in ./err
#     says out 'Clock .*nanoseconds'      the file has a line that matches
#     golden info_heph                    ./out is tests/golden/cli/info_heph.txt
#     finish                              ends the test
#
# $heph, $fxt, $heph_bad and $fxt_bad are folders of samples. What fails is printed, and the test goes
# on.
# shellcheck disable=SC2034
set -u
rm -rf scratch && mkdir scratch && cd scratch || exit 1 # nothing of the last run is there
export LC_ALL=C.UTF-8
unset NO_COLOR TMPDIR
heph=$SOURCE/src/formats/heph/good
heph_bad=$SOURCE/src/formats/heph/bad
fxt=$SOURCE/src/formats/fxt/good
fxt_bad=$SOURCE/src/formats/fxt/bad
failures=0
last=
folder=$(mktemp -d) && cd "$folder" || exit 1
# The command may use all of TMPDIR: what is tested is not in there, so that a sandbox which leaves out
# a file that was named is found.
TMPDIR=$(mktemp -d) && export TMPDIR || exit 1
temporary=$TMPDIR
trap 'rm -rf "$folder" "$temporary"' EXIT

complain() {
    failures=$((failures + 1))
    echo "$1"
    echo "    after: $last"
    [ -z "${2:-}" ] || sed 's/^/    | /' "$2" | cut -c 1-160 | head -n 8
}

expect() {
    wanted=$1
    shift
    last="stele $*"
    status=0
    "$STELE" "$@" >out 2>err </dev/null || status=$?
    [ "$status" -eq "$wanted" ] || complain "exit code $status, expected $wanted" err
}

# The same with a file as standard input.
expect_from() {
    wanted=$1
    from=$2
    shift 2
    last="stele $* <$from"
    status=0
    "$STELE" "$@" >out 2>err <"$from" || status=$?
    [ "$status" -eq "$wanted" ] || complain "exit code $status, expected $wanted" err
}

says() {
    grep -q -e "$2" "$1" || complain "$1 does not say '$2'" "$1"
}

says_not() {
    ! grep -q -e "$2" "$1" || complain "$1 should not say '$2'" "$1"
}

# The file is empty.
silent() {
    [ ! -s "$1" ] || complain "$1 should be empty" "$1"
}

lines() {
    found=$(wc -l <"$1")
    [ "$found" -eq "$2" ] || complain "$1 has $found lines, expected $2" "$1"
}

# check DESCRIPTION COMMAND...
check() {
    what=$1
    shift
    "$@" || complain "$what: $*"
}

same() {
    cmp -s "$1" "$2" || {
        diff "$1" "$2" >differences 2>&1
        complain "$1 and $2 differ" differences
    }
}

# With UPDATE=1 in the environment, golden files are written anew.
golden() {
    file=$SOURCE/tests/golden/cli/$1.txt
    if [ -n "${UPDATE:-}" ]; then
        mkdir -p "$SOURCE/tests/golden/cli"
        cp out "$file"
    fi
    diff "$file" out >differences 2>&1 || complain "not as tests/golden/cli/$1.txt has it" differences
}

# Every member of the JSON in a file is in docs/json.md, where it tells about reports.
documented() {
    sed -n '/^# JSON reports/,$p' "$SOURCE/docs/json.md" | grep -o '`[a-z_]*`' | sort -u >documented
    sed -n 's/^ *"\([a-z_]*\)": .*/`\1`/p' "$1" | sort -u | grep -v -x -F -f documented >undocumented
    [ ! -s undocumented ] || complain "members that docs/json.md does not know" undocumented
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# Can a terminal be had? Not without the script command, nor where /dev/pts is missing.
have_terminal() {
    have script && script -qec true /dev/null >terminal.log 2>&1 </dev/null
}

# A part that cannot run here.
skip() {
    echo "SKIP: $1"
}

finish() {
    [ "$failures" -eq 0 ] || {
        echo "$failures failed"
        exit 1
    }
    exit 0
}
