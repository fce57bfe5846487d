#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele collect: traces that are sent over sockets and pipes are the same traces again, whatever the
# network does to them; what is lost is told, and nothing that a sender says does harm.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    echo "SKIP: no python3 to send with"
    exit 77
}
export STELE
ctf=$SOURCE/src/formats/ctf/good
send() { python3 "$SOURCE/tests/cli/collect_send.py" "$@"; }

# start OPTION... : collects in the background into ./got; sets `place` to what the first address says.
start() {
    rm -rf got told
    : >said
    last="stele collect -o got $*"
    "$STELE" collect -o got "$@" >told 2>said </dev/null &
    collector=$!
    tries=0
    while ! grep -q listening said && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    place=$(sed -n 's/^listening at [a-z-]* .*:\([0-9]*\)$/\1/p' said | head -n 1)
}

# end CODE [SIGNAL]: waits for the collector, which is told to stop where there is a signal.
end() {
    [ -z "${2:-}" ] || kill "-$2" "$collector"
    status=0
    wait "$collector" || status=$?
    [ "$status" -eq "$1" ] || complain "exit code $status, expected $1" said
}

# Events as they are, but for what only names files.
events() {
    "$STELE" cat -q --json "$@" | sed 's/"track":{[^}]*}//; s/"stream":[^,}]*,*//'
}

# same_events A B: traces or folders.
same_events() {
    events "$1" >a.json
    events "$2" >b.json
    [ -s a.json ] || complain "no events in $1"
    same a.json b.json
}

# ---- Every format, every way ----

for trace in "$heph/rt_scalars.bin.log" "$heph/heph_tracing_example.bin.log"; do
    start udp:0 --window-time 2s
    send "udp:$place" "$trace" >sent
    end 0 INT
    same_events "$trace" got/127.0.0.1.heph
    start tcp:0 --once
    send "tcp:$place" "$trace" chunk=7 >sent
    end 0
    check "bytes over TCP" cmp "$trace" got/127.0.0.1.heph
done

for trace in packets_18 small_2 lttng_216_2 lttng_216_18 short_times; do
    for when in first last; do
        start udp:0
        send "udp:$place" "$ctf/$trace" "metadata=$when" >sent
        end 0 INT
        same_events "$ctf/$trace" got/127.0.0.1
    done
    start udp:0 --metadata "$ctf/$trace/metadata"
    send "udp:$place" "$ctf/$trace" metadata=none >sent
    end 0 INT
    same_events "$ctf/$trace" got/127.0.0.1
done
for trace in small_2 lttng_216_2 lttng_216_18; do
    start unix:socket --once
    send unix:socket "$ctf/$trace" chunk=50 >sent
    end 0
    same_events "$ctf/$trace" got/local
    check "the socket is removed" test ! -e socket
done
for trace in rfc_le rfc_be; do
    start unix:socket --once
    send unix:socket "$ctf/$trace" >sent
    end 0
    same_events "$ctf/$trace" got/local
done

# Each sender of FXT is a trace of its own.
start tcp:0
send "tcp:$place" "$fxt/events.fxt" chunk=13 >sent
send "tcp:$place" "$fxt/providers.fxt" chunk=100 >sent
send "tcp:$place" "$fxt/big_endian.fxt" >sent
end 0 TERM
check "three traces" test "$(find got -name '*.fxt' | wc -l)" -eq 3
for trace in events providers big_endian; do
    found=no
    for file in got/*.fxt; do
        if cmp -s "$fxt/$trace.fxt" "$file"; then found=yes; fi
    done
    [ $found = yes ] || complain "no file has the bytes of $trace.fxt"
done

mkfifo pipe
start pipe --once --json
send pipe "$heph/rt_scalars.bin.log" >sent
end 0
says told '"missing_packets": 0'
check "bytes through a pipe" cmp "$heph/rt_scalars.bin.log" got/pipe.heph
last="stele collect - <file"
rm -rf got
"$STELE" collect -o got --once - <"$fxt/events.fxt" >told 2>said || complain "exit code $?" said
check "bytes of standard input" cmp "$fxt/events.fxt" got/standard_input.fxt

# ---- A bad network ----

python3 - <<'END'
import struct
def event(stream, counter, start):
    text = b"event %d" % (counter % 7)
    body = struct.pack(">IIQQQH", stream, counter, 1, start, start + 5, len(text)) + text
    return struct.pack(">II", 0xC1FC1FB7, len(body) + 8) + body
with open("many.heph", "wb") as out:
    out.write(struct.pack(">IIH", 0x75D11D4D, 23, 5) + b"epoch" + struct.pack(">Q", 1610113734118010000))
    for i in range(40000):
        out.write(event(i % 4, (i // 4 + 4294967000) % 2**32, i * 10))
END
start udp:0 --json
send "udp:$place" many.heph loss=0.01 reorder=0.05 twice=0.02 seed=7 >sent
lost=$(sed 's/.*lost=\([0-9]*\).*/\1/' sent)
sent=$(sed 's/.*sent=\([0-9]*\).*/\1/' sent)
# The metadata packet is the first that is sent, and may come twice, or be lost, as any other.
end 1 INT
packets=$(sed -n 's/^ *"packets": \([0-9]*\),*/\1/p' told | head -n 1)
missing=$(sed -n 's/^ *"missing_packets": \([0-9]*\),*/\1/p' told)
check "all that were sent ($packets of $sent)" test "$packets" -ge $((sent - 1))
check "all that were sent ($packets of $sent)" test "$packets" -le "$sent"
# What is lost before the first packet of a stream or after its last one cannot be known.
check "missing $missing of $lost" test "$missing" -le "$lost" -a "$missing" -ge $((lost - 8))
says said 'STE018'
expect 1 info -q got/127.0.0.1.heph
says out "Lost .*[0-9] events"

# One trace from several sockets.
start udp:0 udp:0 --window 4096
ports=$(sed -n 's/^listening at udp .*:\([0-9]*\)$/\1/p' said)
for port in $ports; do send "udp:$port" "$heph/rt_scalars.bin.log" >sent; done
end 0 INT
check "one trace" test "$(find got -name '*.heph' | wc -l)" -eq 1
same_events "$heph/rt_scalars.bin.log" got/127.0.0.1.heph # what came twice is there once
start udp:0 udp:0 --by sender
ports=$(sed -n 's/^listening at udp .*:\([0-9]*\)$/\1/p' said)
for port in $ports; do send "udp:$port" "$heph/rt_scalars.bin.log" >sent; done
end 0 INT
check "two traces" test "$(find got -name '*.heph' | wc -l)" -eq 2

# Sizes that are lies cost only themselves.
for how in udp tcp; do
    start "$how:0" --json
    send "$how:$place" many.heph lie=10 stop=2000 >sent
    lies=$(sed 's/.*lies=\([0-9]*\).*/\1/' sent)
    end 1 INT
    says told "\"skipped_bytes\": $lies"
    says told '"packets": 1999,'
    says told '"missing_packets": 0'
    says said 'STE019'
done
head -c 3000 /dev/urandom >noise
start tcp:0 --once
python3 -c "
import socket, sys
s = socket.create_connection(('127.0.0.1', $place))
s.sendall(open('noise', 'rb').read() + open('$heph/rt_scalars.bin.log', 'rb').read())
"
end 1
says said 'STE019'
rm -rf got
head -c 3000 /dev/zero >zeros
for format in heph ctf fxt; do
    expect 1 collect -o got --once --in $format zeros
    rm -rf got
    expect 1 collect -o got --once --in $format noise
    rm -rf got
done

# ---- At any moment ----

start tcp:0 --duration 60s
send "tcp:$place" many.heph stop=20000 chunk=60000 >sent 2>/dev/null &
sender=$!
sleep 0.3
kill -9 "$collector"
wait "$collector" 2>/dev/null
wait "$sender" 2>/dev/null
if [ -e got/127.0.0.1.heph ]; then
    expect 0 check got/127.0.0.1.heph
fi
for signal in INT TERM; do
    start udp:0
    send "udp:$place" "$heph/rt_scalars.bin.log" >sent
    end 0 $signal
    same_events "$heph/rt_scalars.bin.log" got/127.0.0.1.heph
done

# ---- Rotation: each file is a trace, and together they are the whole ----

start tcp:0 --once --rotate-size 100K
send "tcp:$place" many.heph >sent
end 0
count=$(find got -name '*.heph' | wc -l)
check "some files ($count)" test "$count" -gt 10
sum=0
for file in got/*.heph; do
    expect 0 check "$file"
    size=$(wc -c <"$file")
    check "$file has $size bytes" test "$size" -le 102400
    sum=$((sum + $(events "$file" | grep -c '"kind":"complete"')))
done
check "all events ($sum)" test "$sum" -eq 40000
for trace in events providers scheduling; do
    start tcp:0 --once --rotate-size 300
    send "tcp:$place" "$fxt/$trace.fxt" chunk=20 >sent
    end 0
    check "several files" test "$(find got -name '*.fxt' | wc -l)" -gt 1
    # Names and times are known in each file, whatever file they were first said in.
    whole() { "$STELE" cat -q --csv --sort none --time ticks --columns time,kind,category,name "$@"; }
    whole "$fxt/$trace.fxt" | sed 1d | grep -v ',metadata,\|,object,' >a.txt
    for file in got/*.fxt; do whole "$file" | sed 1d; done | grep -v ',metadata,\|,object,' >b.txt
    same a.txt b.txt
done

# Names of processes, threads and pointers hold in all files that follow, as they were when they came: the
# strings that they used are others by then.
python3 - <<'END'
import struct
def words(*all):
    return b"".join(struct.pack("<Q", w) for w in all)
def text(s):
    return s.encode() + b"\0" * (-len(s) % 8)
def record(type, extra, body):
    return words(type | (len(body) // 8 + 1) << 4 | extra) + body
def string(index, s):
    return record(2, index << 16 | len(s) << 32, text(s))
def koid_argument(name_ref, koid):
    return words(8 | 2 << 4 | name_ref << 16, koid)
def pointer_argument(name_ref, pointer):
    return words(7 | 2 << 4 | name_ref << 16, pointer)
out = words(0x0016547846040010) + record(1, 0, words(1000000000))
out += string(1, "server") + string(2, "worker") + string(3, "process") + string(4, "engine")
out += record(3, 1 << 16, words(7, 70))
out += record(7, 1 << 16 | 1 << 24, words(7))  # process 7 is "server"
out += record(7, 2 << 16 | 2 << 24 | 1 << 40, words(70) + koid_argument(3, 7))  # thread 70
out += record(6, 1 << 16 | 4 << 24, words(0x1000))  # pointer 0x1000 of the process of thread 1
for i in range(1, 5):
    out += string(i, "other %d" % i)
out += string(5, "tick") + string(6, "on")
for i in range(40):
    out += record(4, 0 << 16 | 1 << 20 | 1 << 24 | 5 << 32 | 5 << 48, words(i * 10) + pointer_argument(6, 0x1000))
open("objects.fxt", "wb").write(out)
END
start tcp:0 --once --rotate-size 600
send "tcp:$place" objects.fxt chunk=20 >sent
end 0
count=$(find got -name '*.fxt' | wc -l)
check "several files of objects ($count)" test "$count" -gt 2
expect 0 cat -q objects.fxt
says out 'worker'
for file in got/*.fxt; do
    expect 0 cat -q "$file"
    grep tick out | sed 's/^ *[^ ]* *//' >ticks
    check "$file names what it uses" test "$(grep -c 'worker' ticks)" -eq "$(wc -l <ticks)"
    says ticks 'engine'
    expect 0 cat -q --json "$file"
    says out '"server"'
done

# ---- Limits and mistakes ----

start tcp:0 --connections 1
python3 -c "
import socket, time
a = socket.create_connection(('127.0.0.1', $place)); a.sendall(open('$heph/rt_scalars.bin.log', 'rb').read())
b = socket.create_connection(('127.0.0.1', $place)); time.sleep(0.2)
try: b.sendall(b'x'); b.recv(1)
except OSError: pass
"
end 1 INT
says said 'connection was refused'
start tcp:0 --once --size-max 10K
send "tcp:$place" many.heph stop=2000 >sent 2>/dev/null || :
end 1 2>/dev/null || :
says said 'STE022'
check "no more than was allowed" test "$(cat got/*.heph | wc -c)" -le 10240
expect 0 check got/*.heph
mkdir full && echo x >full/file
expect 4 collect -o full --once - <zeros
says err 'not empty'
expect 2 collect -o new tcp:99999
expect 2 collect -o new tcp:0 --listen nowhere
expect 2 collect tcp:0
expect 2 collect -o new --in xray tcp:0
expect 2 collect -o new --rotate-size much tcp:0
finish
