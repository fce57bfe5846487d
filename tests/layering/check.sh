#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh ROOT
# Who may include whom (docs/architecture.md). Arrows only run downwards:
#
#     core, a64 <- model <- query <- flow <- { formats, sinks, symbols, analysis } <- tables <- library
#                                              formats <- collect
#
# Those in braces never see each other, and no format sees another. The public headers see only each
# other; everybody sees them. cli is a client of the library: it sees the public headers and its own.
# view, which cli shows, is another one.
# extension is cli/sql for other programs.
# What lies in tools/ has another licence and sees nothing of Stele. Floors inside a format
# and inside analysis are listed below. Prints every include that breaks this and exits 1.
set -eu
cd "$1"

# Layer -> the layers whose headers it may include, beside its own and the public ones. The folder
# of a format is the layer formats/NAME; what lies directly in src/formats is the layer formats.
rules='
public:
core:
a64:
model: core a64
query: core model
flow: core model query
formats: core model query flow
formats/*: core a64 model query flow formats
sinks: core a64 model query flow
analysis: core a64 model query flow
symbols: core model
tables: core model query flow sinks analysis
record: core formats formats/*
library: core formats sinks analysis symbols tables
view:
cli: view
extension: cli
collect: core model formats
tools:
'

# Folder inside a layer -> the others whose headers it may include, beside its own and those that
# lie directly in the layer's folder. What holds for formats/* holds for a format that has no line
# of its own.
floors='
model/kernel:
formats/*/records:
formats/*/read: records
formats/*/write: records read
formats/ctf/schema:
formats/ctf/rfc: schema
formats/ctf/metadata: schema rfc
formats/ctf/records: schema
formats/ctf/read: schema rfc metadata records
formats/ctf/write: schema rfc metadata records read
analysis/events:
analysis/insn: events
view/report:
cli/show:
cli/insn: show
cli/page: show insn
cli/sql: show
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
    # The folder inside a layer; "" for what lies directly in it.
    function floor_of(path,    parts, depth, at) {
        depth = split(path, parts, "/")
        at = layer_of(path) ~ /^formats\// ? 4 : 3
        return depth > at ? parts[at] : ""
    }
    # The name under which the rules of a floor stand.
    function floor_rule(layer, floor) {
        return (layer "/" floor) in known ? layer "/" floor : rule_of(layer) "/" floor
    }
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
        else if (layer_of(from) !~ /^(public|tools)$/ && floor_of(from) != "" &&
                 !(floor_rule(layer_of(from), floor_of(from)) in known))
            complain("lies in a folder of a layer that this check does not know")
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
        if (a != b) next
        c = floor_of(from); d = floor_of(to)
        if (c != d && c != "" && d != "" && !((floor_rule(a, c), d) in may_inside))
            complain(a "/" c " must not include " to)
    }
    END {
        if (!bad) print files + 0 " files keep to their layers"
        exit bad
    }
'
