#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh ROOT
# Who may include whom (docs/architecture.md). Arrows only run downwards:
#
#     core <- model <- { formats, sinks, analysis, symbols, query } <- { cli, net }
#
# The five never see each other and no format sees another. The public headers see only each other;
# everybody sees them. cli and net also use core's text and output, which the five are handed; the
# model reaches them through the public headers. What lies in tools/ has another licence and sees
# nothing of Stele. Floors inside a format are listed below. Prints every include that breaks this
# and exits 1.
set -eu
cd "$1"

# Layer -> the layers whose headers it may include, beside its own and the public ones. The folder
# of a format is the layer formats/NAME; what lies directly in src/formats is the layer formats.
rules='
public:
core:
model: core
formats: core model
formats/*: core model formats
sinks: core model
analysis: core model
symbols: core model
query: core model
record: core formats formats/*
cli: core formats sinks analysis symbols query
net: core formats sinks analysis symbols query
tools:
'

# Folder inside a format -> the others whose headers it may include, beside its own and those that
# lie directly in the format's folder.
floors='
formats/ctf/schema:
formats/ctf/rfc: schema
formats/ctf/metadata: schema rfc
formats/ctf/decode: schema
formats/ctf/trace: schema rfc metadata decode
formats/ctf/write: schema rfc metadata decode trace
'

folders=$(ls -d include src tools 2>/dev/null || :)
files=$([ -z "$folders" ] || find $folders -name '*.[ch]' -o -name '*.def' | sort)
{
    printf '%s\n' "$rules" | sed -n 's/^\([^:]*\):\(.*\)/rule \1 \2/p'
    printf '%s\n' "$floors" | sed -n 's/^\([^:]*\):\(.*\)/floor \1 \2/p'
    for file in $files; do
        echo "file $file"
    done
    for file in $files; do
        sed -n "s|^[[:space:]]*#[[:space:]]*include[[:space:]]*\([\"<]\)\([^\">]*\).*|include $file \1 \2|p" "$file"
    done
} | awk '
    function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    function layer_of(path,    parts, depth) {
        if (path ~ /^include\/stele\//) return "public"
        if (path ~ /^tools\//) return "tools"
        depth = split(path, parts, "/")
        if (parts[1] != "src" || depth < 3) return "none"
        if (parts[2] == "formats" && depth > 3) return "formats/" parts[3]
        return parts[2]
    }
    # The folder inside a format; "" for what lies directly in it.
    function floor_of(path,    parts) { return split(path, parts, "/") > 4 ? parts[4] : "" }
    function rule_of(layer) { return layer ~ /^formats\// ? "formats/*" : layer }
    function complain(text) { print from ": " text; bad = 1 }

    $1 == "rule" { known[$2] = 1; for (i = 3; i <= NF; i++) may[$2, $i] = 1 }
    $1 == "floor" { known[$2] = 1; for (i = 3; i <= NF; i++) may_inside[$2, $i] = 1 }
    $1 == "file" {
        exists[$2] = 1
        files++
        from = $2
        if (!(rule_of(layer_of(from)) in known))
            complain("lies in no layer that this check knows")
        else if (layer_of(from) ~ /^formats\// && floor_of(from) != "" &&
                 !((layer_of(from) "/" floor_of(from)) in known))
            complain("lies in a folder of a format that this check does not know")
    }
    $1 == "include" {
        from = $2; name = $4
        if (name ~ /\.\./) { complain("includes " name ": write the path from src/"); next }
        to = ""
        if ($3 == "\"" && (folder_of(from) "/" name) in exists) to = folder_of(from) "/" name
        else if (("include/" name) in exists) to = "include/" name
        else if ($3 == "\"" && ("src/" name) in exists) to = "src/" name
        if (to == "") {
            if (name ~ /^stele\//) complain("includes <" name ">, which is not there")
            else if ($3 == "\"" && name != "stele_config.h") complain("includes " name ", which is not there")
            next
        }
        a = layer_of(from); b = layer_of(to)
        if (a != b && (b != "public" || a == "tools") && !((rule_of(a), rule_of(b)) in may))
            complain("layer " a " must not include " to " of layer " b)
        if (a != b || a !~ /^formats\//) next
        c = floor_of(from); d = floor_of(to)
        if (c != d && c != "" && d != "" && !((a "/" c, d) in may_inside))
            complain(a "/" c " must not include " to)
    }
    END {
        if (!bad) print files + 0 " files keep to their layers"
        exit bad
    }
'
