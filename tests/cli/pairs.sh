#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calls out of moments: by their names, and by what they have in common.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_ctf_made.sh"

ctf_made user context <<END
1000 0 7 app:main_entry 1
1100 0 7 app:read_entry 3
1200 1 8 app:main_entry 2
1500 0 7 app:read_exit 0
1600 0 7 app:read_entry 4
1900 1 7 app:read_exit 1
2000 1 8 app:main_exit 0
2500 0 7 app:main_exit 0
END
expect 0 profile --csv user
says out '^main,2,2300,1600,'
says out '^read,2,700,700,'
says err '8 events paired by their names'
expect 0 graph user
says out '700 ns .* 2    read'
expect 0 flame user
says out '^main;read 700'
expect 0 diff user user
expect 0 profile --no-pairs user
says out '^No calls'
silent err
expect 0 profile --csv --pair 'app:read_entry:app:read_exit' user
says out '^read_entry,2,700,700,'

# Names in records are found, too, where the metadata does not have them.
expect 0 convert -o user.fxt user
expect 0 convert --to ctf -o again user.fxt
expect 0 profile --csv again
says out '^main,2,2300,1600,'
ctf_made plain context <<END
1000 0 7 app:one 7
1100 0 7 app:two 3
END
expect 0 profile plain
says out '^No calls'
silent err

# System calls on CPUs are those of the threads that run there.
ctf_made kernel <<END
1000 0 0 sched_switch 7
1000 1 0 sched_switch 8
1100 0 0 syscall_entry_read 3
1150 1 0 syscall_entry_write 3
1200 0 0 sched_switch 9
1250 0 0 syscall_entry_read 3
1300 1 0 syscall_exit_write 8
1310 1 0 sched_switch 7
1350 0 0 syscall_exit_read 3
1400 1 0 syscall_exit_read 3
END
expect 0 profile --by-thread kernel
says out ' 300 ns .* syscall_read  thread 7'
says out ' 150 ns .* syscall_write  thread 8'
says out ' 100 ns .* syscall_read  thread 9'
# A track is the thread that a call is of, not the CPU that its events stand on.
expect 0 profile --csv --track 7 kernel
says out '^syscall_read,1,300,'
says_not out 'syscall_write'
expect 0 flame --format folded --track 8 kernel
says out '^syscall_write 150'
says_not out 'syscall_read'

ctf_made request context <<END
1000 0 7 request 1
1100 0 7 request 2
1200 1 8 reply 2
1300 0 7 request 3
1500 1 8 reply 1
1600 1 8 reply 9
1700 0 7 request 4
END
expect 0 calls --csv --max open=1 --pair request:reply --by arg.id request
says err 'beyond the limit of open ones: left out'
expect 0 stats --csv --by ended --of dur --pair request:reply --pair-by arg.id request
says out '^returned,2,2,600,100,500,'
says out '^open,2,'
expect 0 stats --csv --of dur --where 'ended == "timeout"' --pair request:reply --pair-by arg.id \
    --timeout 200ns request
says out '^2,2,400,'
expect 2 stats --of dur --pair-by arg.id request
says err 'pair-by'
expect 0 profile --csv --pair request:reply --by arg.id request
says out '^request,2,600,600,300,100,'
says err '2 begins without an end'
says err '1 end without a begin'
expect 0 profile --csv --pair request:reply --by arg.id --timeout 200ns request
says out '^request,1,100,100,'
says err '3 begins without an end'
says err '2 ends without a begin'
expect 0 profile --csv --by order --pair request:reply request
says out '^request,3,900,900,'
expect 2 profile --by arg.id request
expect 2 profile --pair request request
says err 'STE009'

# Functions of gcc's -finstrument-functions.
ctf_made functions context <<END
1000 0 7 lttng_ust_cyg_profile:func_entry 4096
1100 0 7 lttng_ust_cyg_profile:func_entry 8192
1500 0 7 lttng_ust_cyg_profile:func_exit 8192
1900 0 7 lttng_ust_cyg_profile:func_exit 4096
END
expect 0 profile --csv functions
says out '^0x1000,1,900,500,'
says out '^0x2000,1,400,400,'
# Functions that are known by address have the names of the binary, wherever it was loaded.
if have readelf && have cc && have nm; then
    printf 'int inner(int x) { return x + 1; }\nint outer(int x) { return inner(x) * 2; }\n' >made.c
    cc -O0 -shared -fPIC -o made made.c
    at() {
        nm made | awk -v name="$1" '$3 == name { print $1 }'
    }
    inner=$((0x7f0000000000 + 0x$(at inner))) outer=$((0x7f0000000000 + 0x$(at outer)))
    ctf_made placed context <<END
900 0 7 lttng_ust_statedump:bin_info $((0x7f0000000000))
1000 0 7 lttng_ust_cyg_profile:func_entry $outer
1100 0 7 lttng_ust_cyg_profile:func_entry $inner
1400 0 7 lttng_ust_cyg_profile:func_exit $inner
1600 0 7 lttng_ust_cyg_profile:func_exit $outer
END
    "$STELE" profile --csv --binary made placed >out 2>err
    if grep -q 'SYM002' err; then
        skip "no elfutils: names of functions by address"
        finish
    fi
    expect 0 profile --csv --binary made placed
    silent_but_pairs=$(grep -v -c 'paired by their names' err)
    check "no finding" test "$silent_but_pairs" -eq 0
    says out '^outer,1,600,300,'
    says out '^inner,1,300,300,'
    expect 0 calls --csv --columns name,dur --binary made placed
    says out '^inner,300'
    expect 0 stats --csv --by name --of dur --binary made placed
    says out '^outer,1,'
    expect 0 profile --csv --binary "$STELE" placed
    says out '^made+0x'
else
    skip "no compiler: names of functions by address"
fi
finish
