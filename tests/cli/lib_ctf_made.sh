# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Makes small CTF traces of moments, for tests of what is made of them.
#
#     ctf_made FOLDER [context] <<END
#     TIME CPU TID NAME VALUE
#     END
#
# Each event has one field with the value: next_tid of sched_switch, addr of func_entry and
# func_exit, ret of names with _exit, else id; bin_info has the value as baddr, and is of /opt/made. With `context` events have vpid (100) and vtid.

ctf_made() {
    mkdir -p "$1"
    cat >"$1/events"
    awk -v context="${2:-}" '
    { if (!($4 in numbers)) { numbers[$4] = count; names[count++] = $4 } }
    END {
        print "/* CTF 1.8 */"
        print "typealias integer { size = 64; align = 8; signed = false; } := u64;"
        print "typealias integer { size = 32; align = 8; signed = false; } := u32;"
        print "trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };"
        print "clock { name = c; freq = 1000000000; };"
        print "typealias integer { size = 64; align = 8; map = clock.c.value; } := time;"
        print "stream { packet.context := struct { u32 cpu_id; };"
        print "event.header := struct { u32 id; time timestamp; };"
        if (context) print "event.context := struct { u32 vpid; u32 vtid; };"
        print "};"
        for (i = 0; i < count; i++) {
            field = "id"
            if (names[i] == "sched_switch") field = "next_tid"
            else if (names[i] ~ /func_/) field = "addr"
            else if (names[i] ~ /_exit/) field = "ret"
            more = names[i] ~ /bin_info/ ? " u64 memsz; string path;" : ""
            if (more) field = "baddr"
            print "event { name = \"" names[i] "\"; id = " i "; fields := struct { u64 " field ";" more " }; };"
        }
    }' "$1/events" >"$1/metadata"
    for cpu in $(cut -d ' ' -f 2 "$1/events" | sort -un); do
        # shellcheck disable=SC2059
        printf "$(awk -v cpu="$cpu" -v context="${2:-}" '
        function put(value, size,   i) {
            for (i = 0; i < size; i++) {
                printf "\\%03o", value % 256
                value = int(value / 256)
            }
        }
        BEGIN { put(3254525889, 4); put(cpu, 4) }
        {
            if (!($4 in numbers)) numbers[$4] = count++
            if ($2 != cpu) next
            put(numbers[$4], 4); put($1, 8)
            if (context) { put(100, 4); put($3, 4) }
            put($5, 8)
            if ($4 ~ /bin_info/) { put(65536, 8); printf "/opt/made\\000" }
        }' "$1/events")" >"$1/stream_$cpu"
    done
    rm "$1/events"
}
