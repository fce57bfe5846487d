/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: contract FORMAT [--quick | --brief | --exhaustive | --ranges | --losses [SAMPLE]
 *                         | --share NUMBER/COUNT]
 * Tries what must hold for every format on its good and bad samples: files, and folders, which are
 * read as archives of their files where a sample is cut or changed. Prints what was tried. Exits
 * with 1 if something does not hold, with the sample, the property and the position, or if there
 * are no samples.
 * Samples over 16 KiB are cut and changed only around each record and at 4,000 fixed positions.
 * With --exhaustive, they are changed everywhere, and 20,000 times.
 * With --quick, samples over 2 KiB are changed only so, at 1,000 positions; with --brief, for
 * emulated machines, samples over 128 bytes, at 60 positions.
 * With --share 2/3, only every third sample is tried, beginning with the second.
 * With --losses, bytes are only changed (of one sample, if it is named), and each change that costs
 * an event is printed as a line.
 * With --ranges, only ranges of time and pieces are read, many more of them.
 */
/* for F_SETPIPE_SZ */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract_archive.h"
#include "contract_damage.h"
#include "contract_pieces.h"
#include "contract_run.h"
#include "contract_windows.h"
#include "stele_config.h"

#define FAILURES_SHOWN    50u
#define ALLOCATION_SAMPLE ((size_t)8 << 10)

/*
 * How much is tried. Samples over `exhaustive_size` are cut and changed only at chosen positions.
 */
typedef struct effort {
    const char *option;
    size_t exhaustive_size;
    unsigned random_positions;
    unsigned case_seconds; /* seconds after which a case counts as hanging */
    bool is_of_losses;
    unsigned turns; /* how often ranges and pieces are tried; then nothing else is tried */
} effort;

static const effort efforts[] = {{"", (size_t)16 << 10, 4000, 20, false, 0},
                                 {"--quick", (size_t)2 << 10, 1000, 20, false, 0},
                                 {"--brief", 128, 60, 300, false, 0},
                                 {"--exhaustive", SIZE_MAX, 20000, 20, false, 0},
                                 {"--share", (size_t)16 << 10, 4000, 20, false, 0},
                                 {"--ranges", 0, 0, 20, false, 40},
                                 {"--losses", (size_t)16 << 10, 4000, 20, true, 0}};

static const effort *effort_find(const char *option)
{
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (strcmp(efforts[i].option, option) == 0)
            return &efforts[i];
    }
    return NULL;
}

typedef struct sample {
    char *path;
    const char *name; /* the end of `path` */
    bool is_good;
    bool is_folder; /* the bytes are an archive of its files */
    uint8_t *bytes;
    size_t size;
} sample;

static struct {
    const format *format;
    size_t exhaustive_size;
    unsigned random_positions;
    unsigned case_seconds;
    bool is_of_losses;
    sample *samples;
    size_t sample_count;
    unsigned failures;
    uint64_t prefixes, flips, chunkings, round_trips, copies, allocations, findings, orders,
        windows, projections, cuts, turn;
    uint64_t lost_max, unnamed_max, refused; /* the most, over all flipped bytes */
    uint64_t damages, damage_lost, damage_unnamed, damage_unnamed_max, damage_refused;
    char at[512]; /* what is being tried at the moment, printed after a crash or a hang */
} contract;

/* ---- Reporting what does not hold ---- */

static void try_begin(const sample *s, const char *what, uint64_t position)
{
    snprintf(contract.at, sizeof contract.at, "%s: %s at %" PRIu64 "\n", s->name, what, position);
    alarm(contract.case_seconds);
}

static void fail(const char *why)
{
    if (contract.failures++ < FAILURES_SHOWN)
        printf("FAILED %.*s: %s\n", (int)strlen(contract.at) - 1, contract.at, why);
}

/* Handles the signal of a crash or a hang: prints what was being tried, and exits. */
static void on_signal(int number)
{
    static const char crash[] = "CRASHED ", hang[] = "TOO SLOW ";
    const char *text = number == SIGALRM ? hang : crash;
    if (write(STDOUT_FILENO, text, strlen(text)) < 0 ||
        write(STDOUT_FILENO, contract.at, strlen(contract.at)) < 0)
        _exit(3);
    _exit(1);
}

/* ---- Loading samples ---- */

static bool sample_load(sample *s)
{
    archive a = {.at = NULL};
    if (!s->is_folder)
        return archive_read_file(s->path, &s->bytes, &s->size);
    if (!archive_add_folder(&a, s->path, ""))
        return false;
    archive_end(&a);
    s->bytes = a.at;
    s->size = a.size;
    return true;
}

static bool is_sample_name(const char *name)
{
    return name[0] != '.' && strncmp(name, "README", 6) != 0 && strcmp(name, "EXPECT") != 0 &&
           strcmp(name, "NEEDS") != 0;
}

static bool has_library(const char *name)
{
#ifdef STELE_HAVE_BZ2
    if (strcmp(name, "libbz2") == 0)
        return true;
#endif
    (void)name;
    return false;
}

/* Returns whether this build can read a sample. The file NEEDS of a folder has a line for each
   sample that not every build can read: its name and the library. */
static bool can_be_read(const char *folder, const char *name)
{
    char path[4096 + 8], sample_name[128], library[32];
    bool can = true;
    FILE *needs;
    snprintf(path, sizeof path, "%s/NEEDS", folder);
    needs = fopen(path, "r");
    if (needs == NULL)
        return true;
    while (fscanf(needs, "%127s %31s", sample_name, library) == 2) {
        if (strcmp(sample_name, name) == 0 && !has_library(library)) {
            printf("SKIP: %s: built without %s\n", name, library);
            can = false;
        }
    }
    fclose(needs);
    return can;
}

static void samples_add(const char *folder, bool is_good)
{
    char path[4096];
    struct dirent **entries;
    int count;
    snprintf(path, sizeof path, "%s/src/formats/%s/%s", STELE_SOURCE_DIR, contract.format->name,
             folder);
    count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        sample s = {.is_good = is_good};
        struct stat st;
        snprintf(path, sizeof path, "%s/src/formats/%s/%s", STELE_SOURCE_DIR, contract.format->name,
                 folder);
        if (!is_sample_name(entries[i]->d_name) || !can_be_read(path, entries[i]->d_name)) {
            free(entries[i]);
            continue;
        }
        snprintf(path, sizeof path, "%s/src/formats/%s/%s/%s", STELE_SOURCE_DIR,
                 contract.format->name, folder, entries[i]->d_name);
        if (stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
            s.is_folder = S_ISDIR(st.st_mode);
            s.path = strdup(path);
            s.name = strrchr(s.path, '/') + 1;
            contract.samples =
                realloc(contract.samples, (contract.sample_count + 1) * sizeof *contract.samples);
            if (!sample_load(&s)) {
                perror(path);
                exit(1);
            }
            contract.samples[contract.sample_count++] = s;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

static run_input sample_input(const sample *s, const uint8_t *bytes, size_t size)
{
    return (run_input){
        .format = contract.format->name, .bytes = bytes, .size = size, .is_archive = s->is_folder};
}

/* ---- Positions to cut and change at ---- */

typedef struct positions {
    size_t *at;
    size_t count, capacity;
} positions;

static void positions_add(positions *p, uint64_t at, size_t size)
{
    if (at > size)
        return;
    p->at = run_grow(p->at, p->count, &p->capacity, sizeof *p->at);
    p->at[p->count++] = (size_t)at;
}

typedef struct boundaries {
    positions *positions;
    size_t size;
} boundaries;

static bool boundaries_add(void *user, const dump_record *record)
{
    const boundaries *b = user;
    for (uint64_t near = 0; near < 3; near++) {
        positions_add(b->positions, record->offset + near - 1, b->size);
        positions_add(b->positions, record->offset + record->size + near - 1, b->size);
    }
    return true;
}

/* Returns where a sample is cut or changed: everywhere, or around its records and at fixed
   random positions. */
static positions sample_positions(const sample *s)
{
    positions p = {0};
    boundaries b = {&p, s->size};
    const run_input in = sample_input(s, s->bytes, s->size);
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    stele_trace *trace;
    run r = {0};
    if (s->size <= contract.exhaustive_size) {
        for (size_t i = 0; i <= s->size; i++)
            positions_add(&p, i, s->size);
        return p;
    }
    run_begin(&r);
    trace = s->is_folder ? NULL : run_open(&r, &in);
    if (trace != NULL && contract.format->dump != NULL)
        format_dump(trace, &(dump_request){.fn = boundaries_add, .user = &b});
    stele_trace_close(trace);
    run_end(&r);
    run_free(&r);
    for (unsigned i = 0; i < contract.random_positions; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        positions_add(&p, random % (s->size + 1), s->size);
    }
    return p;
}

/* ---- Memory that ends at a protected page ---- */

typedef struct guarded {
    uint8_t *map;
    size_t map_size, room;
} guarded;

static guarded guarded_make(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    guarded g = {.room = (size + page) / page * page};
    const int zero = open("/dev/zero", O_RDWR);
    g.map_size = g.room + page;
    g.map = mmap(NULL, g.map_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    if (g.map == MAP_FAILED || mprotect(g.map + g.room, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(1);
    }
    close(zero);
    return g;
}

static uint8_t *guarded_put(const guarded *g, const uint8_t *bytes, size_t size)
{
    return memcpy(g->map + g->room - size, bytes, size);
}

/* ---- Bounds that formats promise ---- */

/*
 * How robust each format is when one byte is damaged: how many events outside the damaged record
 * can be lost, and how many of these no finding names although their range is damaged (because a
 * record that grew by the damage is valid and contains them). For a format without a line here, the
 * numbers are only printed.
 */
static const struct bound {
    const char *format;
    uint64_t lost_max, unnamed_max;
    bool is_of_good;   /* the bounds are for samples without other damage or errors of a writer */
    bool marks_begins; /* copies note which begins they made, for what was open where they begin */
    size_t look_ahead; /* after damage, this many bytes are needed to find where records go on */
    uint64_t damage_unnamed_max; /* most events without a finding, if several bytes are damaged */
    bool is_never_refused;       /* a sample with one damaged byte is never refused */
} bounds[] = {
    {"heph", 0, 0, false, true, 0, 4, false},
    {"fxt", 6, 1, false, true, 0, 16, false},
    /* One damaged byte: the last record of a payload whose size changed by its own length, or of a
       buffer that ends inside of a record then, and records that one flipped bit makes of others.
       Several bytes: 185 in one of 20,000 cases of a basic-mode log, where moved blocks put records
       askew that fit each other by process and time; 38 in 4,000 cases of each other sample, where
       records that were moved stand where others stood, or in the stale bytes of version 1, which
       may hold records in sound logs, too. */
    {"xray", 6, 2, true, false, 512, 185, true},
    /* In 1 of 188,105 flips an event is lost that no finding names. */
    {"xtrace", 320, 1, false, true, 0, 128, false},
    /* All events of a trace can be lost to damaged metadata, if their types are gone. Events
       without a finding are those that stay valid and have other values. */
    {"ctf", 522, 13, false, true, 0, 64, false},
    {NULL, UINT64_MAX, UINT64_MAX, false, false, 0, UINT64_MAX, false},
};

static const struct bound *format_bound(void)
{
    size_t i = 0;
    while (bounds[i].format != NULL && strcmp(bounds[i].format, contract.format->name) != 0)
        i++;
    return &bounds[i];
}

/* ---- Prefixes and flipped bytes ---- */

static const stele_request checked = {.order = STELE_ORDER_NONE, .check = true};
static const stele_request everything = {.order = STELE_ORDER_NONE, .columns = STELE_COLUMNS_ALL};

static bool event_is_sure(const run_event *event, uint64_t end)
{
    return event->kind != STELE_KIND_LOST && (event->flags & STELE_FLAG_DAMAGED) == 0 &&
           event->size != UINT32_MAX && event->offset + event->size <= end;
}

/* Returns whether all undamaged events of `whole` that end before `end` are in `part`, at its
   start and in the same order. */
static bool has_all_before(const run *part, const run *whole, size_t end)
{
    size_t at = 0;
    for (size_t i = 0; i < whole->event_count; i++) {
        if (!event_is_sure(&whole->events[i], end))
            continue;
        while (at < part->event_count && part->events[at].offset < whole->events[i].offset)
            at++;
        if (at == part->event_count || !run_event_is_same(&part->events[at], &whole->events[i]))
            return false;
        at++;
    }
    return true;
}

static void check_status(const run *r)
{
    if (r->broken != NULL)
        fail(r->broken);
    for (size_t i = 0; i < r->finding_count; i++) {
        if (strcmp(r->findings[i].code->code, "STE013") == 0)
            fail(r->findings[i].found);
    }
    if (r->status != STELE_OK && r->status != STELE_ERR_FORMAT && r->status != STELE_ERR_DAMAGED)
        fail(stele_status_text(r->status));
}

static void try_prefixes(const sample *s, const positions *p, const guarded *g, run *r,
                         const run *whole)
{
    const size_t look_ahead = s->is_good ? 0 : format_bound()->look_ahead;
    for (size_t i = 0; i < p->count; i++) {
        const size_t size = p->at[i];
        const run_input in = sample_input(s, guarded_put(g, s->bytes, size), size);
        try_begin(s, "prefix", size);
        run_read(r, &in, &checked);
        check_status(r);
        if (!s->is_folder && r->status == STELE_OK && size >= look_ahead &&
            !has_all_before(r, whole, size - look_ahead))
            fail("a sound event before the end of the prefix is missing or changed");
        contract.prefixes++;
    }
}

/* The position of an event. */
typedef struct place {
    uint64_t file, offset;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->file != y->file)
        return (x->file > y->file) - (x->file < y->file);
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Returns the positions of the events of a run in rising order. In folders, the file counts as
   well. */
static place *event_places(const sample *s, const run *r)
{
    place *at = __real_malloc((r->event_count + 1) * sizeof *at);
    if (at == NULL)
        abort();
    for (size_t i = 0; i < r->event_count; i++)
        at[i] = (place){s->is_folder ? r->events[i].file : 0, r->events[i].offset};
    qsort(at, r->event_count, sizeof *at, compare_places);
    return at;
}

/* Returns whether the same event is at a position where the undamaged trace has no event: in a
   table, a node is where the first path has it. */
static bool has_moved(const sample *s, const run *whole, const run *r, const run_event *event)
{
    for (size_t i = 0; i < r->event_count; i++) {
        const run_event *other = &r->events[i];
        bool is_new = run_event_is_same(event, other) &&
                      (other->offset != event->offset || other->file != event->file);
        for (size_t k = 0; k < whole->event_count && is_new; k++)
            is_new = whole->events[k].offset != other->offset ||
                     (s->is_folder && whole->events[k].file != other->file);
        if (is_new)
            return true;
    }
    return false;
}

/* Returns whether a finding covers the position of an event. */
static bool is_named(const sample *s, const run *r, const run_event *event)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        const run_finding *finding = &r->findings[i];
        if ((!s->is_folder || finding->file == event->file) && finding->offset <= event->offset &&
            event->offset - finding->offset < finding->size)
            return true;
    }
    return false;
}

/* Prints a line about a change that costs events. If the trace is refused, all of its events are
   lost. */
static void show_loss(const run *r, const char *file, uint64_t lost, uint64_t unnamed)
{
    if (!contract.is_of_losses || lost == 0)
        return;
    printf("%.*s%s%s: %" PRIu64 " lost, %" PRIu64 " unnamed%s", (int)strlen(contract.at) - 1,
           contract.at, file != NULL ? " in " : "", file != NULL ? file : "", lost, unnamed,
           r->status != STELE_OK ? ", refused" : "");
    for (size_t i = 0; i < r->finding_count && i < 3; i++)
        printf("; %s %s", r->findings[i].code->code, r->findings[i].found);
    printf("\n");
}

/* Checks that the events delivered and those counted as lost are together those of the undamaged
   trace. Bytes of an archive outside its files do not belong to the format and are not checked. */
static void check_conservation(const sample *s, const run *whole, const run *r, size_t at)
{
    const struct bound *bound = format_bound();
    const char *file = NULL;
    uint64_t lost_count = 0, unnamed_count = 0;
    size_t offset = at;
    place *delivered;
    if (s->is_folder) {
        file = archive_file_at(s->bytes, s->size, at, &offset);
        if (file == NULL)
            return;
    }
    if (r->status != STELE_OK) {
        contract.refused++;
        if (bound->is_never_refused)
            fail("a trace is refused for one byte");
        show_loss(r, file, whole->event_count, 0);
        return;
    }
    delivered = event_places(s, r);
    for (size_t i = 0; i < whole->event_count; i++) {
        const run_event *event = &whole->events[i];
        const place stands = {s->is_folder ? event->file : 0, event->offset};
        if (!event_is_sure(event, UINT64_MAX) ||
            ((file == NULL || event->file == run_file(file)) && event->offset <= offset &&
             offset - event->offset < event->size))
            continue;
        if (bsearch(&stands, delivered, r->event_count, sizeof *delivered, compare_places) !=
                NULL ||
            has_moved(s, whole, r, event))
            continue;
        lost_count++;
        unnamed_count += !is_named(s, r, event);
    }
    __real_free(delivered);
    show_loss(r, file, lost_count, unnamed_count);
    if (bound->is_of_good && !s->is_good)
        return;
    if (lost_count > contract.lost_max)
        contract.lost_max = lost_count;
    if (unnamed_count > contract.unnamed_max)
        contract.unnamed_max = unnamed_count;
    if (lost_count > bound->lost_max)
        fail("more events are lost by one byte than the format's bound says");
    if (unnamed_count > bound->unnamed_max)
        fail("events are lost that no finding names");
}

static void try_flip(const sample *s, uint8_t *bytes, size_t at, uint8_t mask, run *r,
                     const run *whole)
{
    const run_input in = sample_input(s, bytes, s->size);
    char what[32];
    snprintf(what, sizeof what, "flip of 0x%02x", mask);
    try_begin(s, what, at);
    bytes[at] ^= mask;
    run_read(r, &in, &checked);
    bytes[at] ^= mask;
    check_status(r);
    check_conservation(s, whole, r, at);
    contract.flips++;
}

/* Tries every byte inverted, and with one bit inverted; in large samples one of the two at each
   position. */
static void try_flips(const sample *s, const positions *p, const guarded *g, run *r,
                      const run *whole)
{
    uint8_t *bytes = guarded_put(g, s->bytes, s->size);
    const bool has_both = s->size <= contract.exhaustive_size;
    for (size_t i = 0; i < p->count; i++) {
        const size_t at = p->at[i];
        const uint8_t bit = (uint8_t)(1u << (hash_u64(at) & 7));
        if (at == s->size)
            continue;
        if (has_both || i % 2 == 0)
            try_flip(s, bytes, at, 0xff, r, whole);
        if (has_both || i % 2 != 0)
            try_flip(s, bytes, at, bit, r, whole);
    }
}

/* ---- Damage of several bytes ---- */

/* Checks that all events outside the damage are delivered or named in findings. */
static void check_damage(const sample *s, const run *whole, const run *r, const damage *d,
                         const char *file)
{
    uint64_t lost_count = 0, unnamed_count = 0;
    place *delivered;
    if (r->status != STELE_OK) {
        contract.damage_refused++;
        show_loss(r, file, whole->event_count, 0);
        return;
    }
    delivered = event_places(s, r);
    for (size_t i = 0; i < whole->event_count; i++) {
        run_event event = whole->events[i];
        place stands;
        if (!event_is_sure(&event, UINT64_MAX) || ((file == NULL || event.file == run_file(file)) &&
                                                   !damage_place(d, &event.offset, event.size)))
            continue;
        stands = (place){s->is_folder ? event.file : 0, event.offset};
        if (bsearch(&stands, delivered, r->event_count, sizeof *delivered, compare_places) != NULL)
            continue;
        lost_count++;
        unnamed_count += !is_named(s, r, &event) && !has_moved(s, whole, r, &event);
    }
    __real_free(delivered);
    show_loss(r, file, lost_count, unnamed_count);
    if (unnamed_count > contract.damage_unnamed_max)
        contract.damage_unnamed_max = unnamed_count;
    if (unnamed_count > format_bound()->damage_unnamed_max)
        fail("events are lost by damage that no finding names");
    contract.damage_lost += lost_count;
    contract.damage_unnamed += unnamed_count;
}

/* Damages a sample in many ways. In a folder, one file is damaged and keeps its size. */
static void try_damage(const sample *s, run *r, const run *whole)
{
    uint8_t *bytes = __real_malloc(s->size + DAMAGE_BLOCK);
    if (bytes == NULL)
        abort();
    for (unsigned number = 0; number < contract.random_positions; number++) {
        const char *file = NULL;
        char what[96];
        size_t from = 0, to = s->size, in_file;
        damage d;
        run_input in;
        if (s->is_folder) {
            file =
                archive_file_at(s->bytes, s->size, (size_t)(hash_u64(number) % s->size), &in_file);
            if (file == NULL)
                continue;
            from = (size_t)((const uint8_t *)file - s->bytes) + ARCHIVE_BLOCK;
            to = from + strtoul(file + 124, NULL, 8);
        }
        if (!damage_make(&d, number, from, to, s->is_folder))
            continue;
        damage_text(&d, what, sizeof what);
        try_begin(s, what, d.at);
        in = sample_input(s, bytes, damage_apply(d, s->bytes, s->size, bytes));
        d.at -= from;
        d.other -= from;
        run_read(r, &in, &checked);
        check_status(r);
        check_damage(s, whole, r, &d, file);
        contract.damages++;
    }
    __real_free(bytes);
}

/* ---- Input in pieces ---- */

static size_t piece_max = SIZE_MAX;

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __real_pread64(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
    return __real_read(fd, buffer, size < piece_max ? size : piece_max);
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
    return __real_pread64(fd, buffer, size < piece_max ? size : piece_max, offset);
}

static bool runs_are_same(const run *a, const run *b)
{
    if (a->event_count != b->event_count || a->status != b->status)
        return false;
    for (size_t i = 0; i < a->event_count; i++) {
        if (a->events[i].offset != b->events[i].offset || a->events[i].size != b->events[i].size ||
            a->events[i].flags != b->events[i].flags ||
            !run_event_is_same(&a->events[i], &b->events[i]))
            return false;
    }
    return true;
}

/* Writes a sample into a pipe. Returns false if the pipe cannot be large enough. */
static bool pipe_fill(const sample *s, int fds[2])
{
    if (pipe(fds) != 0)
        return false;
    fcntl(fds[1], F_SETPIPE_SZ, 1 << 20);
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    if (write(fds[1], s->bytes, s->size) == (ssize_t)s->size) {
        close(fds[1]);
        return true;
    }
    close(fds[0]);
    close(fds[1]);
    return false;
}

static void try_pieces(const sample *s, run *r, const run *whole)
{
    static const size_t sizes[] = {1, 2, 3, 7, 64, 4093, SIZE_MAX};
    char path[64];
    int fds[2];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        piece_max = sizes[i];
        try_begin(s, "file in pieces", sizes[i]);
        run_read(r, &(run_input){.format = contract.format->name, .path = s->path}, &everything);
        if (!runs_are_same(r, whole))
            fail("events differ from those read at once");
        try_begin(s, "pipe in pieces", sizes[i]);
        if (!pipe_fill(s, fds)) {
            fail("the sample is too large for a pipe");
            continue;
        }
        snprintf(path, sizeof path, "/proc/self/fd/%d", fds[0]);
        run_read(r, &(run_input){.format = contract.format->name, .path = path}, &everything);
        close(fds[0]);
        if (!runs_are_same(r, whole))
            fail("events differ from those read at once");
        contract.chunkings += 2;
    }
    piece_max = SIZE_MAX;
}

/* ---- Orders and columns of events ---- */

/* Returns a sum over all events that does not depend on their order. */
static uint64_t run_sum(const run *r)
{
    uint64_t sum = r->event_count;
    for (size_t i = 0; i < r->event_count; i++)
        sum += hash_bytes(r->events[i].columns, sizeof r->events[i].columns) + r->events[i].kind;
    return sum;
}

static bool is_in_time_order(const run *r)
{
    for (size_t i = 1; i < r->event_count; i++) {
        if (r->events[i].time_ns < r->events[i - 1].time_ns &&
            (r->events[i].flags & STELE_FLAG_LATE) == 0)
            return false;
    }
    return true;
}

static void try_orders(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    run full = {0};
    try_begin(s, "order by time", 0);
    run_read(r, &in, &(stele_request){.order = STELE_ORDER_TIME, .columns = STELE_COLUMNS_ALL});
    run_read(&full, &in, &(stele_request){.order = STELE_ORDER_FULL, .columns = STELE_COLUMNS_ALL});
    if (!is_in_time_order(r) || r->stats.late_count != 0)
        fail("events are not in order");
    if (!runs_are_same(r, &full))
        fail("ordered by a window, the events differ from those that are sorted");
    if (run_sum(r) != run_sum(whole))
        fail("ordered events are others than those of the file's order");
    run_read(r, &in, &(stele_request){.order = STELE_ORDER_WINDOW, .columns = STELE_COLUMNS_ALL});
    if (!is_in_time_order(r))
        fail("events out of a window are not in order, and not flagged");
    if (run_sum(r) != run_sum(whole))
        fail("events out of a window are others than those of the file's order");
    run_free(&full);
    contract.orders += 3;
}

/* Reads some events in the order of the file, and then all events of the same trace by their
   times: what one reading learns of streams must not keep events from the other. */
static void try_again(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    stele_reader *reader = NULL;
    stele_segment segment;
    stele_trace *trace;
    try_begin(s, "order by time, after a part in the file's order", 0);
    if (!run_begin(r))
        return;
    trace = run_open(r, &in);
    if (trace != NULL && stele_reader_open(r->context, &trace, 1, &everything, &reader) == STELE_OK)
        stele_reader_next(reader, &segment);
    stele_reader_close(reader);
    r->finding_count = 0;
    if (trace != NULL)
        run_pull(r, trace,
                 &(stele_request){.order = STELE_ORDER_TIME, .columns = STELE_COLUMNS_ALL},
                 run_input_limit(&in), NULL, NULL);
    stele_trace_close(trace);
    run_end(r);
    check_status(r);
    if (run_sum(r) != run_sum(whole))
        fail("ordered events are others than those of the file's order");
    contract.orders++;
}

static bool columns_are_same(const run *a, const run *b, unsigned column)
{
    if (a->event_count != b->event_count)
        return false;
    for (size_t i = 0; i < a->event_count; i++) {
        if (a->events[i].offset != b->events[i].offset || a->events[i].size != b->events[i].size ||
            a->events[i].kind != b->events[i].kind ||
            a->events[i].columns[column] != b->events[i].columns[column])
            return false;
    }
    return true;
}

static void try_projection(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    for (unsigned column = 0; column < RUN_COLUMNS; column++) {
        try_begin(s, "projection to column", run_column_bits[column]);
        run_read(r, &in,
                 &(stele_request){.order = STELE_ORDER_NONE, .columns = run_column_bits[column]});
        if (!columns_are_same(r, whole, column))
            fail("values differ from those read with all columns");
        contract.projections++;
    }
}

/* Returns the time of a random event, counted from the first event. */
static int64_t random_time(const run *whole, int64_t first_ns, uint64_t *seed)
{
    *seed = hash_u64(*seed + 1);
    return (int64_t)((uint64_t)whole->events[*seed % whole->event_count].time_ns -
                     (uint64_t)first_ns);
}

/* Returns the first time of a sample, which ranges of times are counted from. */
static int64_t first_time(const run_input *in, run *r)
{
    run_read(r, in,
             &(stele_request){.order = STELE_ORDER_TIME,
                              .begin = {.kind = STELE_BOUND_START, .value = 0}});
    return r->stats.has_begin ? r->stats.begin_ns : 0;
}

/* Returns a seed for a sample that does not depend on where the samples are, and differs for
   each turn of --ranges. */
static uint64_t sample_seed(const sample *s)
{
    return hash_bytes(s->name, strlen(s->name)) + contract.turn * UINT64_C(1000003);
}

static void try_windows(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    const int64_t first_ns = first_time(&in, r);
    uint64_t seed = sample_seed(s);
    for (unsigned i = 0; i < WINDOWS_TRIED && whole->event_count != 0; i++) {
        int64_t begin_ns = random_time(whole, first_ns, &seed);
        int64_t end_ns = random_time(whole, first_ns, &seed);
        const char *broken;
        stele_request request = {.order = i % 4 == 3 ? STELE_ORDER_NONE : STELE_ORDER_TIME,
                                 .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW};
        if (begin_ns > end_ns) {
            const int64_t other_ns = begin_ns;
            begin_ns = end_ns;
            end_ns = other_ns;
        }
        if (begin_ns < 0 || end_ns < 0)
            continue;
        if (i % 3 != 1)
            request.begin = (stele_bound){.kind = STELE_BOUND_START, .value = begin_ns};
        if (i % 3 != 2)
            request.end = (stele_bound){.kind = STELE_BOUND_START, .value = end_ns};
        try_begin(s, "range of time", i);
        broken = windows_try(&in, &request, whole);
        if (broken != NULL)
            fail(broken);
        contract.windows++;
    }
}

/* ---- Pieces cut from one trace ---- */

#define PIECES_TRIED 6u

static void try_cuts(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    const int64_t first_ns = first_time(&in, r);
    uint64_t seed = sample_seed(s) + 1;
    if (contract.format->copier == NULL || !s->is_good)
        return;
    for (unsigned i = 0; i < PIECES_TRIED && whole->event_count != 0; i++) {
        int64_t times[2] = {random_time(whole, first_ns, &seed),
                            random_time(whole, first_ns, &seed)};
        const size_t count = times[0] < times[1] ? 1 + i % 2 : 1;
        const char *broken;
        bool is_refused;
        if (times[0] <= 0)
            continue;
        try_begin(s, "pieces cut", (uint64_t)times[0]);
        broken = pieces_try(&in, whole, times, count, i % 4 < 2 && format_bound()->marks_begins,
                            &is_refused);
        if (broken != NULL)
            fail(broken);
        contract.cuts += !is_refused;
    }
}

/* ---- Writing and copying a trace ---- */

static stele_status open_output(const sample *s, diag_sink *diag, output **out)
{
    return s->is_folder ? output_open_folder(diag, NULL, false, out)
                        : output_open_memory(diag, out);
}

static stele_status write_segment(void *user, const stele_segment *segment)
{
    return stele_writer_write(user, segment);
}

/* Opens a writer of a trace's format, in the trace's own version if the writer has versions. */
static stele_status writer_open(stele_context *context, const stele_trace *trace, output *out,
                                stele_writer **writer)
{
    stele_writer_options options = {.version = trace->info.version};
    stele_status status = contract.format->writer(context, out, &options, writer);
    options.version = NULL;
    if (status == STELE_ERR_ARGUMENT)
        status = contract.format->writer(context, out, &options, writer);
    return status;
}

/* Reads a trace in the order of its records and writes it in its own format. */
static piece_bytes write_again(run *r, const sample *s, const uint8_t *from, size_t size,
                               uint32_t *loss_count)
{
    const run_input in = sample_input(s, from, size);
    stele_writer *writer = NULL;
    output *out = NULL;
    stele_trace *trace;
    stele_status status;
    piece_bytes result = {NULL, 0};
    *loss_count = 0;
    if (!run_begin(r))
        return result;
    trace = run_open(r, &in);
    status = trace != NULL ? open_output(s, &r->context->diag, &out) : STELE_END;
    if (status == STELE_OK)
        status = writer_open(r->context, trace, out, &writer);
    run_fail(r, status);
    if (status == STELE_OK) {
        run_pull(r, trace, &everything, run_input_limit(&in), write_segment, writer);
        run_fail(r, stele_writer_finish(writer));
        *loss_count = writer->losses.count;
    }
    stele_writer_close(writer);
    stele_trace_close(trace);
    run_end(r);
    if (out != NULL)
        result = pieces_take(out);
    return result;
}

static void check_no_findings(const run *r, const run *known)
{
    for (size_t i = 0; i < r->finding_count; i++) {
        bool is_known = r->findings[i].code->severity == STELE_NOTE;
        for (size_t k = 0; k < known->finding_count && !is_known; k++)
            is_known = known->findings[k].code == r->findings[i].code;
        if (!is_known) {
            fail(r->findings[i].code->code);
            return;
        }
    }
}

/* Returns whether two runs have the same values in the same order. Metadata may be elsewhere, as
   a writer may put it at the start. */
static bool values_are_same(const run *a, const run *b)
{
    size_t at = 0;
    for (size_t i = 0; i < a->event_count; i++) {
        if (a->events[i].kind == STELE_KIND_METADATA)
            continue;
        while (at < b->event_count && b->events[at].kind == STELE_KIND_METADATA)
            at++;
        if (at == b->event_count || !run_event_is_same(&a->events[i], &b->events[at++]))
            return false;
    }
    return run_sum(a) == run_sum(b);
}

/* Writes a sample in its own format and checks what comes back. `known` holds the findings in
   the sample itself. */
static void try_round_trip(const sample *s, run *r, const run *whole, const run *known)
{
    uint32_t loss_count, second_loss_count;
    piece_bytes first, second;
    run_input in;
    if (contract.format->writer == NULL)
        return;
    try_begin(s, "write", 0);
    first = write_again(r, s, s->bytes, s->size, &loss_count);
    check_status(r);
    second = write_again(r, s, first.at, first.size, &second_loss_count);
    check_status(r);
    if (first.size != second.size || memcmp(first.at, second.at, first.size) != 0)
        fail("written, read and written again, the trace is another one");
    if (s->is_good && contract.format->writes_anew) {
        if (r->event_count != whole->event_count)
            fail("the trace that was written has another number of events");
    } else if (s->is_good) {
        if (loss_count == 0 && !values_are_same(r, whole))
            fail("no loss was counted, and the events that were written are others");
        /* A trace without events may get an event that makes it a trace of its format. */
        if (loss_count != 0 && whole->event_count != 0)
            fail("the format's own writer cannot carry a good sample");
    }
    in = sample_input(s, first.at, first.size);
    run_read(r, &in, &checked);
    check_no_findings(r, known);
    contract.round_trips++;
    __real_free(first.at);
    __real_free(second.at);
}

typedef struct copy_choice {
    copier *copier;
    uint64_t random; /* 0: everything is copied */
    bool has_insns;  /* instructions are kept with all that belongs to them */
    size_t seen;     /* events so far, kept or not */
    run kept;
} copy_choice;

static stele_status copy_segment(void *user, const stele_segment *segment)
{
    copy_choice *choice = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        const size_t number = choice->seen++;
        stele_status status;
        if (choice->random != 0 && (hash_u64(choice->random ^ event->offset) & 1) != 0)
            continue;
        choice->has_insns |= event->kind == STELE_KIND_INSN || event->kind == STELE_KIND_SNAPSHOT;
        run_add_event(&choice->kept, segment->batch, event);
        choice->kept.events[choice->kept.event_count - 1].number = number;
        status = choice->copier->ops->keep(choice->copier, segment->batch, event);
        if (status != STELE_OK)
            return status;
    }
    return STELE_OK;
}

static piece_bytes copy_again(run *r, const sample *s, copy_choice *choice)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    piece_bytes result = {NULL, 0};
    output *out = NULL;
    stele_trace *trace;
    stele_status status;
    if (!run_begin(r))
        return result;
    choice->copier = NULL;
    choice->kept.context = r->context;
    trace = run_open(r, &in);
    status = trace != NULL ? open_output(s, &r->context->diag, &out) : STELE_END;
    if (status == STELE_OK)
        status = contract.format->copier(trace, out, &choice->copier);
    if (status == STELE_OK)
        choice->copier->keeps_all = choice->random == 0;
    run_fail(r, status);
    if (status == STELE_OK) {
        run_pull(r, trace, &everything, run_input_limit(&in), copy_segment, choice);
        run_fail(r, choice->copier->ops->finish(choice->copier));
    }
    if (choice->copier != NULL)
        choice->copier->ops->close(choice->copier);
    stele_trace_close(trace);
    run_end(r);
    if (out != NULL)
        result = pieces_take(out);
    return result;
}

/* Returns whether an event was asked for: a copier also writes metadata and objects, which are
   state. */
static bool is_copied_event(const run_event *event)
{
    return event->kind != STELE_KIND_LOST && event->kind != STELE_KIND_METADATA &&
           event->kind != STELE_KIND_OBJECT;
}

/* Returns whether a copied event is the same as the event kept. Where instructions are left out,
   times and the counts and positions in snapshots change, and a result does not know its call. */
static bool copied_event_is_same(const run_event *copied, const run_event *kept, bool has_insns)
{
    if (!has_insns)
        return run_event_is_same(copied, kept);
    if (copied->kind != kept->kind || copied->kind == STELE_KIND_SNAPSHOT)
        return copied->kind == kept->kind;
    return copied->columns[RUN_NAME] == kept->columns[RUN_NAME] &&
           copied->columns[RUN_TRACK] == kept->columns[RUN_TRACK] &&
           copied->columns[RUN_FIELDS] == kept->columns[RUN_FIELDS] &&
           (copied->kind == STELE_KIND_SYSCALL ||
            copied->columns[RUN_VALUE] == kept->columns[RUN_VALUE]);
}

/* Returns whether a copy has all events that were kept and no others. An instruction is kept
   with all that belongs to it. */
static bool copy_holds_just(const run *copied, const run *kept, bool has_insns)
{
    size_t at = 0;
    for (size_t i = 0; i < kept->event_count; i++) {
        if (!is_copied_event(&kept->events[i]))
            continue;
        while (at < copied->event_count &&
               (!is_copied_event(&copied->events[at]) ||
                (has_insns && !copied_event_is_same(&copied->events[at], &kept->events[i], true))))
            at++;
        if (at == copied->event_count ||
            !copied_event_is_same(&copied->events[at++], &kept->events[i], has_insns))
            return false;
    }
    while (!has_insns && at < copied->event_count && !is_copied_event(&copied->events[at]))
        at++;
    return has_insns || at == copied->event_count;
}

/*
 * What the notes of a copier say of its copy, and what must hold then. Without a note, the copy has
 * the events that were kept and no others.
 *
 *     expected "--KEY=VALUE when ..."     the same, if the copy is read with this setting
 *     found "... with N events that are    N more events, all of them from the trace and in
 *     not asked for"                       their places among the others
 */
typedef struct copy_notes {
    uint64_t extra_count;
    char key[32], value[32]; /* "": no note tells a setting */
} copy_notes;

static copy_notes copy_notes_take(const run *r)
{
    copy_notes notes = {0};
    for (size_t i = 0; i < r->finding_count; i++) {
        const run_finding *finding = &r->findings[i];
        const char *with = strstr(finding->found, " with ");
        uint64_t count;
        if (finding->code->severity != STELE_NOTE)
            continue;
        if (with != NULL && strstr(with, " not asked for") != NULL &&
            sscanf(with, " with %" SCNu64, &count) == 1)
            notes.extra_count += count;
        sscanf(finding->expected, "--%31[^=]=%31[^ ] when", notes.key, notes.value);
    }
    return notes;
}

static size_t next_copied(const run *r, size_t at)
{
    while (at < r->event_count && !is_copied_event(&r->events[at]))
        at++;
    return at;
}

/* Returns whether a copy has `extra_count` events that were not kept, and all of its events are
   in the trace, in the same order. */
static bool copy_holds_more(const run *copied, const run *kept, const run *whole,
                            uint64_t extra_count)
{
    size_t at = next_copied(copied, 0), k = next_copied(kept, 0);
    for (size_t i = next_copied(whole, 0); i < whole->event_count; i = next_copied(whole, i + 1)) {
        const bool is_kept = k < kept->event_count && kept->events[k].number == i;
        const bool is_copied =
            at < copied->event_count && run_event_is_same(&copied->events[at], &whole->events[i]);
        if (is_kept && !is_copied)
            return false;
        if (is_copied && !is_kept && extra_count-- == 0)
            return false;
        if (is_copied)
            at = next_copied(copied, at + 1);
        if (is_kept)
            k = next_copied(kept, k + 1);
    }
    return at == copied->event_count && extra_count == 0;
}

/* Checks a copy. Gaps between the events kept are at most warnings, but missing registers may be
   errors, as instructions were left out. */
static void check_copy(const run *copied, const copy_choice *choice, const run *whole,
                       const copy_notes *notes)
{
    const run *kept = &choice->kept;
    for (size_t i = 0; i < copied->finding_count; i++) {
        if (copied->findings[i].code->severity == STELE_ERROR && !choice->has_insns)
            fail(copied->findings[i].code->code);
    }
    if (notes->extra_count != 0 ? !copy_holds_more(copied, kept, whole, notes->extra_count)
                                : !copy_holds_just(copied, kept, choice->has_insns))
        fail("a copy holds other events than were kept");
}

/* The size of a copy: what was kept, and the states that a copy begins with, whatever sizes a
   trace claims. */
#define COPY_FACTOR 8u
#define COPY_SPARE  ((size_t)64 << 10)

static void try_copies(const sample *s, run *r, const run *whole)
{
    copy_choice choice = {0};
    run_input in;
    piece_bytes copy;
    if (contract.format->copier == NULL)
        return;
    for (uint64_t seed = 0; seed < 16; seed++) {
        copy_notes notes;
        stele_setting setting;
        try_begin(s, "copy of choice", seed);
        choice.random = seed;
        choice.kept.event_count = choice.seen = 0;
        copy = copy_again(r, s, &choice);
        check_status(r);
        notes = copy_notes_take(r);
        if (copy.size > COPY_FACTOR * s->size + COPY_SPARE)
            fail("a copy is far larger than the trace");
        if (seed == 0 && s->is_good &&
            (copy.size != s->size || memcmp(copy.at, s->bytes, s->size) != 0))
            fail("a copy of everything is not the same");
        in = sample_input(s, copy.at, copy.size);
        setting = (stele_setting){notes.key, notes.value};
        in.settings = &setting;
        in.setting_count = notes.key[0] != '\0';
        if (s->is_folder && copy.size <= ARCHIVE_EMPTY) {
            __real_free(copy.at);
            continue; /* nothing was kept, and an empty archive cannot be recognized */
        }
        run_read(r, &in, &checked);
        check_status(r);
        if (s->is_good)
            check_copy(r, &choice, whole, &notes);
        __real_free(copy.at);
        contract.copies++;
    }
    run_free(&choice.kept);
}

/* ---- Expected findings of bad samples ---- */

typedef struct expectation {
    char code[16];
    uint64_t offset;
    bool is_met;
} expectation;

/* Reads the lines of bad/EXPECT for a sample: `file code offset`, with "-" for no offset. */
static size_t expectations_read(const sample *s, expectation *list, size_t max)
{
    char path[4096], line[512], file[256], offset[64];
    size_t count = 0;
    FILE *from;
    snprintf(path, sizeof path, "%s/src/formats/%s/bad/EXPECT", STELE_SOURCE_DIR,
             contract.format->name);
    from = fopen(path, "r");
    while (from != NULL && count < max && fgets(line, sizeof line, from) != NULL) {
        if (line[0] == '#' ||
            sscanf(line, "%255s %15s %63s", file, list[count].code, offset) != 3 ||
            strcmp(file, s->name) != 0)
            continue;
        list[count].offset = offset[0] == '-' ? STELE_NO_OFFSET : strtoull(offset, NULL, 0);
        list[count++].is_met = false;
    }
    if (from != NULL)
        fclose(from);
    return count;
}

static void try_findings(const sample *s, const run *known)
{
    expectation list[256];
    const size_t count = expectations_read(s, list, sizeof list / sizeof *list);
    char text[128];
    try_begin(s, "findings", 0);
    if (!s->is_good && count == 0)
        fail("a bad sample without a line in EXPECT");
    for (size_t i = 0; i < known->finding_count; i++) {
        const run_finding *finding = &known->findings[i];
        bool is_expected = false;
        for (size_t k = 0; k < count && !is_expected; k++) {
            if (list[k].is_met || list[k].offset != finding->offset ||
                strcmp(list[k].code, finding->code->code) != 0)
                continue;
            list[k].is_met = is_expected = true;
        }
        if (!is_expected && (!s->is_good || finding->code->severity == STELE_ERROR)) {
            snprintf(text, sizeof text, "unexpected %s %" PRId64, finding->code->code,
                     (int64_t)finding->offset);
            fail(text);
        }
    }
    for (size_t k = 0; k < count; k++) {
        contract.findings++;
        if (list[k].is_met)
            continue;
        snprintf(text, sizeof text, "expected %.15s %" PRId64 " does not come", list[k].code,
                 (int64_t)list[k].offset);
        fail(text);
    }
}

/* ---- Failing allocations ---- */

typedef struct deed {
    stele_status status;
    uint64_t sum;
} deed;

enum { DEED_READ, DEED_WRITE, DEED_COPY, DEED_DUMP, DEED_COUNT };

static bool dump_sum(void *user, const dump_record *record)
{
    *(uint64_t *)user += hash_bytes(record->text, strlen(record->text)) + record->offset;
    return true;
}

/* Does all that can be done with a sample, and keeps how each of it ended. */
static void do_all(const sample *s, run *r, deed deeds[DEED_COUNT])
{
    const run_input in = sample_input(s, s->bytes, s->size);
    copy_choice choice = {0};
    piece_bytes result = {NULL, 0};
    uint32_t loss_count;
    memset(deeds, 0, DEED_COUNT * sizeof *deeds);
    run_read(r, &in, &(stele_request){.check = true, .columns = STELE_COLUMNS_ALL});
    deeds[DEED_READ] = (deed){r->status, run_sum(r)};
    if (contract.format->writer != NULL) {
        result = write_again(r, s, s->bytes, s->size, &loss_count);
        deeds[DEED_WRITE] = (deed){r->status, hash_bytes(result.at, result.size)};
        __real_free(result.at);
    }
    if (contract.format->copier != NULL) {
        result = copy_again(r, s, &choice);
        deeds[DEED_COPY] = (deed){r->status, hash_bytes(result.at, result.size)};
        __real_free(result.at);
    }
    run_free(&choice.kept);
    if (run_begin(r)) {
        stele_trace *trace = run_open(r, &in);
        if (trace != NULL && contract.format->dump != NULL)
            run_fail(r, format_dump(
                            trace, &(dump_request){.fn = dump_sum, .user = &deeds[DEED_DUMP].sum}));
        stele_trace_close(trace);
        run_end(r);
    }
    deeds[DEED_DUMP].status = r->status;
}

static void check_deeds(const deed deeds[DEED_COUNT], const deed sound[DEED_COUNT])
{
    static const char *const names[DEED_COUNT] = {"reading", "writing", "copying", "dumping"};
    char text[128];
    for (int i = 0; i < DEED_COUNT; i++) {
        if (deeds[i].status != STELE_ERR_MEMORY && deeds[i].status != sound[i].status)
            snprintf(text, sizeof text, "%s: %.80s", names[i], stele_status_text(deeds[i].status));
        else if (deeds[i].status == sound[i].status && deeds[i].sum != sound[i].sum)
            snprintf(text, sizeof text, "%s: incomplete without a word", names[i]);
        else
            continue;
        fail(text);
    }
}

static void try_allocations(const sample *s, run *r)
{
    deed sound[DEED_COUNT], deeds[DEED_COUNT];
    if (s->size > ALLOCATION_SAMPLE)
        return;
    do_all(s, r, sound);
    for (uint64_t n = 0;; n++) {
        const uint64_t live = allocations_live;
        try_begin(s, "failing allocation", n);
        allocations_fail_at(n);
        do_all(s, r, deeds);
        if (!allocations_stop())
            return;
        check_deeds(deeds, sound);
        if (allocations_live != live)
            fail("memory is not freed");
        contract.allocations++;
    }
}

/* ---- Running all checks ---- */

/* Runs all checks but that of lost events. */
static void try_promises(const sample *s, run *r, const run *whole, const run *known,
                         const positions *p, const guarded *g)
{
    try_findings(s, known);
    try_pieces(s, r, whole);
    try_projection(s, r, whole);
    try_orders(s, r, whole);
    try_again(s, r, whole);
    try_windows(s, r, whole);
    try_cuts(s, r, whole);
    try_round_trip(s, r, whole, known);
    try_copies(s, r, whole);
    try_allocations(s, r);
    try_prefixes(s, p, g, r, whole);
}

/* Tries only reading ranges of time and pieces, `turns` times. */
static void try_ranges(const sample *s, run *r, unsigned turns)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    run whole = {0};
    run_read(&whole, &in, &everything);
    for (contract.turn = 0; contract.turn < turns; contract.turn++) {
        try_windows(s, r, &whole);
        try_cuts(s, r, &whole);
    }
    run_free(&whole);
}

/* ---- Dumps of records ---- */

/* Adds the position of a record in a dump. */
static bool dump_add(void *user, const dump_record *record)
{
    positions *p = user;
    p->at = run_grow(p->at, p->count, &p->capacity, sizeof *p->at);
    p->at[p->count++] = (size_t)record->offset;
    return true;
}

/*
 * Checks that a dump goes on after damage where reading does: each event is at a record of the
 * dump, unless records hold several events. Events whose functions have other names are left out,
 * as a dump has no names.
 */
static void try_dump(const sample *s, run *r, const run *whole)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    positions p = {0};
    size_t at = 0, missing = 0;
    stele_trace *trace;
    if (s->is_folder || contract.format->dump == NULL)
        return;
    try_begin(s, "dump", 0);
    run_begin(r);
    trace = run_open(r, &in);
    if (trace != NULL)
        format_dump(trace, &(dump_request){.fn = dump_add, .user = &p});
    stele_trace_close(trace);
    run_end(r);
    for (size_t i = 0; i < whole->event_count; i++) {
        const uint64_t offset = whole->events[i].offset;
        while (at < p.count && p.at[at] < offset)
            at++;
        missing +=
            whole->events[i].kind != STELE_KIND_LOST && (at == p.count || p.at[at] != offset);
    }
    if (missing != 0 && missing != whole->event_count && strncmp(s->name, "askew", 5) != 0)
        fail("events stand at no record of the dump");
    __real_free(p.at);
}

static void try_sample(const sample *s, run *r)
{
    const run_input in = sample_input(s, s->bytes, s->size);
    const guarded g = guarded_make(s->size);
    positions p;
    run whole = {0}, known = {0};
    try_begin(s, "reading", 0);
    run_read(&whole, &in, &everything);
    check_status(&whole);
    if (s->is_good && whole.status != STELE_OK)
        fail(stele_status_text(whole.status));
    run_read(&known, &in, &checked);
    p = sample_positions(s);
    try_dump(s, r, &whole);
    if (!contract.is_of_losses)
        try_promises(s, r, &whole, &known, &p, &g);
    try_flips(s, &p, &g, r, &whole);
    try_damage(s, r, &whole);
    munmap(g.map, g.map_size);
    __real_free(p.at);
    run_free(&whole);
    run_free(&known);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], on_signal);
}

/* Returns whether the arguments choose a sample. */
static bool is_chosen(size_t number, int argc, char **argv)
{
    size_t share, count;
    if (argc < 4)
        return true;
    if (strcmp(argv[2], "--share") != 0)
        return strcmp(argv[3], contract.samples[number].name) == 0;
    return sscanf(argv[3], "%zu/%zu", &share, &count) == 2 && count != 0 &&
           number % count + 1 == share;
}

int main(int argc, char **argv)
{
    const effort *chosen = effort_find(argc > 2 ? argv[2] : "");
    run r = {0};
    size_t tried = 0;
    contract.format = argc > 1 ? format_find(argv[1]) : NULL;
    if (contract.format == NULL || chosen == NULL) {
        fprintf(stderr, "usage: contract FORMAT [--quick | --brief | --exhaustive | --ranges | "
                        "--losses [SAMPLE] | --share NUMBER/COUNT]\n");
        return 2;
    }
    contract.exhaustive_size = chosen->exhaustive_size;
    contract.random_positions = chosen->random_positions;
    contract.case_seconds = chosen->case_seconds;
    contract.is_of_losses = chosen->is_of_losses;
    samples_add("good", true);
    samples_add("bad", false);
    if (contract.sample_count == 0) {
        printf("FAILED: no samples in src/formats/%s\n", contract.format->name);
        return 1;
    }
    catch_signals();
    for (size_t i = 0; i < contract.sample_count; i++) {
        if (!is_chosen(i, argc, argv))
            continue;
        tried++;
        if (chosen->turns != 0)
            try_ranges(&contract.samples[i], &r, chosen->turns);
        else
            try_sample(&contract.samples[i], &r);
    }
    alarm(0);
    if (tried == 0)
        fail("the arguments choose no sample");
    printf("%zu samples: %" PRIu64 " prefixes, %" PRIu64 " flips, %" PRIu64 " inputs in pieces, "
           "%" PRIu64 " projections, %" PRIu64 " orders, %" PRIu64 " ranges, %" PRIu64
           " cut in pieces, %" PRIu64 " written again, %" PRIu64 " copies, %" PRIu64
           " failing allocations, %" PRIu64 " expected findings; %u failures\n",
           tried, contract.prefixes, contract.flips, contract.chunkings, contract.projections,
           contract.orders, contract.windows, contract.cuts, contract.round_trips, contract.copies,
           contract.allocations, contract.findings, contract.failures);
    if (contract.flips != 0)
        printf("one damaged byte costs at most %" PRIu64 " other events, %" PRIu64
               " of them without a finding; %" PRIu64 " traces were refused\n",
               contract.lost_max, contract.unnamed_max, contract.refused);
    if (contract.damages != 0)
        printf("%" PRIu64 " times more bytes were damaged: %" PRIu64 " other events lost, %" PRIu64
               " of them without a finding, at most %" PRIu64 " at a time; %" PRIu64
               " traces were refused\n",
               contract.damages, contract.damage_lost, contract.damage_unnamed,
               contract.damage_unnamed_max, contract.damage_refused);
    run_free(&r);
    for (size_t i = 0; i < contract.sample_count; i++) {
        free(contract.samples[i].path);
        free(contract.samples[i].bytes);
    }
    free(contract.samples);
    return contract.failures != 0;
}
