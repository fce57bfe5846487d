#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele collect among many that reach it: whoever has something to send is served, however many
# connections and addresses there are that send nothing, or bytes that are not a packet.
. "$SOURCE/tests/cli/lib.sh"
have python3 || {
    echo "SKIP: no python3 to send with"
    exit 77
}
trace=$heph/rt_scalars.bin.log

start() {
    rm -rf got told
    : >said
    last="stele collect -o got $*"
    "$STELE" collect -o got --json "$@" >told 2>said </dev/null &
    collector=$!
    tries=0
    while ! grep -q listening said && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    place=$(sed -n 's/^listening at [a-z-]* .*:\([0-9]*\)$/\1/p' said | head -n 1)
}

end() {
    kill -INT "$collector"
    status=0
    wait "$collector" || status=$?
    [ "$status" -eq "$1" ] || complain "exit code $status, expected $1" said
}

# crowd WHAT: 300 connections that are kept open and send nothing, one byte, or bytes now and then;
# then one sends the trace and waits until it was taken.
crowd() {
    python3 - "$place" "$trace" "$1" <<'END'
import socket, sys, time
place, path, what = int(sys.argv[1]), sys.argv[2], sys.argv[3]
others = []
for i in range(300):
    s = socket.create_connection(("127.0.0.1", place))
    if what != "nothing":
        s.sendall(b"\xc1")
    others.append(s)
    if what == "drip":
        for other in others[-8:]:
            try:
                other.sendall(b"\xc1")
            except OSError:
                pass
s = socket.create_connection(("127.0.0.1", place))
s.sendall(open(path, "rb").read())
s.shutdown(socket.SHUT_WR)
s.recv(1)  # ends when the other side has read all
END
}

for what in nothing byte drip; do
    start tcp:0 --connections 16
    crowd $what || complain "the sender among those that send $what was cut off"
    # Bytes that are no packet are findings; connections that sent none are not.
    if [ $what = nothing ]; then end 0; else end 1; fi
    check "the trace of the sender, with $what" cmp "$trace" got/127.0.0.1.heph
    says said 'gave way'
    lines_of=$(grep -c 'gave way' said)
    check "one remark for all ($lines_of)" test "$lines_of" -eq 1
    given=$(sed -n 's/^ *"gave_way": \([0-9]*\),*/\1/p' told)
    check "those that gave way: $given" test "$given" -ge 285
done

# A limit of open files is no other.
: >said
(
    ulimit -n 64
    "$STELE" collect -o many --json --connections 1000 tcp:0 >told 2>said </dev/null &
    echo $! >pid
    wait $!
    echo $? >code
) &
tries=0
while ! grep -q listening said && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
place=$(sed -n 's/^listening at [a-z-]* .*:\([0-9]*\)$/\1/p' said | head -n 1)
crowd nothing || complain "the sender was cut off where files are few"
kill -INT "$(cat pid)"
wait
check "exit code $(cat code)" test "$(cat code)" -eq 0
check "the trace of the sender, with few files" cmp "$trace" many/127.0.0.1.heph

# Those that sent packets stay as long as they may be quiet; after that they give way, too, which is a
# finding, since more could have come of them.
packets='
import socket, sys
place, path, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
data = open(path, "rb").read()
all = []
for i in range(count):
    s = socket.create_connection(("127.0.0.1", place))
    s.sendall(data)
    all.append(s)
    if i + 1 == count:
        s.shutdown(socket.SHUT_WR)
        s.recv(1)
'
start tcp:0 --connections 4 --by sender
last="five senders of packets, four at a time" # the fifth is closed without being read
python3 -c "$packets" "$place" "$trace" 5 2>/dev/null
end 1
check "four traces" test "$(find got -name '*.heph' | wc -l)" -eq 4
says said 'connection was refused'
says told '"refused": 1,*$'
start tcp:0 --connections 4 --by sender --connection-idle 1ns
last="five senders of packets, of which the first gives way"
python3 -c "$packets" "$place" "$trace" 5 || complain "the fifth sender was cut off"
end 1
check "five traces" test "$(find got -name '*.heph' | wc -l)" -eq 5
says said 'gave way'
says told '"gave_way": 1,*$'

# Addresses that datagrams come from: there are more of them than senders that can be known.
start udp:0 --socket-buffer 16M
python3 - "$place" "$trace" <<'END'
import socket, struct, sys
place, data = int(sys.argv[1]), open(sys.argv[2], "rb").read()
packets, at = [], 0
while at < len(data):
    (size,) = struct.unpack_from(">I", data, at + 4)
    packets.append(data[at : at + size])
    at += size
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.connect(("127.0.0.1", place))
for number in range(9000):
    if number == 4500:
        sender.send(packets[0])
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.%d.%d" % (1 + number // 200, 1 + number % 200), 0))
    s.sendto(b"nothing of any kind", ("127.0.0.1", place))
    s.close()
for packet in packets[1:]:
    sender.send(packet)
END
end 1
check "the trace of the sender of datagrams" cmp "$trace" got/127.0.0.1.heph
says told '"refused": 0,*$'
finish
