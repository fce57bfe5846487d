#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two servers of ClickHouse on the loopback hold a trace in shards, loaded by
# 'stele convert --to clickhouse-native', and answer as 'stele' itself does. Starts the servers in
# this folder, and stops them. STELE is the command, SOURCE the repository.
. "$SOURCE/tests/cli/lib.sh"
have clickhouse-server || {
    echo "SKIP: clickhouse-server is not installed"
    exit 77
}
have clickhouse-client || {
    echo "SKIP: clickhouse-client is not installed"
    exit 77
}
trace=$fxt/events.fxt
lttng=$SOURCE/src/formats/ctf/good/lttng_216_2
pids=
stop() {
    for pid in $pids; do kill "$pid" 2>/dev/null; done
    for pid in $pids; do wait "$pid" 2>/dev/null; done
    rm -rf "$folder"
}
trap stop EXIT
base=$((20000 + $$ % 20000))

# start NUMBER: a server on the ports base + 10 * NUMBER and the next ones
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
    <interserver_http_port>$((port + 2))</interserver_http_port>
    <interserver_http_host>127.0.0.1</interserver_http_host>
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
}

# ask NUMBER SQL: answers are lines
ask() {
    clickhouse-client --host 127.0.0.1 --port $((base + 10 * $1)) -q "$2"
}

start 0
start 1
for server in 0 1; do
    tries=0
    until ask $server 'select 1' >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || {
            complain "server $server does not answer" "server$server/log"
            finish
        }
        sleep 0.2
    done
done

# load TRACE: each server gets its shard
load() {
    for server in 0 1; do
        ask $server 'drop table if exists event'
        ask $server 'create table event (ts Nullable(Int64), dur Nullable(Int64), name Nullable(String),
            kind String, track Nullable(UInt32), byte_size UInt32, byte_offset UInt64) engine = Log'
        "$STELE" convert "$1" --to clickhouse-native -o - --shard $server --shards 2 \
            --columns ts,dur,name,kind,track,byte_size,byte_offset 2>err >block ||
            complain "no shard $server of $1" err
        [ ! -s block ] ||
            clickhouse-client --host 127.0.0.1 --port $((base + 10 * server)) \
                -q 'insert into event format Native' <block 2>err || complain "not taken" err
    done
    ask 0 'drop table if exists events'
    ask 0 'create table events as event engine = Distributed(shards, default, event)'
}

for one in "$trace" "$lttng"; do
    last="a trace in two shards: $one"
    load "$one"
    "$STELE" cat --csv --unsorted --columns kind,size,offset "$one" 2>/dev/null | tail -n +2 >lines
    awk -F , '{ n++; bytes += $2; at += $3 } END { print n "\t" bytes "\t" at }' lines >wanted
    ask 0 'select count(), sum(byte_size), sum(byte_offset) from events' >have
    same have wanted
    cut -d , -f 1 lines | sort | uniq -c | awk '{ print $2 "\t" $1 }' >wanted
    ask 0 'select kind, count() from events group by kind order by kind' >have
    LC_ALL=C sort have >have.sorted
    LC_ALL=C sort wanted >wanted.sorted
    same have.sorted wanted.sorted
    # Each track is in one shard.
    first=$(ask 0 'select count() from (select distinct track from event where track is not null)')
    second=$(ask 1 'select count() from (select distinct track from event where track is not null)')
    all=$(ask 0 'select count() from (select distinct track from events where track is not null)')
    check "tracks are not torn" test $((first + second)) -eq "$all"
done
finish
