#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: manual_documents.sh SOURCE OUT VERSION LOWDOWN
# Manual pages from what is documented elsewhere: formats (section 5) and subjects (section 7) from
# their Markdown, and a page for each public header (section 3). Without LOWDOWN there is section 3 only.
set -eu
source=$1 out=$2 version=$3 lowdown=$4
rm -rf "$out"
mkdir -p "$out/man3" "$out/man5" "$out/man7"

# page FILE NAME SECTION: a document as a manual page. Its first heading becomes the line of NAME;
# what only readers of the source code need (lists of files, comments) is left out.
page() {
    awk -v name="$2" '
        /^<!-- files -->/ { skip = 1 }
        /^<!-- end of files -->/ { skip = 0; next }
        skip || /^<!--.*-->$/ || /^## The files here/ { next }
        /^# / && !titled {
            titled = 1
            # Above the headings of the document, as manual pages have it.
            print "# NAME\n\n" name " - " substr($0, 3) "\n\n# DESCRIPTION"
            next
        }
        { print }
    ' "$1" | awk -f "$source/cmake/plain_links.awk" |
        "$lowdown" -sTman -M title="$2" -M section="$3" -M source="stele $version" \
            >"$out/man$3/$2.$3"
}

if [ -n "$lowdown" ]; then
    for file in "$source"/src/formats/*/FORMAT.md; do
        format=${file%/FORMAT.md}
        page "$file" "stele-${format##*/}" 5
    done
    for file in "$source"/docs/*.md; do
        name=${file##*/}
        name=${name%.md}
        case $name in
        architecture | words | ctf-rules | ctf-conformance) ;; # for those who change Stele
        json | index) page "$file" "stele-$name" 5 ;;
        *) page "$file" "stele-$name" 7 ;;
        esac
    done
fi

for file in "$source"/include/stele/*.h; do
    name=${file##*/}
    name=libstele-${name%.h}
    [ "$name" != libstele-stele ] || name=libstele
    awk -v page="$name" -v version="$version" -v header="stele/${file##*/}" \
        -f "$source/cmake/header_page.awk" "$file" >"$out/man3/$name.3"
    # `man stele_reader_next` opens the page of its header.
    sed -n 's/^STELE_API[^(]*[ *]\(stele_[a-z0-9_]*\)(.*/\1/p' "$file" | sort -u |
        while read -r function; do
            echo ".so man3/$name.3" >"$out/man3/$function.3"
        done
done
