#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Simulated caches: the table, and options that cannot be used.
. "$SOURCE/tests/cli/lib.sh"
pairs=$SOURCE/src/formats/xtrace/good/collection

expect 0 insn cache "$pairs"
golden insn_cache
expect 0 insn cache --policy plru --cache l1d=128,2 --cache l1i=256,4,fifo --cache l2=1K,4 \
    --cache l3=none --prefetch next-line --warmup 100 "$pairs"
golden insn_cache_small
expect 0 insn cache --write-through --no-write-allocate --line-size 32 --page-size 64K --json "$pairs"
documented out
says out '"cache": "l2tlb"'
expect 0 insn cache --cache l2=none --cache l2tlb=none --csv "$pairs"
lines out 6

refused() {
    pattern=$1
    shift
    expect 2 insn cache "$@" "$pairs"
    silent out
    says err "$pattern"
}
refused 'NAME=SIZE,WAYS' --cache l4=1K,4
refused 'NAME=SIZE,WAYS' --cache l2=1K
refused 'NAME=SIZE,WAYS' --cache l2=1K,4,best
refused 'l2 cannot be' --cache l2=1K,3
refused 'l1d cannot be' --cache l1d=none
refused 'dtlb cannot be' --cache dtlb=48,48,plru
refused 'a power of two from 8 on' --line-size 48
refused 'a power of two from 4096 on' --page-size 1K
finish
