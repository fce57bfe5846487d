# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A trace as LTTng's kernel tracer writes it, in ./trace: a thread reads, waits, is woken in an
# interrupt, and preempts another one. u8 to switch write further ones.

mkdir trace
{
    cat <<'END'
/* CTF 1.8 */
typealias integer { size = 8; align = 8; } := u8;
typealias integer { size = 32; align = 8; } := u32;
typealias integer { size = 32; align = 8; signed = true; } := i32;
typealias integer { size = 64; align = 8; } := u64;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.c.value; } := time;
stream { packet.context := struct { u32 cpu_id; };
    event.header := struct { u8 id; time timestamp; }; };
END
    id=0
    event() {
        echo "event { name = \"$1\"; id = $id; fields := struct { $2 }; };"
        id=$((id + 1))
    }
    event sched_switch 'i32 prev_tid; u32 prev_state; string next_comm; i32 next_tid;'
    event sched_wakeup 'string comm; i32 tid; u32 target_cpu;'
    event syscall_entry_read 'i32 fd;'
    event syscall_exit_read 'i32 ret;'
    event irq_handler_entry 'i32 irq; string name;'
    event irq_handler_exit 'i32 irq;'
} >trace/metadata

u8() {
    # shellcheck disable=SC2059
    printf "\\$(printf %03o "$1")"
}
u32() {
    u8 $(($1 & 255)) && u8 $(($1 >> 8 & 255)) && u8 $(($1 >> 16 & 255)) && u8 $(($1 >> 24 & 255))
}
at() { # ID TIME
    u8 "$1" && u32 "$2" && u32 0
}
text() {
    printf '%s\0' "$1"
}
switch() { # TIME FROM STATE TO NAME
    at 0 "$1" && u32 "$2" && u32 "$3" && text "$5" && u32 "$4"
}
{
    u32 0 # CPU 0
    switch 1000 0 0 11 reader
    at 2 1100 && u32 3 # reads
    switch 1200 11 2 12 other
    at 4 1300 && u32 7 && text disk # an interrupt
    at 1 1350 && text reader && u32 11 && u32 0
    at 5 1400 && u32 7
    switch 1500 12 0 11 reader # preempts the other one
    at 3 1600 && u32 42        # has read 42 bytes
    switch 1700 11 1 12 other
    switch 1900 12 64 0 swapper/0 # ends
} >trace/cpu0
