#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: files.sh SOURCE [--write]
# Every format's FORMAT.md lists the format's files, each with the first sentence of the comment that
# opens it (of the header, where the source file has none), and docs/modules.md those of all other
# folders. --write puts the lists in their place. The top folder holds what is named here alone: what a
# program left there by mistake is found.
set -eu
cd "$1"
mode=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# sentence FILE: the first sentence of the comment after the licence's line; nothing if there is none.
sentence() {
    awk '
        NR == 1 { next }
        NR == 2 && !/^\/\*|^\/\/ / { exit }
        NR == 2 { is_line = /^\/\// }
        is_line && !/^\/\/ / { exit }
        {
            is_last = /\*\//
            sub(/^\/\/ /, "")
            sub(/\*\/.*$/, "")
            gsub(/^\/\*|^ \*/, "")
            gsub(/^[ \t]+|[ \t]+$/, "")
            if ($0 == "" && text != "")
                exit
            text = text (text != "" && $0 != "" ? " " : "") $0
            if (is_last)
                exit
        }
        END {
            if (match(text, /\. [A-Z`"<]/))
                text = substr(text, 1, RSTART)
            gsub(/\|/, "\\|", text)
            sub(/[.:]$/, "", text)
            print text
        }' "$1"
}

list() { # list FOLDER [only]: not what is in folders of it
    echo '| file | what |'
    echo '|---|---|'
    git ls-files "$1" 2>/dev/null | grep -E '\.(c|h|def|js)$' | grep -vE '/(good|bad|by_hand)/' |
        { [ -z "${2:-}" ] && cat || grep -E "^$1/[^/]*\$"; } | sort >"$tmp/files"
    while read -r file; do
        stem=${file%.*}
        case $file in
        */codes.[ch]) continue ;; # made from codes.def
        *.c)
            text=$(sentence "$file")
            [ -n "$text" ] || [ ! -e "$stem.h" ] || text=$(sentence "$stem.h")
            ;;
        *.h)
            [ ! -e "$stem.c" ] || continue
            text=$(sentence "$file")
            ;;
        *) text=$(sentence "$file") ;;
        esac
        if [ -z "$text" ]; then
            echo "$file: no opening comment says what it is" >&2
            echo "$file" >>"$tmp/silent"
        fi
        printf '| `%s` | %s |\n' "${file#"$1"/}" "$text"
    done <"$tmp/files"
}

command -v git >/dev/null && git rev-parse >/dev/null 2>&1 || {
    echo "SKIP: not a checkout of git, which names the files"
    exit 77
}
for page in src/formats/*/FORMAT.md; do
    list "$(dirname "$page")" >"$tmp/list"
    awk -v list="$tmp/list" '
        /^<!-- files -->$/ {
            print
            while ((getline line <list) > 0)
                print line
            is_inside = found = 1
        }
        /^<!-- end of files -->$/ { is_inside = 0 }
        !is_inside
        END { exit !found }' "$page" >"$tmp/page" || {
        echo "$page: no line <!-- files --> says where the list of files is"
        failed=1
        continue
    }
    cmp -s "$page" "$tmp/page" && continue
    if [ "$mode" = --write ]; then
        cp "$tmp/page" "$page"
        echo "written: $page"
    else
        echo "$page: the list of files is not what the files say (tests/docs/files.sh . --write)"
        diff "$page" "$tmp/page" | head -n 10
        failed=1
    fi
done
{
    sed '/^## /,$d' docs/modules.md
    git ls-files src | grep -E '\.(c|h|def|js)$' | grep -vE '^src/formats/[^/]*/' | xargs -n1 dirname |
        sort -u | while read -r folder; do
        printf '## `%s`\n\n' "$folder"
        list "$folder" only
        echo
    done | sed '$d'
} >"$tmp/page"
if ! cmp -s docs/modules.md "$tmp/page"; then
    if [ "$mode" = --write ]; then
        cp "$tmp/page" docs/modules.md
        echo "written: docs/modules.md"
    else
        echo "docs/modules.md is not what the files say (tests/docs/files.sh . --write)"
        diff docs/modules.md "$tmp/page" | head -n 10
        failed=1
    fi
fi
[ ! -e "$tmp/silent" ] || failed=1
for file in $(git ls-files | grep -v /); do
    case $file in
    .clang-format | .clang-tidy | .gitignore | .shellcheckrc | CMakeLists.txt | CMakePresets.json) ;;
    CHANGELOG.md | CONTRIBUTING.md | LICENSE | Makefile | README.md | setup) ;;
    *)
        echo "$file: not a file that belongs in the top folder (tests/docs/files.sh lists them)"
        failed=1
        ;;
    esac
done
# Only `finish` makes what failed in a test of the command its result.
for file in $(git ls-files 'tests/*.sh' | xargs grep -l '^\. .*tests/cli/lib\.sh' | xargs grep -L '^ *finish$'); do
    echo "$file: does not end with finish, so nothing in it can fail"
    failed=1
done
[ $failed -ne 0 ] || echo "ok: the lists of files are what the files say"
exit $failed
