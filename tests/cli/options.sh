#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One table, options.def, describes the command line. Here it is read by other means, and help,
# manual pages, completions and the parser must hold what it says: all of it, and nothing else.
. "$SOURCE/tests/cli/lib.sh"

# table: COMMAND OPTION SHORT VALUE, one line for each option of each command; "whole" is that.
awk '
    function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
    BEGIN { slicing = "^INSN_(SLICE|SPLIT|JOIN)$" }
    NR == FNR { # the least number that an option takes, where that is not 0
        if (/^STELE_RANGE\(/) { split($0, part, /[(,]/); least[trim(part[2])] = trim(part[3]) }
        next
    }
    /^STELE_COMMAND\(/ {
        split($0, part, /[(,]/)
        id = trim(part[2]); name = trim(part[3]); gsub(/"/, "", name)
        gsub(/ /, "+", name) # one word for "insn mix"
        if (name ~ /^insn\+/ && id !~ slicing) insns = insns "|" id
        names[id] = name == "" ? "whole" : name
        ids[++id_count] = id
    }
    /^STELE_OPTION\(/ { entry = ""; inside = 1 }
    inside { entry = entry " " trim($0) }
    inside && /\)$/ {
        inside = 0
        sub(/^ *STELE_OPTION\(/, "", entry)
        split(entry, part, ",")
        short = trim(part[2]); gsub(/\047/, "", short); if (short == "0") short = "-"
        name = trim(part[3]); gsub(/"/, "", name)
        type = trim(part[4])
        choice = trim(part[6]); gsub(/"/, "", choice); sub(/ .*/, "", choice)
        value = type == "FLAG" ? "-" : type == "CHOICE" ? choice : type == "COUNT" ? (least[trim(part[1])] > 1 ? least[trim(part[1])] : "1") : \
            type == "FORMAT" ? "heph" : type == "TARGET" ? "json" : type == "KINDS" ? "*" : "x"
        commands = trim(part[8])
        gsub(/CONFINED/, "FILTERING|REPAIR|CHAINS|DUMP|INSNS|SLICING|WHY|REPORT|SYMBOLS|INDEX|CTF_METADATA", commands)
        gsub(/READING/, "FILTERING|REPAIR|CHAINS|DUMP|INSNS|SLICING|QUERY|VIEW|WHY|REPORT", commands)
        gsub(/SLICING/, "INSN_SLICE|INSN_SPLIT|INSN_JOIN", commands)
        gsub(/INSN_TABLES/, "INSN_MIX|INSN_BLOCKS|INSN_BRANCHES|INSN_MEMORY|INSN_CACHE|INSN_SYSCALLS", commands)
        gsub(/INSNS/, substr(insns, 2), commands)
        gsub(/FILTERING/, "INFO|CAT|CHECK|WRITING|SPLIT|STATS|CALLING|SCHED|KERNEL|TIMELINE|BUSIEST", commands)
        gsub(/WRITING/, "CONVERT|MERGE|CUT", commands)
        gsub(/CALLING/, "PROFILE|FLAME|GRAPH|DIFF|SPANNING", commands)
        gsub(/SPANNING/, "CALLS|REPLAY|LATENCY|CRITICAL", commands)
        gsub(/[ ()]/, "", commands)
        except = ""
        if (match(commands, /&~[A-Z_]+/)) {
            except = substr(commands, RSTART + 2, RLENGTH - 2)
            sub(/&~[A-Z_]+/, "", commands)
        }
        for (i = 1; i <= id_count; i++)
            if (ids[i] != except && (commands == "ALL" || index("|" commands "|", "|" ids[i] "|")))
                print names[ids[i]], name, short, value
    }
' "$SOURCE/src/cli/options.def" "$SOURCE/src/cli/options.def" >table
check "the table was read" test "$(wc -l <table)" -gt 80
commands=$(cut -d ' ' -f 1 table | sort -u)
options=$(cut -d ' ' -f 2 table | sort -u)
turn=0

for shell in bash zsh fish; do
    expect 0 help --completion $shell
    mv out completion.$shell
done
expect 0 help --pages
mv out pages
check "as many pages as commands" test "$(wc -l <pages)" -eq "$(echo "$commands" | wc -l)"

for command in $commands; do
    group='' word=$command
    case $command in
    whole) name='' page=stele ;;
    *+*) group=${command%+*} word=${command#*+} name="$group $word" page=stele-$group-$word ;;
    *) name=$command page=stele-$command ;;
    esac
    awk -v "name=$command" '$1 == name' table >own
    grep -qx "$page" pages || complain "no manual page $page" pages

    # The help and the manual page have exactly the options of the table.
    cut -d ' ' -f 2 own | sort >wanted
    expect 0 $name --help
    sed -n 's/^  ...  *--\([a-z0-9-]*\).*/\1/p; s/^  -., --\([a-z0-9-]*\).*/\1/p' out | sort -u >listed
    same listed wanted
    expect 0 help --scdoc $page
    sed -n 's/^\(\*-.\*, \)*\*--\([a-z0-9-]*\)\*.*/\2/p' out | sort >listed
    same listed wanted

    # So have the completions.
    sed -n "s/^        '$name') words='\([^']*\)'.*/\1/p" completion.bash | tr ' ' '\n' |
        sed -n 's/^--//p' | sort >listed
    same listed wanted
    seen=__fish_seen_subcommand_from
    if [ -z "$name" ]; then
        sed -n '/^_stele()/,/->command/p' completion.zsh >part
        condition=__fish_use_subcommand
    elif grep -q "^_stele_$name()" completion.zsh; then
        sed -n "/^_stele_$name()/,/->command/p" completion.zsh >part
        condition="$seen $name; and not $seen [a-z ]*"
    else
        sed -n "/^_stele${group:+_}$group()/,/^}/p" completion.zsh |
            sed -n "/^        $word)\$/,/;;/p" >part
        condition="${group:+$seen $group; and }$seen $word"
    fi
    sed -n "s/^ *'\**--\([a-z0-9-]*\).*/\1/p" part | sort >listed
    same listed wanted
    sed -n "s/^complete -c stele -n '$condition' -l \([a-z0-9-]*\).*/\1/p" completion.fish | sort >listed
    same listed wanted

    # The parser takes them, in all the ways they can be written ...
    while read -r _ option short value; do
        if [ "$value" = - ]; then
            expect 0 $name "--$option" --help
            expect 2 $name "--$option=1" --help
            says err "takes no value"
            [ "$short" = - ] || expect 0 $name "-$short" --help
        else
            expect 0 $name "--$option=$value" --help
            expect 0 $name "--$option" "$value" --help
            expect 2 $name "--$option"
            says err "needs a value"
            [ "$short" = - ] || expect 0 $name "-$short" "$value" --help
            [ "$short" = - ] || expect 0 $name "-$short$value" --help
        fi
    done <own
    # ... and no others: of so many, each time another eighth.
    for option in $options; do
        turn=$(((turn + 3) % 8))
        [ $turn -ne 0 ] || grep -qx "$option" wanted || expect 2 $name "--$option" --help
    done
    for short in a b c d e f g h i j k l m n o p q r s t u v w x y z; do
        turn=$(((turn + 3) % 8))
        [ $turn -ne 0 ] || grep -q "^[^ ]* [a-z0-9-]* $short " own || {
            expect 2 $name "-$short" --help
            says err "unknown option '-$short'"
        }
    done
done
finish
