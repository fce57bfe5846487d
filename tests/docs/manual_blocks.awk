# SPDX-License-Identifier: Apache-2.0
# usage: awk -f manual_blocks.awk PAGE DOCUMENT
# Reports each line of a code block of the document that the page, as text, does not show, and links
# that are left in the page.

function trimmed(line)
{
    gsub(/[ \t]+/, " ", line)
    gsub(/^ | $/, "", line)
    return line
}

FNR == 1 { file++ }
file == 1 {
    shown[trimmed($0)] = 1
    if (/<#[a-z]|[a-z]\.(md|h|c) <[^>]*\.(md|h|c)>/)
        print "a link is left: " trimmed($0)
    next
}
/^<!-- files -->/ { skip = 1 }
/^<!-- end of files -->/ { skip = 0 }
/^ *```/ { in_code = !in_code; next }
in_code && !skip && !(trimmed($0) in shown) { print "not in the page: " $0 }
