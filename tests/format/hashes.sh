#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: hashes.sh ROOT
# There is one hash table, core/table.h, and core/keyed.h for entries that are looked up for each
# instruction. Both have random keys, since an input could be made of which everything falls into one
# slot. A hash for anything else is in the list below, with what it is for. Arrays grow by
# core/array.h, those of the viewer and the command, which see public headers only, by view/list.h.
set -eu
cd "$1"
status=0
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# path, and what the hashes are for; a cache forgets what had the slot before
cat >"$list" <<'EOF'
src/a64/a64.h                            cache of decoded instructions
src/analysis/events/kernel_disks.c       cache of requests, of which old ones must give way
src/analysis/events/pairing.c            keys of pairs, made of several values
src/analysis/events/pairing_rules.c      text to compare
src/analysis/events/verify_side.c        values to compare
src/analysis/insn/cache.c                chance
src/analysis/insn/insn_reuse.c           sample of the lines
src/collect/sequence.c                   packets to compare
src/core/diag.c                          texts to compare
src/flow/align.c                         values to compare
src/formats/ctf/read/index.c             identity of a clock
src/formats/ctf/read/known.c             keys of a bytes_map
src/formats/ctf/records/compile.c        cache of patterns
src/formats/ctf/write/writer_packets.c   UUID of a trace
src/formats/fxt/read/index.c             identity of a provider
src/formats/fxt/read/state.c             cache of threads
src/formats/heph/read/names.h            cache of names
src/formats/heph/write/spans.c           names of one batch to compare
src/model/saved_index.c                  name of a file
src/model/screen.h                       cache of values
src/sinks/chrome_links.c                 cache of flows
src/sinks/chrome_spans.c                 names of one batch to compare
src/sinks/fragments.h                    cache of texts
src/sinks/perfetto.c                     identities of tracks
src/sinks/perfetto_spans.c               names of one batch to compare
EOF

# in_list PATH: whether the list has it
in_list() {
    grep -q "^$1 " "$list"
}

complain() {
    echo "$1"
    status=1
}

hashes='hash_(keyed_(bytes|pair|u64)|by_factor|mix|bytes|u64)\(|HASH_CONSTANT|9e3779b'
for file in $(grep -rlE "$hashes" src --include='*.[ch]'); do
    case $file in
    src/core/hash.[ch] | src/core/table.[ch] | src/core/keyed.[ch]) ;;
    *)
        in_list "$file" || grep -qE 'hash_table_(put|slot_of)\(' "$file" ||
            complain "$file: hashes, but not for the table of core/table.h"
        ;;
    esac
done
while read -r file _; do
    grep -qE "$hashes" "$file" 2>/dev/null ||
        complain "$file: is listed in tests/format/hashes.sh, but hashes nothing"
done <"$list"

# Steps to the next slot. Numbers of packets and of registers step likewise.
probes=$(grep -rnE '(\+ 1\)|\+\+\)?) (& |% [a-z>_.-]*(slot|mask|capacity))' src --include='*.[ch]' |
    grep -vE '^src/(core/(table|keyed)\.[ch]|collect/sequence\.c|a64/a64_replay(_memory)?\.c):' || :)
[ -z "$probes" ] || complain "probes of hash tables made by hand (core/table.h):
$probes"

grown=$(grep -rnE '\b(realloc|reallocarray)\(' src --include='*.[ch]' |
    grep -vE '^src/(core/array|view/list)\.c:' || :)
[ -z "$grown" ] || complain "arrays that grow by hand (core/array.h):
$grown"

[ $status -ne 0 ] || echo "one hash table, one way to grow"
exit $status
