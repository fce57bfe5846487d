#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Events of every format written as CTF come back as what they were: kinds, ends, ids, tracks with
# their names, categories, fields of all types; other readers see plain events with fields.
. "$SOURCE/tests/cli/lib.sh"

# Times from the first that there is: events without a time stand anywhere.
from_first() {
    LC_ALL=C awk -F, -v OFS=, 'NR > 1 && $1 != "" { if (first == "" || $1 < first) first = $1 }
        { line[NR] = $0 }
        END { for (i = 2; i <= NR; i++) { $0 = line[i]; if ($1 != "") $1 = sprintf("%.9f", $1 - first); print } }' |
        LC_ALL=C sort
}

# What an event is. Losses become gaps, which is counted; of equal times, streams may be in another
# order.
events() {
    "$STELE" cat --csv "$1" \
        --columns=time,dur,kind,value,id,category,name,track,pid,tid,cpu,flags,fields 2>/dev/null |
        LC_ALL=C grep -av '^[^,]*,[^,]*,lost,' |
        LC_ALL=C sed 's/LATE//; s/^\([^,]*,[^,]*,complete,\)[^,]*,[^,]*,/\1,,/' | from_first
}

count=0
for trace in "$SOURCE"/src/formats/fxt/good/*.fxt "$SOURCE"/src/formats/heph/good/*.log \
    "$SOURCE"/src/formats/heph/good/*.heph "$SOURCE"/src/formats/xray/good/*.xray \
    "$SOURCE"/src/formats/xtrace/good/*.bin; do
    events "$trace" >whole
    for version in 1.8 2; do
        rm -rf made
        last="stele convert $trace to CTF $version"
        "$STELE" convert "$trace" -o made --to ctf --to-version $version >/dev/null 2>err
        says_not err 'kind as a field\|name of a track\|no thread or CPU\|as a number\|as bytes'
        says_not err 'zero\|structure\|renamed\|dropped'
        cp whole once
        events made >twice
        case $trace in
        */empty.*) ;;
        *.xinsndata.bin) # instructions are no ns: so the table of losses says
            says err 'ticks of unknown length as nanoseconds'
            sed -i 's/^[^,]*,//' once twice
            ;;
        */attributes.heph)
            says err 'time beyond 64 bits of nanoseconds'
            sed -i '/"largest stream, substream and time"/d' once twice
            ;;
        */objects.fxt)
            [ $version = 1.8 ] || says err 'label that is no UTF-8'
            [ $version = 1.8 ] || sed -i '/ raw)/d' once twice
            ;;
        esac
        sort -o once once
        sort -o twice twice
        same once twice
    done
    # What is wrong with the events themselves came along.
    if "$STELE" check "$trace" 2>/dev/null | grep -q ' 0 errors'; then
        "$STELE" check made >out 2>/dev/null
        says out ' 0 errors'
    fi
    count=$((count + 1))
done
[ "$count" -gt 30 ] || complain "only $count traces"

# Functions are LTTng's, so that others draw their stacks.
trace=$SOURCE/src/formats/xray/good/recur.14.basic3.xray
rm -rf made
"$STELE" convert "$trace" -o made --to ctf >/dev/null 2>&1
for text in 'lttng_ust_cyg_profile:func_entry' 'lttng_ust_cyg_profile:func_exit' '_addr;' \
    '_call_site;' 'vtid;' 'procname;' 'domain = "ust"' 'stele_events = 1'; do
    grep -qF "$text" made/metadata || complain "no $text"
done
expect 0 cat --ctf-pretty made
says out 'lttng_ust_cyg_profile:func_entry: .*vtid = .*addr = 0x'

# Without the mark they are plain events: nothing is guessed.
mkdir plain
cp -r made/. plain
sed 's/stele_events = 1/stele_events = 2/' made/metadata >plain/metadata
"$STELE" cat --csv --columns=kind,name plain 2>/dev/null | sort | uniq -c >out
says out 'instant,func_entry'
says_not out 'begin,'

# Marks of fields that do not suit their classes say nothing: the events are all there.
trace=$SOURCE/src/formats/fxt/good/events.fxt
for version in 1.8 2; do
    rm -rf made plain
    "$STELE" convert "$trace" -o made --to ctf --to-version $version >/dev/null 2>&1
    "$STELE" cat --json made 2>/dev/null | wc -l >once
    for marks in '' '|' '((((((((' '----------------' '{{{{[[<<' '|a' '|=;=;=;' '^^^^' '}}}}' '|eeeeeeee' \
        '|........................................' 'xsiuxsiuxsiu|xsiuxsiu' '|nnnnnnnn' '|.=%;p=%4'; do
        rm -rf plain
        mkdir plain
        cp -r made/. plain
        sed "s/\(stele_fields_[0-9]*_[0-9]*\"*[ =:]*\)\"[^\"]*\"/\1\"$marks\"/g" made/metadata >plain/metadata
        "$STELE" cat --json plain >out 2>err || complain "marks '$marks' are an error"
        wc -l <out >twice
        same once twice
    done
done

# A span that began before the begin is in the part that it overlaps.
"$STELE" cat --csv --columns=kind,name,dur --begin 1us \
    "$SOURCE/src/formats/heph/good/zero_length_overlap.heph" 2>/dev/null | sort >once
"$STELE" convert "$SOURCE/src/formats/heph/good/zero_length_overlap.heph" -o overlap --to ctf \
    >/dev/null 2>&1
"$STELE" cat --csv --columns=kind,name,dur --begin 1us overlap 2>/dev/null | sort >twice
same once twice

finish
