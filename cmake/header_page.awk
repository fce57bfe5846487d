# SPDX-License-Identifier: Apache-2.0
# A public header as a manual page in roff: its first comment is the description, other comments that
# stand alone are paragraphs, and declarations are shown as they are written.
# Variables: page, version, header.

function escaped(line)
{
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    if (line ~ /^[.']/)
        line = "\\&" line
    return line
}

function verbatim(on)
{
    if (on && !is_verbatim)
        print ".PP\n.nf\n.RS 2"
    else if (!on && is_verbatim)
        print ".RE\n.fi"
    is_verbatim = on
}

# A line of a comment that stands alone, without its frame.
function prose(line)
{
    if (line ~ /^ *$/) {
        verbatim(0)
        print ".PP"
    } else if (line ~ /^---- .* -+$/) {
        verbatim(0)
        sub(/^-+ /, "", line)
        sub(/ -+$/, "", line)
        print ".SS " escaped(line)
    } else if (line ~ /^    /) {
        verbatim(1)
        print escaped(substr(line, 5))
    } else if (line ~ /[^ ]   +[^ ]/) { # a row of a table
        verbatim(1)
        print escaped(line)
    } else {
        verbatim(0)
        print escaped(line)
    }
}

# The first sentence of the first comment names the page.
function summary(text)
{
    sub(/[.:] .*/, "", text)
    sub(/[.:]$/, "", text)
    return text
}

function start(first)
{
    print ".TH " toupper(page) " 3 \"\" \"stele " version "\" \"libstele\""
    print ".SH NAME\n" page " \\- " escaped(summary(first))
    print ".SH SYNOPSIS\n.B #include <" header ">\n.PP\n.B cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs stele)"
    print ".SH DESCRIPTION"
    is_started = 1
}

# The whole first comment is read before anything is written, for its first sentence may be long.
function flush_comment(    i, first)
{
    if (!is_started) {
        for (i = 1; i <= count && lines[i] !~ /^ *$/; i++)
            first = first (i > 1 ? " " : "") lines[i]
        start(first)
    } else if (!is_verbatim)
        print ".PP"
    for (i = 1; i <= count; i++)
        prose(lines[i])
    if (!is_declaring) {
        verbatim(0)
        print ".SH DECLARATIONS"
        is_declaring = 1
    }
    count = 0
}

/SPDX-License-Identifier/ { next }
/^#(ifndef|define) STELE_[A-Z0-9_]*_H$/ || /^#include/ || /^#endif/ { next }
/^#ifdef __cplusplus/ { in_cpp = 1; next }
in_cpp { if (/^(extern|})/) in_cpp = 0; next }

/^\/\*.*\*\/$/ {
    line = $0
    sub(/^\/\* ?/, "", line)
    sub(/ *\*\/$/, "", line)
    verbatim(0)
    lines[++count] = line
    flush_comment()
    next
}
# Lines of a comment continue below its first word, or each has a frame of its own.
/^\/\*/ { in_comment = 1; frame = /^\/\*$/ ? "^ \\* ?" : "^   "; line = $0; sub(/^\/\* ?/, "", line); if (line != "") lines[++count] = line; next }
in_comment && /\*\/$/ {
    line = $0
    sub(frame, "", line)
    sub(/ *\*\/$/, "", line)
    if (line != "" && line != "/")
        lines[++count] = line
    in_comment = 0
    verbatim(0)
    flush_comment()
    next
}
in_comment { line = $0; sub(frame, "", line); lines[++count] = line; next }

/^ *$/ { verbatim(0); next }
{
    if (!is_started)
        start(header)
    verbatim(1)
    sub(/^STELE_API /, "")
    print escaped($0)
}

END { verbatim(0) }
