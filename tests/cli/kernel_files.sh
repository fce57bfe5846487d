#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele kernel: files, sockets and locks by the arguments of system calls, and processes of threads.
. "$SOURCE/tests/cli/lib.sh"

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
    event sched_switch 'i32 prev_tid; u32 prev_state; string next_comm; i32 next_tid;' # 0
    event lttng_statedump_process_state 'i32 tid; i32 pid; string name;'
    event lttng_statedump_file_descriptor 'i32 pid; i32 fd; string filename;'
    event sched_process_fork 'i32 parent_tid; i32 child_tid; i32 child_pid; string child_comm;'
    event syscall_entry_openat 'i32 dfd; string filename;'
    event syscall_exit_openat 'i32 ret;' # 5
    event syscall_entry_read 'u32 fd; u32 count;'
    event syscall_exit_read 'i32 ret;'
    event syscall_entry_socket 'i32 family; i32 type; i32 protocol;'
    event syscall_exit_socket 'i32 ret;'
    event syscall_entry_connect 'i32 fd; u32 family; u32 dport; u8 v4addr[4];' # 10
    event syscall_exit_connect 'i32 ret;'
    event syscall_entry_sendto 'i32 fd; u32 len;'
    event syscall_exit_sendto 'i32 ret;'
    event syscall_entry_close 'u32 fd;'
    event syscall_exit_close 'i32 ret;' # 15
    event syscall_entry_futex 'u64 uaddr; i32 op;'
    event syscall_exit_futex 'i32 ret;'
    event syscall_entry_dup2 'u32 oldfd; u32 newfd;'
    event syscall_exit_dup2 'i32 ret;'
} >trace/metadata

u8() {
    for byte in "$@"; do
        # shellcheck disable=SC2059
        printf "\\$(printf %03o "$byte")"
    done
}
u32() {
    for word in "$@"; do
        u8 $((word & 255)) $((word >> 8 & 255)) $((word >> 16 & 255)) $((word >> 24 & 255))
    done
}
at() { # ID TIME NUMBER...
    u8 "$1" && u32 "$2" 0
    shift 2
    u32 "$@"
}
text() {
    printf '%s\0' "$1"
}
{
    u32 0 # CPU 0
    at 1 100 12 11 && text worker   # thread 12 is of process 11
    at 1 110 11 11 && text server
    at 2 120 11 3 && text /var/log/known
    at 0 1000 0 0 && text server && u32 11
    at 4 1010 -100 && text /etc/passwd # opens 4
    at 5 1020 4
    at 6 1100 4 100 && at 7 1200 60 # reads 60 bytes of it in 100 ns
    at 6 1300 3 10 && at 7 1350 10  # and 10 of what was open before
    at 18 1400 4 9 && at 19 1410 9  # 9 is the same file
    at 6 1420 9 5 && at 7 1430 5
    at 8 1500 2 1 0 && at 9 1510 5 # a socket
    at 12 1520 5 7 && at 13 1530 7 # before it is connected
    at 10 1600 5 2 80 && u8 10 0 0 1 && at 11 1700 -115
    at 0 2000 11 1 && text worker && u32 12 # the other thread has the same descriptors
    at 12 2100 5 500 && at 13 2400 500
    at 12 2500 5 500 && at 13 2600 -32   # fails
    at 14 2700 4 && at 15 2710 0         # closes 4, and 9 stays
    at 6 2800 4 1 && at 7 2810 -9
    at 6 2820 9 1 && at 7 2830 1
    at 16 3000 4096 0 128 && at 17 3900 0 # waits for a lock
    at 16 4000 4096 0 129 && at 17 4010 0 # wakes who waits: is no wait
    at 3 4100 12 20 20 && text child
    at 0 5000 12 1 && text child && u32 20
    at 6 5100 0 9 && at 7 5200 9
    at 0 6000 20 64 && text swapper && u32 0
} >trace/cpu0

expect 0 kernel --show files --json trace
row() { # NAME: count, bytes, nanoseconds, failed
    awk -v name="\"$1\"" '
        /"(count|byte_count|total_ns|error_count)":/ { gsub(/[",:]/, ""); figure[$1] = $2 }
        /"name":/ { sub(/^ *"name": /, ""); if ($0 == name)
            print figure["count"], figure["byte_count"], figure["total_ns"], figure["error_count"] }' out
}
is() { # NAME FIGURES
    last="$last, $1: $(row "$1")"
    check "as it was made: $2" [ "$(row "$1")" = "$2" ]
}
is /etc/passwd '3 66 120 0'
is /var/log/known '1 10 50 0'
is 'fd 4 of 11' '1 0 10 1'
is 'fd 0 of 20' '1 9 100 0'
documented out
expect 0 kernel --show sockets --json trace
is 'tcp fd 5 of 11' '1 7 10 0'
is 'tcp 10.0.0.1:80' '2 500 400 1'
expect 0 kernel --show futexes --json trace
is '0x1000 of 11' '1 0 900 0'
expect 0 kernel --show sockets --by-thread --csv trace
check 'by thread' [ "$(grep -c 10.0.0.1:80 out)" = 1 ]
expect 0 kernel trace
says out '^Sending and receiving by socket$'
says out '^Waiting for locks (futex)$'
expect 0 sched --show threads --csv trace
check 'threads are of their processes' [ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 { print $at["tid"] ":" $at["pid"] }' out | sort | tr '\n' ' ')" = '11:11 12:11 20:20 ' ]
finish
