#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tables irq, io, snapshot and branch of 'stele query': what 'stele kernel' and 'stele insn' say.
. "$SOURCE/tests/cli/lib.sh"
"$STELE" query "$fxt/events.fxt" 'select 1' >out 2>err || {
    echo "SKIP: DuckDB's library is missing ('./setup sql' installs it)"
    exit 77
}
. "$SOURCE/tests/cli/lib_kernel_made.sh"
{
    id=6
    event block_rq_issue 'u32 dev; u64 sector; u32 nr_sector;'
    event block_rq_complete 'u32 dev; u64 sector; u32 nr_sector;'
    event net_dev_xmit 'string name; u32 len;'
    event irq_softirq_raise 'u32 vec;'
    event irq_softirq_entry 'u32 vec;'
    event irq_softirq_exit 'u32 vec;'
} >>trace/metadata
{
    at 6 2000 && u32 8388608 && u32 4096 && u32 0 && u32 8 # 8:0, 8 sectors
    at 9 2050 && u32 3
    at 10 2100 && u32 3
    at 11 2130 && u32 3
    at 7 2500 && u32 8388608 && u32 4096 && u32 0 && u32 8
    at 8 2600 && text eth0 && u32 1500
} >>trace/cpu0
expect 0 query --csv trace 'select kind, name, number, ts, dur, cpu from irq order by ts'
cat >wanted <<'END'
kind,name,number,ts,dur,cpu
irq,disk,7,1300,100,0
softirq-raise,NET_RX,3,2050,50,0
softirq,NET_RX,3,2100,30,0
END
same out wanted
expect 0 query --csv trace 'select kind, name, ts, dur, bytes, tid, cpu from io order by ts'
cat >wanted <<'END'
kind,name,ts,dur,bytes,tid,cpu
disk,8:0,2000,500,4096,,0
send,eth0,2600,,1500,,0
END
same out wanted
expect 0 kernel --json trace
grep -o '"total_ns": [0-9]*' out | sort >have
expect 0 query --csv trace "select 'x' || sum(dur) from irq group by kind union all select 'x' || sum(dur)
    from io where dur is not null group by kind"
sed -n 's/^"*x\([0-9]*\)"*$/"total_ns": \1/p' out >wanted
printf '"total_ns": 500\n"total_ns": 0\n' >>wanted # the system call, and what only happens
sort -o wanted wanted
check "'kernel' has the same totals" test "$(comm -23 wanted have | wc -l)" -eq 0

xtrace=$SOURCE/src/formats/xtrace/good
expect 0 query --csv "$xtrace/snapshots" 'select number, insns, x0, x30, sp, nzcv from snapshot'
cat >wanted <<'END'
number,insns,x0,x30,sp,nzcv
0,0,0,30,31,2
1,1000007,1000,1030,1031,2
2,2000014,2000,2030,2031,2
END
same out wanted
for trace in "$xtrace/every_token.xinsndata.bin" "$xtrace/collection" "$xtrace/threads"; do
    expect 0 query --csv "$trace" 'select count(*) from branch where taken is null or target is null
        or kind = '"'none'"'; select count(*) from branch b anti join insn i
        on b.stream = i.stream and b.number = i.number and b.pc = i.pc and b.opcode = i.opcode;
        select count(*) from branch b join insn i
        on b.stream = i.stream and b.number + 1 = i.number where b.target <> i.pc;
        select (select count(*) from branch) - (select count(*) from insn where "group" = '"'branch'"')'
    tail -n +3 out | grep -v 'count\|(' >have
    check "branches are instructions, and go to the next one" test "$(grep -vc '^0$' have)" -eq 0
done
finish
