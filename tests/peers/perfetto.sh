#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Perfetto's trace_processor finds in Chrome's JSON what Stele finds in the trace: spans by name with
# their number and lengths, depths, moments, flows, arguments, counters, running threads. STELE is the
# command, SOURCE the repository, TRACE_PROCESSOR the path of trace_processor_shell; STELE_SAMPLES may
# name a folder with more traces.
. "$SOURCE/tests/cli/lib.sh"
samples=$SOURCE/src/formats
[ -n "${TRACE_PROCESSOR:-}" ] && [ -x "$TRACE_PROCESSOR" ] || {
    echo "SKIP: TRACE_PROCESSOR does not name trace_processor_shell"
    exit 77
}
have jq || {
    echo "SKIP: jq is not installed"
    exit 77
}

# ask QUERY: of x.json, as lines of CSV without the heading
ask() {
    "$TRACE_PROCESSOR" -Q "$1" x.json 2>ask.err | grep '^[0-9"\[-]' | tail -n +2
}

# draw TRACE OPTION...: x.json, without complaints of its reader
draw() {
    trace=$1
    shift
    last="stele convert --to chrome $* $trace"
    "$STELE" convert --to chrome --force -o x.json "$@" "$trace" >out 2>err </dev/null || true
    check "it is there" test -s x.json
    ask "select name, value from stats where value != 0 and severity in ('error', 'data_loss') and
        name != 'slice_spill_overlapping_complete_event'" > complaints
    check "nothing is refused: $(cat complaints)" test ! -s complaints
}

spans="--kind begin --kind end --kind tail-exit --kind complete"

# Calls by name: number, shortest, longest; and how deep they are.
check_spans() {
    trace=$1
    shift
    # shellcheck disable=SC2086
    draw "$trace" $spans "$@"
    # Exits without an entry are drawn, but are no calls.
    ask "select name, count(*), min(dur), max(dur) from slice where not exists (select 1 from args
        where args.arg_set_id = slice.arg_set_id and key = 'args.stele.no_begin')
        group by name order by name" | sort > theirs
    "$STELE" profile --json --top 0 "$@" "$trace" 2>err | jq -r '.functions[] | select(.count > 0) |
        [.name, .count, .min_ns, .max_ns] | "\"\(.[0])\",\(.[1]),\(.[2]),\(.[3])"' | sort > own
    last="spans of $trace $*"
    check "there are some" test -s own
    same theirs own
    "$STELE" flame --by-count "$@" "$trace" 2>err | awk '{ sub(/ [0-9]*$/, ""); n = gsub(/;/, ";")
        if (n > most) most = n } END { print most + 0 }' > own
    ask "select max(depth) from slice" > theirs
    same theirs own
}

# Sum of all times: what threads spend in calls at all.
check_sum() {
    # shellcheck disable=SC2086
    draw "$1" $spans
    "$STELE" flame "$1" 2>err | awk '{ sum += $NF } END { printf "%.0f\n", sum }' > own
    ask "select sum(dur) from slice where depth = 0" > theirs
    last="time of $1"
    same theirs own
}

# count KIND...: events of these kinds
count() {
    for kind in "$@"; do
        "$STELE" cat --json --kind "$kind" "$trace" 2>err
    done | wc -l
}

equal() {
    [ "$2" = "$3" ] || complain "$1: they say '$2', not '$3'"
}

check_rest() {
    draw "$1"
    last="$1"
    equal "counters" "$(ask "select count(*) from counter")" \
        "$("$STELE" cat --json --kind counter "$1" 2>err | jq -s '[.[].fields[] |
            select(.type as $t | ["uint", "int", "float", "bool"] | index($t))] | length')"
    equal "sums of counters" "$(ask "select printf('%.6g', coalesce(sum(value), 0)) from counter" |
        tr -d '"')" "$("$STELE" cat --json --kind counter "$1" 2>err | jq -s '[.[].fields[] |
            select(.type as $t | ["uint", "int", "float"] | index($t)) | .value] | add // 0' |
        awk '{ printf "%.6g\n", $1 }')"
    equal "threads that run" "$(ask "select count(*) from sched")" \
        "$("$STELE" cat --json --kind switch "$1" 2>err | jq -s '[.[] |
            select(.incoming != null and .incoming.number != 0)] | length')"
    equal "operations" "$(ask "select count(*) from slice where not exists (select 1 from
        thread_track where thread_track.id = slice.track_id) and dur > 0")" \
        "$(count async-begin)"
}

# Each argument that is a plain number or text is there, under its name and with its value.
check_args() {
    draw "$1"
    last="arguments of $1"
    ask "select substr(key, 6), display_value from args where key like 'args.%' and
        key not like 'args.stele.%'" | sed 's/^"\([^"#]*\)#[0-9]*"/"\1"/; s/^"debug\./"/' |
        sort -u > theirs
    "$STELE" cat --json "$1" 2>err | jq -r 'select(.kind != "counter") | .fields[] |
        select(.name != "" and .name != "scope" and (.name | test("[.#\"]") | not)) |
        select((.type == "string" and .value != "" and (.value | test("[\"\\\\]") | not)) or
            .type == "bool" or ((.type == "int" or .type == "uint" or .type == "koid") and
            .base == null and .label == null and .labels == null and
            .value < 9007199254740992 and .value > -9007199254740992)) |
        "\"\(.name)\",\"\(.value)\""' | sort -u > own
    check "there are some" test -s own
    comm -23 own theirs > missing
    check "all are there: $(head -n 3 missing)" test ! -s missing
}

# Threads with their names, and how many processes they are in.
check_places() {
    draw "$1"
    last="threads of $1"
    "$STELE" cat --json "$1" 2>err | jq -c 'select(.track.kind == "thread") | .track' |
        sort -u > tracks
    equal "threads" "$(ask "select count(distinct utid) from thread_track join slice on
        slice.track_id = thread_track.id")" "$(wc -l <tracks)"
    equal "processes" "$(ask "select count(distinct upid) from thread join thread_track using (utid)
        join slice on slice.track_id = thread_track.id")" \
        "$(jq -c '.parent.number' tracks | sort -u | wc -l)"
    ask "select distinct thread.name from thread join thread_track using (utid) join slice on
        slice.track_id = thread_track.id where thread.name is not null" | grep -v '"thread [0-9]*"' |
        sort > theirs
    jq -r 'select(.name != "") | "\"\(.name)\""' tracks | sort -u > own
    same theirs own
}

for file in exc.14.fdr5.tsc.xray tail.14.fdr5.tsc.xray recur.14.basic3.xray \
    sleeper.14.fdr5.tsc.xray arg1.fdr5.be.xray wrap.14.fdr5.tiny4x512.xray; do
    check_spans "$samples/xray/good/$file"
    check_sum "$samples/xray/good/$file"
done
check_spans "$samples/xray/good/exc.14.fdr5.tsc.xray" --begin 50us --end 120us
check_spans "$samples/xray/good/recur.14.basic3.xray" --begin 1us --end 2us
check_spans "$heph/rt_scalars.bin.log"
check_spans "$fxt/events.fxt"
check_rest "$fxt/events.fxt"
check_rest "$fxt/scheduling.fxt"
equal "flows" "$(draw "$fxt/events.fxt" && ask "select count(*) from flow")" 2

check_args "$fxt/events.fxt"
check_places "$fxt/events.fxt"
check_places "$samples/xray/good/exc.14.fdr5.tsc.xray"

# Spans that were written as CTF and are read from there.
for file in "$fxt/events.fxt" "$heph/rt_scalars.bin.log" \
    "$samples/xray/good/exc.14.fdr5.tsc.xray"; do
    rm -rf spans
    "$STELE" convert --to ctf -o spans "$file" >out 2>err || true
    check_spans spans
done

# Each event of a CTF trace is a moment, with all of its fields.
draw "$samples/ctf/good/lttng_216_2"
trace=$samples/ctf/good/lttng_216_2
equal "events" "$(ask "select count(*) from slice where dur = 0")" "$(count '*')"
equal "threads" "$(ask "select count(distinct track_id) from slice")" \
    "$("$STELE" cat --json "$trace" 2>err | jq -c .track | sort -u | wc -l)"

check_args "$trace"
last="$trace"

# The calls of a trace of instructions.
trace=$samples/xtrace/good/collection
draw "$trace"
equal "instructions" "$(ask "select sum(dur) from slice where depth = 0")" \
    "$(count insn)"

if [ -d "${STELE_SAMPLES:-}" ]; then
    for file in "$STELE_SAMPLES"/xray/threads*.fdr5.tsc.xray "$STELE_SAMPLES"/fxt/magic-trace*.fxt.gz; do
        [ ! -e "$file" ] || check_spans "$file"
    done
    for file in "$STELE_SAMPLES"/fxt/ftfrs_sample.fxt; do
        [ ! -e "$file" ] || check_rest "$file"
    done
fi
repro=${STELE_SAMPLES:-/nowhere}/../repro/fxt
if [ -d "$repro" ]; then
    check_spans "$repro/end_other_category.fxt"
    check_rest "$repro/async_end_other_category.fxt"
    check_rest "$repro/counter_text.fxt"
else
    skip "ends of other categories, counters as text: STELE_SAMPLES/../repro/fxt is missing"
fi
finish
