#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele record: what it asks for; and, where QEMU and a compiler for AArch64 are there, a recording.
. "$SOURCE/tests/cli/lib.sh"

expect 2 record program
says err 'needs --qemu'
expect 2 record --qemu
expect 2 record --qemu --interval=0 program
says err '--interval takes 1 or more'
expect 2 record --qemu --vector-length=200 program
says err '128 to 2048, in steps of 128'
expect 3 record --qemu nowhere
says err '^stele: nowhere: No such file'
expect 3 record --qemu "$STELE"
says err 'no AArch64 program'
: >empty
expect 3 record --qemu empty
says err 'no AArch64 program'

# Programs for AArch64 of a header only: without a loader, and with one that is not there.
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0%040d' 0 | tr 0 '\0' >static
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\267\0\1\0\0\0\0\0\0\0\0\0\0\0@\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0@\0008\0\1\0\0\0\0\0\0\0' >dynamic
printf '\3\0\0\0\0\0\0\0\170\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\13\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0/no/loader\0' >>dynamic
expect 3 record --qemu dynamic
says err 'there is no /no/loader: --sysroot'
mkdir -p root/no && : >root/no/loader
expect 3 record --qemu --sysroot=root --emulator=./none dynamic
says err '^stele: ./none is not there (package qemu-user'
expect 3 record --qemu --emulator=none-such static
says err '^stele: none-such is not there'
expect 3 record --qemu --emulator=true --plugin=none.so static
says err '^stele: none.so: No such file'
expect 3 record --qemu --emulator=true --plugin=empty static
says err 'true knows no plugins'
[ ! -e static.xtrace ] || complain "a folder was made for nothing"

# Paths of commas only, each of which QEMU wants twice; and a program that is called like an option.
# The emulator prints what it is given.
commas=$(printf '%0240d' 0 | tr 0 ,)
deep=.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    deep=$deep/$commas
done
mkdir -p "$deep" && cp empty "$deep/plugin.so"
cat >shows <<'END'
#!/bin/sh
[ "$1" != -h ] || { echo "-plugin"; exit 0; }
printf '%s\n' "$@"
END
chmod +x shows
expect 0 record --qemu --emulator=./shows --plugin="$deep/plugin.so" -o "$deep/made" static
check "each comma comes twice" test "$(tr -cd , <out | wc -c)" -ge $((2 * 2 * 16 * 240))
expect 3 record --qemu --emulator=./shows --plugin=empty -o "$deep/$deep/$commas/made" static
says err 'too long'
cp static ./-strace
expect 0 record --qemu --emulator=./shows --plugin=empty -- -strace --own
says out '^\./-strace$'
check "the name that the program sees is as given" test "$(grep -A 1 '^-0$' out | tail -n 1)" = -strace
mkfifo waiting && expect 3 record --qemu waiting
says err 'no AArch64 program'

emulator=qemu-aarch64
compiler=aarch64-linux-gnu-gcc
if ! have $emulator || ! $emulator -h | grep -q -e -plugin; then
    skip "no qemu-aarch64 with plugins (package qemu-user of Debian 12): nothing is recorded"
    finish
elif ! have $compiler; then
    skip "no $compiler (package gcc-aarch64-linux-gnu): nothing is recorded"
    finish
fi
make -s -C "$SOURCE/tools/xtrace-qemu" OUT="$PWD" CFLAGS=-O0 >log 2>&1 || complain "no plugin" log

# 1000 rounds of three instructions between two marks, then exit(5).
cat >rounds.s <<'END'
        .globl _start
_start: mov x0, #1000
        hint #9
1:      sub x0, x0, #1
        str x0, [sp, #-8]
        cbnz x0, 1b
        hint #9
        mov x0, #5
        mov x8, #93
        svc #0
END
$compiler -nostdlib -static -o rounds rounds.s || complain "cannot assemble"

expect 5 record --qemu --plugin=xtrace-qemu.so rounds
says err '^xtrace-qemu: 3006 instructions in .*/rounds.xtrace/xtrace'
expect 0 check --strict rounds.xtrace
says out '0 errors, 0 warnings'
expect 4 record --qemu --plugin=xtrace-qemu.so rounds
says err 'no empty folder; -o names another'
expect 5 record -q --qemu --marks=thread --interval=300 --memory-order --vector-length=512 \
    --plugin=xtrace-qemu.so -o 'marked, with a comma' -- rounds --an --option
silent err
expect 0 check 'marked, with a comma'
says out '0 errors, 0 warnings, 1 note'
expect 0 info 'marked, with a comma'
says out '3,000 .*insn'
says out '1,000 .*store'
says out ' 10 .*snapshot'
says out 'vector length .*512'
says out 'memory order .* recorded'
finish
