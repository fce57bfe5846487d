#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Perfetto's trace_processor finds in scheduling records of FXT, and in what Stele makes of them in
# Perfetto's own format, what 'stele sched' finds: what each CPU ran and when, and each state of each
# thread. STELE is the command, SOURCE the repository,
# TRACE_PROCESSOR the path of trace_processor_shell; STELE_SAMPLES may name a folder with more traces.
. "$SOURCE/tests/cli/lib.sh"
[ -n "${TRACE_PROCESSOR:-}" ] && [ -x "$TRACE_PROCESSOR" ] || {
    echo "SKIP: TRACE_PROCESSOR does not name trace_processor_shell"
    exit 77
}
have jq && have python3 || {
    echo "SKIP: jq or python3 is not installed"
    exit 77
}

# ask QUERY TRACE: as lines of CSV without the heading
ask() {
    "$TRACE_PROCESSOR" -Q "$1" "$2" 2>ask.err | grep '^[0-9"\[-]' | tail -n +2
}

# Switches and wake-ups of a made-up scheduler: SEED, number of switches, CPUs, threads, whether the
# records are of the older generation, and whether threads are woken that wait for nothing.
cat >make.py <<'END'
import random, struct, sys
seed, count, cpus, threads, is_old, is_late = map(int, sys.argv[1:7])
out, pick, now = [struct.pack('<Q', 0x0016547846040010), struct.pack('<QQ', 1 | 2 << 4, 10**9)], \
    random.Random(seed), 10**6
def text(s):
    return s.encode() + bytes(-len(s) % 8)
def int32(name, value):
    words = text(name)
    return struct.pack('<Q', 1 | (1 + len(words) // 8) << 4 | (0x8000 | len(name)) << 16 |
                       (value & 0xffffffff) << 32) + words
def record(kind, arguments, rest, body):
    size = 1 + (len(body) + sum(map(len, arguments))) // 8
    out.append(struct.pack('<Q', 8 | size << 4 | len(arguments) << 16 | rest | kind << 60) + body +
               b''.join(arguments))
IDLE, idle = -2**31, 900
state = {t: 'blocked' for t in range(1, threads + 1)}
ran = [0] * cpus
weight = {t: 10 + t for t in state}
def put_switch(cpu, before, code, after):
    if is_old:
        old = lambda t: (0, idle + cpu) if t == 0 else (100, t)
        body = struct.pack('<QQQQQ', now, *old(before), *old(after))
        out.append(struct.pack('<Q', 8 | 6 << 4 | cpu << 16 | code << 24 |
                   (0 if before == 0 else 10 + before % 20) << 44 |
                   (0 if after == 0 else 10 + after % 20) << 52) + body)
        return
    tid = lambda t: idle + cpu if t == 0 else t
    record(1, [int32('incoming_weight', weight.get(after, IDLE)),
               int32('outgoing_weight', weight.get(before, IDLE))],
           cpu << 20 | code << 36, struct.pack('<QQQ', now, tid(before), tid(after)))
done = 0
while done < count:
    now += pick.randrange(1, 5000)
    cpu = pick.randrange(cpus)
    if pick.randrange(2) == 0:
        thread = pick.randrange(1, threads + 1)
        if state[thread] in ('blocked', 'suspended') or (is_late and state[thread] == 'running'):
            if not is_old:
                record(2, [int32('weight', weight[thread])], cpu << 20,
                       struct.pack('<QQ', now, thread))
            if state[thread] != 'running':
                state[thread] = 'ready'
        continue
    ready = [t for t in state if state[t] == 'ready']
    after = pick.choice(ready) if ready else 0
    before = ran[cpu]
    if before == after:
        continue
    code = pick.choice([1, 1, 2, 3, 3, 3, 5]) if before else 1
    if before:
        state[before] = {1: 'ready', 2: 'suspended', 3: 'blocked', 5: 'blocked'}[code]
    if after:
        state[after] = 'running'
    put_switch(cpu, before, code, after)
    ran[cpu] = after
    done += 1
open(sys.argv[7], 'wb').write(b''.join(out))
END

# What CPUs ran, as far as it ended: from, how long, CPU, thread, weight.
check_runs() {
    ask "select s.ts, s.dur, c.cpu, t.tid, s.priority from sched s join thread t using(utid)
        join cpu c using(ucpu) where s.dur >= 0 and t.tid != 0 order by s.ts, c.cpu" \
        "${2:-$1}" >theirs
    "$STELE" sched --show runs --json "$1" 2>err | jq -r 'select(.state == "busy" and
        (.is_open | not)) | [.begin_ns, .dur_ns, .cpu, .tid, .priority] | join(",")' |
        sort -t, -k1,1n -k3,3n >own
    last="what CPUs run in ${2:-$1}"
    check "there are some" test -s own
    sort -t, -k1,1n -k3,3n theirs >sorted
    same sorted own
}

# States of threads, as far as they ended: thread, state, how often, how long in all. From FXT Perfetto
# calls a thread that was woken W; from its own format it is R, as one that was preempted.
check_states() {
    ask "select t.tid, s.state, count(*), sum(s.dur) from thread_state s join thread t using(utid)
        where s.dur > 0 and s.state not in ('X') group by 1, 2" "${2:-$1}" | tr -d '"' | sort >theirs
    "$STELE" sched --show states --json "$1" 2>err | jq -r --arg woken "${3:-W}" '
        select(.is_open | not) | [.tid, ({running: "Running", preempted: "R", runnable: $woken,
        blocked: "S", stopped: "T"}[.state]), .dur_ns] | join(",")' | awk -F, '{ n[$1 "," $2]++
        sum[$1 "," $2] += $3 } END { for (k in n) printf "%s,%d,%.0f\n", k, n[k], sum[k] }' |
        sort >own
    last="states of threads in ${2:-$1}"
    check "there are some" test -s own
    same theirs own
}

for seed in 1 2 3; do
    python3 make.py $seed 3000 4 40 0 0 new.fxt
    check_runs new.fxt
    check_states new.fxt
    "$STELE" convert --force new.fxt -o new.pftrace 2>err >out
    check_runs new.fxt new.pftrace
    check_states new.fxt new.pftrace R
    python3 make.py $seed 3000 3 25 1 0 old.fxt
    check_runs old.fxt
    check_states old.fxt
    "$STELE" convert --force old.fxt -o old.pftrace 2>err >out
    check_runs old.fxt old.pftrace
    check_states old.fxt old.pftrace R
done

# A wake-up of a running thread does not end what it does: there Perfetto cuts the length of what the
# CPU ran at the wake-up, and lets the thread wait from there on. When each began is the same.
python3 make.py 4 3000 4 12 0 1 late.fxt
"$STELE" sched --json late.fxt 2>err >out
check "threads are woken late" test "$(jq .wake_running_count out)" -gt 100
ask "select s.ts, c.cpu, t.tid from sched s join thread t using(utid) join cpu c using(ucpu)
    where s.dur >= 0" late.fxt | sort >theirs
"$STELE" sched --show runs --json late.fxt 2>err | jq -r 'select(.state == "busy" and
    (.is_open | not)) | [.begin_ns, .cpu, .tid] | join(",")' | sort >own
same theirs own
finish
