# SPDX-License-Identifier: Apache-2.0
# Markdown whose links to other documents, and to other places of the same one, are their texts: a
# manual page cannot follow them. Code stays as it is.

# The text of a link of the form [text](target), or the link if it leads to the web.
function plain(link,    target)
{
    target = substr(link, index(link, "](") + 2)
    if (target ~ /^https?:/)
        return link
    return substr(link, 2, length(link) - length(target) - 3)
}

# Prints the lines of a paragraph. Links and code may go on in the next line. What begins first
# counts: a link whose text is code is a link, and brackets in code are none.
function flush_paragraph(    rest, made)
{
    rest = paragraph
    while (match(rest, /`[^`]+`|\[[^][]*\]\([^()]*\)/)) {
        made = made substr(rest, 1, RSTART - 1)
        if (substr(rest, RSTART, 1) == "`")
            made = made substr(rest, RSTART, RLENGTH)
        else
            made = made plain(substr(rest, RSTART, RLENGTH))
        rest = substr(rest, RSTART + RLENGTH)
    }
    printf "%s%s", made, rest
    paragraph = ""
}

/^ *```/ { flush_paragraph(); in_code = !in_code; print; next }
in_code || /^(    |$)/ { flush_paragraph(); print; next }
{ paragraph = paragraph $0 "\n" }
END { flush_paragraph() }
