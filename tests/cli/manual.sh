#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Manual pages and completions are well-formed, and the completions complete.
. "$SOURCE/tests/cli/lib.sh"

expect 0 help --pages
mv out pages
if have scdoc; then
    while read -r page; do
        expect 0 help --scdoc "$page"
        scdoc <out >page.1 2>err || complain "scdoc does not take $page" err
        grep -q '^\.TH' page.1 || complain "$page is no manual page" page.1
    done <pages
else
    skip "no scdoc: manual pages are not made"
fi

expect 0 help --completion zsh
if have zsh; then
    zsh -n out 2>err || complain "zsh does not take its completions" err
else
    skip "no zsh"
fi
expect 0 help --completion fish
if have fish; then
    fish -n out 2>err || complain "fish does not take its completions" err
else
    skip "no fish"
fi

expect 0 help --completion bash
mv out stele.bash
if ! have bash; then
    skip "no bash"
    finish
fi
bash -n stele.bash 2>err || complain "bash does not take its completions" err

# completes WORDS... gives what bash offers for the last word.
completes() {
    bash -c '. ./stele.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _stele
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@" >offers
}
completes stele in
grep -qx info offers || complain "no 'info' for 'stele in'" offers
completes stele insn mi
grep -qx mix offers || complain "no 'mix' for 'stele insn mi'" offers
completes stele insn mix --by le
grep -qx level offers || complain "no 'level' for 'stele insn mix --by le'" offers
completes stele cat --li
grep -qx -e --limit offers || complain "no '--limit' for 'stele cat --li'" offers
completes stele info --li
! grep -q limit offers || complain "'stele info' has no --limit" offers
completes stele cat --sort f
grep -qx full offers || complain "no 'full' for 'stele cat --sort f'" offers
completes stele cat --sort = f
grep -qx full offers || complain "no 'full' for 'stele cat --sort=f'" offers
completes stele convert --to js
grep -qx json offers || complain "no 'json' for 'stele convert --to js'" offers
completes stele cat -k count
grep -qx counter offers || complain "no 'counter' for 'stele cat -k count'" offers
completes stele help ex
grep -qx exit-codes offers || complain "no 'exit-codes' for 'stele help ex'" offers
: >some.trace
completes stele info some
grep -qx some.trace offers || complain "no file for 'stele info some'" offers
finish
