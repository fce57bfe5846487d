/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: faults FORMAT [SAMPLE]
 * One fault, one finding: damages every good and bad sample of a format byte by byte, checks it as
 * `stele check` does, and fails if two of the findings that the damage adds are about one place,
 * unless the table below says which two facts they are. Folders are damaged as archives of their
 * files. Of samples over 200 bytes as many bytes are damaged, spread by their positions. Each is
 * checked once more with all findings reported, also those that others explain: if an error is
 * among them, an error must be reported where they are left out. Each code of the format must have
 * a sample that gives it, or a reason why none does. Prints pairs that are not expected with an
 * example, and what was tried.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "contract_archive.h"
#include "contract_run.h"
#include "stele_config.h"

#define POSITIONS_MAX 200u
#define CODES_MAX     256

/* Findings of one place that are two facts. A code of three letters stands for all of its origin.
 */
static const struct two_facts {
    const char *first, *second;
    const char *why;
} two_facts[] = {
    /* Metadata of CTF: what is at fault, and what becomes of it. */
    {"CTF", "CTF005", "the place of a fault, and which part of the metadata is left out for it"},
    {"CTF", "CTF006", "the place of a fault, and which byte is read there instead"},
    {"CTF", "CTF007", "the place of a fault, and which word is read there instead"},
    {"CTF", "CTF459", "once a file: its metadata are damaged; and each place that cannot be read"},
    {"CTF408", "CTF409", "counters of events and of packets are two"},
    {"CTF450", "CTF460",
     "the record that cannot be read, and the event whose last bits share its byte"},
    {"CTF451", "CTF460",
     "the record that cannot be read, and the event whose last bits share its byte"},
    /* Of packed packets all events are at the place of their packet. */
    {"EVT013", "EVT013", "two events of one packed packet"},
    /* Each of these names another thing that is missing. */
    {"FXT007", "FXT007",
     "each string is missing by itself, also where one wrong provider has hidden both"},
    {"FXT008", "FXT008", "two threads"},
    {"FXT007", "FXT008", "a string, and a thread"},
    /* A note about the end of a record, of which what stands before is as it should be. */
    {"EVT", "FXT011", "words after the contents say nothing of the contents"},
    {"FXT007", "FXT011", "a string is missing in an argument, and words are left in that argument"},
    {"EVT", "FXT013", "padding says nothing of the text before it, nor of ids and spans"},
    /* Counters of Heph: which event has a wrong counter, and which counters no event has. */
    {"HEP015", "HEP015", "two gaps of one stream, each with its number of events"},
    {"HEP015", "HEP018", "a counter that starts again, and those that are missing before"},
    {"HEP015", "HEP019",
     "a counter that has nothing to do with others, and the one that is missing"},
    {"HEP015", "STE015", "a gap has a place between events, and the time of one of them is wrong"},
    {"EVT006", "STE015",
     "a warning that ranges leave a time out, which is judged first, and an error of the span"},
    {"HEP005", "STE015", "times are judged while a trace is indexed, before contents are"},
    /* Buffers of XRay: a stretch of time, and a record in it. */
    {"STE015", "XRY012", "the times of a buffer, and a record in it that goes back from there"},
    {"STE015", "XRY019", "the times of a buffer, and the record whose payload held its begin"},
    {"XRY003", "XRY019",
     "a record where another has to be, and the records that its size would take"},
    /* Tokens of xtrace: what does not fit, and which tokens may be hidden from there on. */
    {"XTR", "XTR024", "a token that does not fit, and the stretch of tokens that may be hidden"},
    {"XTR007", "XTR025",
     "a target that stands after no branch, and an instruction that is not there"},
};

/* Codes that no sample gives, as samples are read here, and where they come from. The begin of a
   code stands for all codes that begin so, of which some may have a sample. */
static const struct {
    const char *code, *why;
} unsampled[] = {
    {"CTF001", "tests/unit/ctf_metadata.c: metadata that are none"},
    {"CTF002", "tests/unit/ctf_metadata.c: a packet of metadata"},
    {"CTF004", "tests/unit/ctf_metadata.c: a packet of metadata"},
    {"CTF005", "tests/cli/ctf_metadata_damage.sh damages each byte of metadata"},
    {"CTF007", "tests/cli/ctf_metadata_damage.sh damages each byte of metadata"},
    {"CTF05", "tests/unit/ctf_tsdl.c, ctf_decode.c: types that cannot be"},
    {"CTF1", "tests/unit/ctf_tsdl.c, ctf_metadata.c: texts of metadata"},
    {"CTF2", "tests/unit/ctf_json.c, ctf_rfc.c: texts of metadata"},
    {"CTF30", "tests/unit/ctf_rfc.c: packets that are summed up, packed, or cut"},
    {"CTF414", "tests/cli/ctf_parts.sh: a tracer that writes such packets"},
    {"CTF415", "needs a pipe whose trace cannot be kept"},
    {"CTF416", "tests/cli/ctf_opening.sh: streams of the other byte order"},
    {"CTF45", "tests/unit/ctf_decode.c: records of all types, cut and damaged"},
    {"CTF470", "needs a record beyond a limit"},
    {"CTF48", "tests/cli/copy_ctf.sh, ctf_generation.sh: copies and translations"},
    {"HEP008", "tests/unit/heph.c: a packet beyond a limit"},
    {"HEP013", "needs a pipe, which is read once"},
    {"XTR009", "snapshots of another collection; damage of each sample gives it here"},
    {"XTR010", "snapshots of another collection; damage of each sample gives it here"},
    {"XTR015", "tests/cli/insn_slice.sh: a slice"},
};

static struct {
    const char *format;
    const struct format *format_of;
    bool sampled[CODES_MAX]; /* codes of the format that samples give */
    uint64_t code_failures;
    uint64_t damages, failures;
    uint64_t hidden, hidden_failures; /* findings that others explain, and errors among them */
    char seen[256][2][8];
    unsigned seen_count;
} faults;

/* ---- Checking ---- */

static stele_status judge(void *user, const stele_segment *segment)
{
    return stele_check_add(user, segment);
}

/* `reports_all`: every finding is reported, also what another one explains. */
static void check_all(run *r, const run_input *in, bool reports_all)
{
    const stele_request request = {.check = true, .columns = STELE_CHECK_COLUMNS};
    stele_check *check = NULL;
    stele_trace *trace;
    if (!run_begin(r))
        return;
    if (reports_all)
        r->context->diag.recent = NULL;
    trace = run_open(r, in);
    if (trace != NULL && stele_check_new(r->context, "sample", &check) == STELE_OK) {
        run_pull(r, trace, &request, UINT64_MAX, judge, check);
        if (r->status == STELE_OK)
            stele_check_finish(check);
    }
    stele_check_free(check);
    stele_trace_close(trace);
    run_end(r);
}

/* ---- Comparing findings ---- */

static bool has_finding(const run *r, const run_finding *finding)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        const run_finding *other = &r->findings[i];
        if (other->code == finding->code && other->file == finding->file &&
            other->offset == finding->offset)
            return true;
    }
    return false;
}

static uint64_t end_of(const run_finding *finding)
{
    const uint64_t size = finding->size != 0 ? finding->size : 1;
    return size < UINT64_MAX - finding->offset ? finding->offset + size : UINT64_MAX;
}

static bool is_one_place(const run_finding *a, const run_finding *b)
{
    return a->file == b->file && a->offset != STELE_NO_OFFSET && b->offset != STELE_NO_OFFSET &&
           a->offset < end_of(b) && b->offset < end_of(a);
}

static bool is_of(const char *code, const char *pattern)
{
    return strncmp(code, pattern, strlen(pattern)) == 0;
}

static bool are_two_facts(const char *a, const char *b)
{
    for (size_t i = 0; i < sizeof two_facts / sizeof *two_facts; i++) {
        if ((is_of(a, two_facts[i].first) && is_of(b, two_facts[i].second)) ||
            (is_of(b, two_facts[i].first) && is_of(a, two_facts[i].second)))
            return true;
    }
    return false;
}

/* Prints a pair of codes with its first example. */
static void fail(const char *sample, size_t at, uint8_t mask, const run_finding *a,
                 const run_finding *b)
{
    faults.failures++;
    for (unsigned i = 0; i < faults.seen_count; i++) {
        if (strcmp(faults.seen[i][0], a->code->code) == 0 &&
            strcmp(faults.seen[i][1], b->code->code) == 0)
            return;
    }
    if (faults.seen_count < sizeof faults.seen / sizeof *faults.seen) {
        snprintf(faults.seen[faults.seen_count][0], 8, "%s", a->code->code);
        snprintf(faults.seen[faults.seen_count++][1], 8, "%s", b->code->code);
    }
    printf("FAILED %s, byte %zu ^ 0x%02x: %s at %" PRIu64 " + %" PRIu64 " (%s) and %s at %" PRIu64
           " + %" PRIu64 " (%s)\n",
           sample, at, mask, a->code->code, a->offset, a->size, a->found, b->code->code, b->offset,
           b->size, b->found);
}

static void compare(const char *sample, size_t at, uint8_t mask, const run *whole, const run *r)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        const run_finding *a = &r->findings[i];
        if (has_finding(whole, a))
            continue;
        for (size_t k = i + 1; k < r->finding_count; k++) {
            const run_finding *b = &r->findings[k];
            if (is_one_place(a, b) && !has_finding(whole, b) &&
                !are_two_facts(a->code->code, b->code->code))
                fail(sample, at, mask, a, b);
        }
    }
}

static stele_severity worst(const run *r)
{
    stele_severity severity = STELE_NOTE;
    for (size_t i = 0; i < r->finding_count; i++) {
        if (r->findings[i].code->severity > severity)
            severity = r->findings[i].code->severity;
    }
    return severity;
}

/* An error is never left out because of a warning: what `stele check` ends with follows from
   errors. */
static void compare_errors(const char *sample, size_t at, uint8_t mask, const run *r,
                           const run *all)
{
    faults.hidden += all->finding_count - r->finding_count;
    if ((worst(r) == STELE_ERROR) == (worst(all) == STELE_ERROR))
        return;
    if (faults.hidden_failures++ > 8)
        return;
    for (size_t i = 0; i < all->finding_count; i++) {
        const run_finding *error = &all->findings[i];
        if (error->code->severity == STELE_ERROR)
            printf("FAILED %s, byte %zu ^ 0x%02x: %s at %" PRIu64 " (%s) is left out, and no error "
                   "is reported\n",
                   sample, at, mask, error->code->code, error->offset, error->found);
    }
}

/* ---- Codes ---- */

static void note_codes(const run *r)
{
    const format *f = faults.format_of;
    for (size_t i = 0; i < r->finding_count; i++) {
        const ptrdiff_t index = r->findings[i].code - f->codes;
        if (index >= 0 && (size_t)index < f->code_count && index < CODES_MAX)
            faults.sampled[index] = true;
    }
}

static const char *why_unsampled(const char *code)
{
    for (size_t i = 0; i < sizeof unsampled / sizeof *unsampled; i++) {
        if (is_of(code, unsampled[i].code))
            return unsampled[i].why;
    }
    return NULL;
}

/* Each code of the format has a sample that gives it, or a reason why there is none. */
static void check_codes(void)
{
    const format *f = faults.format_of;
    for (size_t i = 0; i < f->code_count && i < CODES_MAX; i++) {
        const char *code = f->codes[i].code, *why;
        if (code == NULL)
            continue;
        why = why_unsampled(code);
        if (faults.sampled[i] || why != NULL)
            continue;
        faults.code_failures++;
        printf("FAILED %s: no sample gives it, and no reason is listed\n", code);
    }
}

/* ---- Samples ---- */

static void try_sample(const char *name, const run_input *in, uint8_t *bytes)
{
    static const uint8_t masks[] = {0xff, 0x01, 0x10, 0x80};
    run whole = {0}, r = {0}, all = {0};
    check_all(&whole, in, false);
    check_all(&all, in, true);
    compare_errors(name, 0, 0, &whole, &all);
    note_codes(&whole);
    for (size_t at = 0; at < in->size; at++) {
        const uint8_t mask = masks[hash_u64(at) >> 8 & 3];
        size_t offset;
        if ((in->is_archive && archive_file_at(bytes, in->size, at, &offset) == NULL) ||
            hash_u64(at) % (in->size / POSITIONS_MAX + 1) != 0)
            continue;
        bytes[at] ^= mask;
        check_all(&r, in, false);
        check_all(&all, in, true);
        bytes[at] ^= mask;
        compare(name, at, mask, &whole, &r);
        compare_errors(name, at, mask, &r, &all);
        faults.damages++;
    }
    run_free(&whole);
    run_free(&r);
    run_free(&all);
}

static void try_path(const char *folder, const char *name)
{
    archive a = {.at = NULL};
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (stat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode)) {
        if (!archive_add_folder(&a, path, ""))
            return;
        archive_end(&a);
    } else if (!archive_read_file(path, &a.at, &a.size)) {
        return;
    }
    try_sample(name,
               &(run_input){.format = faults.format,
                            .bytes = a.at,
                            .size = a.size,
                            .is_archive = S_ISDIR(st.st_mode)},
               a.at);
    free(a.at);
}

static void try_folder(const char *below, const char *only)
{
    char folder[2048];
    struct dirent **entries;
    int count;
    snprintf(folder, sizeof folder, "%s/src/formats/%s/%s", STELE_SOURCE_DIR, faults.format, below);
    count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && strncmp(name, "README", 6) != 0 && strcmp(name, "EXPECT") != 0 &&
            strcmp(name, "NEEDS") != 0 && (only == NULL || strcmp(only, name) == 0))
            try_path(folder, name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: faults FORMAT [SAMPLE]\n");
        return 2;
    }
    faults.format = argv[1];
    faults.format_of = format_find(argv[1]);
    if (faults.format_of == NULL)
        return 2;
    try_folder("good", argc > 2 ? argv[2] : NULL);
    try_folder("bad", argc > 2 ? argv[2] : NULL);
    if (argc == 2)
        check_codes();
    printf("%" PRIu64 " damaged bytes; %" PRIu64 " times two findings of one place; %" PRIu64
           " findings explained by others, %" PRIu64 " times an error by less\n",
           faults.damages, faults.failures, faults.hidden, faults.hidden_failures);
    return faults.damages == 0 || faults.failures != 0 || faults.hidden_failures != 0 ||
           faults.code_failures != 0;
}
