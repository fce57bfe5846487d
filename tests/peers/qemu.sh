#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `stele record` records is what QEMU's own log says: every program counter, and the registers
# at each snapshot; and each access of vectors and atomics is the one that the architecture does.
# STELE is the command, SOURCE the repository.
. "$SOURCE/tests/cli/lib.sh"
programs=$SOURCE/tests/peers/qemu
compiler=aarch64-linux-gnu-gcc
if ! have qemu-aarch64 || ! qemu-aarch64 -h | grep -q -e -plugin; then
    echo "SKIP: no qemu-aarch64 with plugins (Debian 12: qemu-user)"
    exit 77
elif ! have $compiler; then
    echo "SKIP: no $compiler (Debian: gcc-aarch64-linux-gnu)"
    exit 77
fi
make -s -C "$SOURCE/tools/xtrace-qemu" OUT="$PWD" >log 2>&1 || complain "no plugin" log
$compiler -O1 -static -march=armv8.2-a+sve -o vectors "$programs/vectors.c" || exit 1
$compiler -O2 -static -o work "$programs/work.c" || exit 1
$compiler -O2 -static -pthread -o threads "$programs/threads.c" || exit 1
$compiler -nostdlib -static -Wl,--no-warn-rwx-segments -o atomics "$programs/atomics.s" || exit 1

record() { # record FOLDER OPTIONS... -- PROGRAM
    folder=$1
    shift
    rm -rf "$folder"
    expect 0 record -q --qemu --plugin=xtrace-qemu.so -o "$folder" "$@"
    mv out said
    expect 0 check "$folder"
    says out ': 0 errors, 0 warnings, '
}

# QEMU writes its log while it records: so both are of the same run.
record_with_log() { # record_with_log ITEMS FOLDER OPTIONS... -- PROGRAM
    cat >logging <<END
#!/bin/sh
[ "\$*" != -h ] || exec qemu-aarch64 -h
exec qemu-aarch64 -d $1,exec,nochain -D log "\$@"
END
    chmod +x logging
    folder=$2
    shift 2
    rm -f log
    record "$folder" --emulator=./logging "$@"
}

numbers='
    function digit(c) { return index("0123456789abcdef", c) - 1 }
    function number(hex,    i, n) {
        for (i = 1; i <= length(hex); i++) n = 16 * n + digit(substr(hex, i, 1))
        return n
    }
    function plain(hex) { hex = tolower(hex); sub(/^0x/, "", hex); sub(/^0+/, "", hex); return hex }
'

# A program counter a line, in decimal, of one CPU of the log. An instruction that QEMU was stopped in
# front of is logged again. The line that says so names no CPU: of two that are before the same
# instruction then, only the one that logs it again was stopped.
log_pcs() {
    awk -v cpu="$1:" "$numbers"'
        /^Stopped execution/ { stopped = 1; next }
        /^Trace / && $2 == cpu {
            split($4, part, "/")
            pc = number(part[2])
            if (held != "" && !(stopped && pc == held)) printf "%.0f\n", held
            held = pc
            stopped = 0
        }
        END { if (held != "") printf "%.0f\n", held }' log
}
own_pcs() {
    "$STELE" cat --unsorted --csv --columns=id -k insn "$1" | sed 1d
}

# Lines "STEP REGISTER VALUE" at each multiple of $1 steps.
log_registers() {
    awk -v interval="$1" "$numbers"'
        function give(name, hex) {
            if (name ~ /^[XPZ][0-9]/) name = tolower(substr(name, 1, 1)) (substr(name, 2, 2) + 0)
            if (name == "PSTATE") { name = "nzcv"; hex = substr(hex, 1, 1) "0000000" }
            name = tolower(name)
            if (name ~ /^([xz][0-9]+|p[0-9]+|sp|ffr|nzcv|fpcr|fpsr)$/ && !(name == "x31"))
                value[name] = value[name] hex
        }
        function end(    name) {
            for (name in value) print step, name, plain(value[name])
            split("", value)
        }
        BEGIN { step = -1 }
        /^Trace / { if (wanted) end(); step++; wanted = step % interval == 0; next }
        !wanted { next }
        {
            gsub(/=/, "= ")
            for (i = 1; i <= NF; i++) {
                if ($i ~ /=$/) { name = $i; sub(/(\[.*)?=$/, "", name); if (name != "") last = name }
                else if ($(i - 1) ~ /=$/) { gsub(/:/, "", $i); give(last, $i) }
            }
        }
        END { if (wanted) end() }' log | sort
}
own_registers() {
    "$STELE" dump "$1" | awk "$numbers"'
        $3 == "Snapshot" {
            for (i = 4; i <= NF; i++) {
                split($i, part, "=")
                if (part[1] == "total") step = part[2]
                if (part[1] ~ /^([xz][0-9]+|p[0-9]+|sp|ffr|nzcv|fpcr|fpsr)$/)
                    print step, part[1], plain(part[2])
            }
        }' | sort
}

compare_with_log() { # compare_with_log FOLDER INTERVAL
    own_pcs "$1" >own_pcs
    log_pcs 0 >log_pcs
    [ -s log_pcs ] || complain "the log has no program counters"
    same own_pcs log_pcs
    own_registers "$1" >own_registers
    log_registers "$2" >log_registers
    grep -o '^[0-9]* [a-z0-9]*' log_registers >known # without fpu, the log has the general ones
    grep -F -w -f known own_registers >own_known || :
    [ -s log_registers ] || complain "the log has no registers"
    same own_registers log_registers
}

echo "== program counters and registers"
record_with_log cpu,fpu work.256 --interval=500 -- ./work
says said '^xxx [0-9]'
compare_with_log work.256 500
for bits in 128 512 2048; do
    record_with_log cpu,fpu "vectors.$bits" --vector-length=$bits --interval=77 -- ./vectors silent
    compare_with_log "vectors.$bits" 77
done

echo "== threads"
record_with_log cpu threads.256 --memory-order -- ./threads
says said '^1200 76$'
for cpu in 0 1 2 3; do
    log_pcs $cpu | cksum
done | sort >log_threads
for file in threads.256/*.xinsndata.bin; do
    own_pcs "$file" | cksum
done | sort >own_threads
same own_threads log_threads

echo "== order of accesses"
# In the order that TIME tells, each byte of the program's own data (the kernel writes to stacks only)
# is loaded as it was stored last. Each of the 1,200 additions loads and stores once at least; how
# often one is tried again is chance.
"$STELE" dump threads.256 | awk "$numbers"'
    $3 == "TIME" { time = substr($4, 7) + 0; next }
    $3 == "LOAD" || $3 == "STORE" {
        print time, $3, number(substr($4, 11)), substr($5, 6), substr($6, 9)
    }' | sort -n >accesses
awk '
    $3 > 268435456 { next }
    {
        count++
        for (i = 0; i < $4; i++) {
            byte = substr($5, 2 * ($4 - i) - 1, 2)
            if ($2 == "LOAD" && ($3 + i) in memory && memory[$3 + i] != byte) print
            memory[$3 + i] = byte
        }
    }
    END { if (count < 2400) print "only", count + 0, "accesses" }' accesses >disorder
silent disorder

echo "== accesses of vectors"
for bits in 128 256 512 1024 2048; do
    record "accesses.$bits" --vector-length=$bits --marks=all -- ./vectors
    "$STELE" dump "accesses.$bits" | awk "$numbers"'
        $3 == "PCINST" || $3 == "INST" { # LDR and STR are no accesses of elements
            is_element = $0 ~ /opcode=0x(84|85|a4|a5|c4|c5|e4|e5|e0|e1)/ &&
                         $0 !~ /opcode=0x[8e]5[89ab].[0145]/
            next
        }
        is_element && ($3 == "LOAD" || $3 == "STORE") {
            address = number(substr($4, 11)); size = substr($5, 6) + 0; value = substr($6, 9)
            for (i = 0; i < size; i++)
                printf "%s %.0f %s\n", substr($3, 1, 1), address + i,
                       substr(value, 2 * (size - i) - 1, 2)
        }' >own_accesses
    [ -s said ] || complain "the program says nothing"
    same said own_accesses
done

echo "== atomics"
record atomics.256 --marks=thread -- ./atomics
"$STELE" dump atomics.256 | awk "$numbers"'
    $3 == "LOAD" || $3 == "STORE" || $3 == "STXR" {
        value = $NF
        sub(/.*=/, "", value)
        print $3, plain(value)
    }' >own_atomics
cat >wanted_atomics <<'END'
LOAD 10
STORE 15
LOAD 15
STORE 15
LOAD 15
STORE 5
LOAD 5
STORE 77
LOAD 77
LOAD 200000000000000077
STORE 20000000000000001
STXR 1
LOAD 1
STORE 5
STXR 
LOAD 5
STORE 200000001
STXR 
END
same own_atomics wanted_atomics
finish
