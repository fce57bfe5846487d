#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: shards.sh BUILD FOLDER [COUNT]
# A trace of COUNT events of FXT (100,000,000) in two shards, each a server of ClickHouse on the
# loopback, as docs/scale.md has it: CPU seconds of each step, bytes on disk and memory of each
# server, and answers beside those of 'stele query'. BUILD is a build with -DSTELE_BUILD_BENCH=ON;
# 36 bytes a record are needed in FOLDER, and about as much again for the servers.
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
cd "$2"
count=${3:-100000000}
stele=$build/stele
base=$((20000 + $$ % 20000))
pids=
stop() {
    for pid in $pids; do kill "$pid" 2>/dev/null || :; done
    for pid in $pids; do wait "$pid" 2>/dev/null || :; done
    rm -rf server0 server1
}
trap stop EXIT

start() {
    here=$PWD/server$1
    port=$((base + 10 * $1))
    mkdir -p "$here/data" "$here/tmp"
    cat >"$here/config.xml" <<XML
<yandex>
    <logger><level>warning</level><log>$here/log</log><errorlog>$here/errors</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <http_port>$((port + 1))</http_port>
    <tcp_port>$port</tcp_port>
    <path>$here/data/</path>
    <tmp_path>$here/tmp/</tmp_path>
    <mark_cache_size>67108864</mark_cache_size>
    <users_config>$here/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <remote_servers><shards>
        <shard><replica><host>127.0.0.1</host><port>$base</port></replica></shard>
        <shard><replica><host>127.0.0.1</host><port>$((base + 10))</port></replica></shard>
    </shards></remote_servers>
</yandex>
XML
    cat >"$here/users.xml" <<XML
<yandex>
    <profiles><default><max_threads>1</max_threads></default></profiles>
    <quotas><default></default></quotas>
    <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota></default></users>
</yandex>
XML
    clickhouse-server --config-file="$here/config.xml" >"$here/out" 2>&1 &
    pids="$pids $!"
    eval "pid$1=$!"
}

ask() {
    clickhouse-client --host 127.0.0.1 --port $((base + 10 * $1)) -q "$2"
}

# CPU seconds that a server has used
used() {
    eval "pid=\$pid$1"
    awk -v hz="$(getconf CLK_TCK)" '{ printf "%.1f\n", ($14 + $15) / hz }' "/proc/$pid/stat"
}

less() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a - b }'; }

[ -e "shards-$count.fxt" ] || "$build/bench_gen_fxt" "$count" >"shards-$count.fxt"
trace=$PWD/shards-$count.fxt
start 0
start 1
for server in 0 1; do
    tries=0
    until ask $server 'select 1' >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || exit 1
        sleep 0.2
    done
done
for server in 0 1; do
    ask $server 'create table event (ts Nullable(Int64), dur Nullable(Int64), name Nullable(String),
        kind String, track Nullable(UInt32)) engine = MergeTree order by tuple()'
    before=$(used $server)
    { /usr/bin/time -f 'shard: stele %U + %S s, %M KB' "$stele" convert "$trace" \
        --to clickhouse-native -o - --shard $server --shards 2 --columns ts,dur,name,kind,track \
        --quiet; } 2>"made$server" | clickhouse-client --host 127.0.0.1 \
        --port $((base + 10 * server)) -q 'insert into event format Native'
    tail -n 1 "made$server"
    echo "shard: server $(less "$(used $server)" "$before") s, $(ask $server \
        'select count() from event') rows, $(du -sm "server$server/data" | cut -f 1) MB on disk"
done
ask 0 'create table events as event engine = Distributed(shards, default, event)'

# both NAME SQL-OF-CLICKHOUSE SQL-OF-DUCKDB: the answers are the same, and what they took
both() {
    a=$(used 0) b=$(used 1)
    ask 0 "$2" | sort >have
    a=$(less "$(used 0)" "$a") b=$(less "$(used 1)" "$b")
    /usr/bin/time -f '%U %S' -o time "$stele" query --csv "$trace" "$3" | tail -n +2 | tr ',' '\t' |
        sort >wanted
    cmp -s have wanted && same=equal || same=DIFFERENT
    echo "$1: servers $a and $b s, stele query $(awk '{ print $1 + $2 }' time) s, $same"
}
both 'count' 'select count() from events' 'select count(*) from event'
both 'count by name' "select ifNull(name, ''), count() from events group by name" \
    "select coalesce(name, ''), count(*) from event group by name"
both 'sum and max of dur by name' "select ifNull(name, ''), count(), sum(dur), max(dur) from events
    where kind = 'complete' group by name" "select coalesce(name, ''), count(*), sum(dur), max(dur)
    from event where kind = 'complete' group by name"
for pid in $pids; do
    awk '/VmHWM/ { print "server: at most", int($2 / 1024), "MB of memory" }' "/proc/$pid/status"
done
