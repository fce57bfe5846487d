#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of many provider sections: read as they are, and written with few of them.
. "$SOURCE/tests/cli/lib.sh"
command -v python3 >/dev/null || { echo 'SKIP: there is no python3'; exit 77; }

cat >make.py <<'END_OF_SCRIPT'
import struct

def words(*values):
    return b''.join(struct.pack('<Q', value) for value in values)

def text(value):
    return value.encode() + b'\0' * (-len(value) % 8)

def provider(number, name):
    return words((1 + len(text(name)) // 8) << 4 | 1 << 16 | number << 20 | len(name) << 52) + text(name)

def string(index, value):
    return words(2 | (1 + len(text(value)) // 8) << 4 | index << 16 | len(value) << 32) + text(value)

def section(number):
    return words(1 << 4 | 2 << 16 | number << 20)

def instant(ticks):
    return words(4 | 2 << 4 | 1 << 24 | 1 << 32 | 2 << 48, ticks)

def state(number):
    return (provider(number, 'p%d' % number) + words(1 | 4 << 4, 10**9, 0, 17 * 10**17) + string(1, 'c') +
            string(2, 'e%d' % number) + words(3 | 3 << 4 | 1 << 16, 100 * number, 100 * number + 1))

magic = words(0x0016547846040010)
with open('many.fxt', 'wb') as out:
    out.write(magic + state(1) + state(2))
    for i in range(300000):
        out.write(section(1 + i % 2) + instant(1000 + i))
for number, name in ((1, 'even.fxt'), (2, 'odd.fxt')):
    with open(name, 'wb') as out:
        out.write(magic + state(number))
        for i in range(20000):
            out.write(instant(1000 + 2 * i + number))
END_OF_SCRIPT
python3 make.py

# Known providers stay known, however many sections there are.
expect 0 check many.fxt
says out ' 0 errors, 0 warnings, 0 notes in 300,000 events'
expect 0 cat --time absolute many.fxt
lines out 300000
says_not err 'FXT027'

# Where events of two traces take turns, each provider's are collected to sections of many records.
expect 0 convert even.fxt odd.fxt -o merged.fxt
expect 0 check merged.fxt
says out ' 0 errors, 0 warnings, 0 notes in 40,000 events'
expect 0 dump merged.fxt
sections=$(grep -c 'Provider Section' out)
[ "$sections" -lt 1200 ] || complain "$sections sections, expected fewer than 1200"
expect 0 cat --columns time,name even.fxt odd.fxt
mv out both
expect 0 cat --columns time,name merged.fxt
cmp -s both out || complain 'the merged trace has other events, or another order'
finish
