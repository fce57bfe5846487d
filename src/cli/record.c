/* SPDX-License-Identifier: Apache-2.0 */
/* stele record: runs a program under QEMU, whose plugin records it (tools/xtrace-qemu). This
   file only checks that everything is there, and makes the command line. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "stele_config.h"

#define VECTOR_BITS_MAX 2048u
#define WORDS_MAX       16  /* QEMU's own arguments before the program */
#define NUMBERS_SIZE    256 /* bytes of the plugin's settings except paths */

extern char **environ;

typedef struct recording {
    char emulator[PATH_MAX];
    char plugin[PATH_MAX];
    char folder[PATH_MAX];
    char cpu[256];
    /* room for two paths of nothing but commas, which are doubled */
    char settings[4 * PATH_MAX + NUMBERS_SIZE];
    char program[PATH_MAX];
} recording;

/* Reports what cannot be used and how to get it. Always returns false. */
__attribute__((format(printf, 3, 4))) static bool refuse(cli *c, exit_code code, const char *format,
                                                         ...)
{
    va_list list;
    fputs("stele: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    cli_exit(c, code);
    return false;
}

/* Whether a path is too long for the system, which is reported. */
static bool is_cut(cli *c, int size, const char *path)
{
    return size < 0 || size >= PATH_MAX ? !refuse(c, EXIT_UNREADABLE, "%.64s...: too long", path)
                                        : false;
}

/* ---- Program to record ----------------------------------------------------------------------- */

/*
 * The ELF header of 64 bits (gABI 4.1):        A program header:
 *    0  4  magic                                  0  4  type
 *    4  1  class, 2 is 64 bits                    8  8  offset in the file
 *   18  2  machine                               32  8  size in the file
 *   32  8  offset of the program headers
 *   54  2  size of one    56  2  their number
 */
#define ELF_HEADER_SIZE    64
#define ELF_SEGMENT_SIZE   56
#define ELF_AARCH64        183u
#define ELF_SEGMENT_INTERP 3u

/* Reads a little-endian number of `size` bytes. */
static uint64_t number_at(unsigned size, const uint8_t *at)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | at[size];
    return value;
}

/* Reads the name of the loader that the program needs; "" if it needs none. */
static void interpreter_read(int file, const uint8_t *header, char name[PATH_MAX])
{
    uint64_t at = number_at(8, header + 32);
    uint8_t segment[ELF_SEGMENT_SIZE];
    name[0] = 0;
    for (unsigned left = (unsigned)number_at(2, header + 56); left > 0;
         left--, at += number_at(2, header + 54)) {
        if (pread(file, segment, sizeof segment, (off_t)at) != (ssize_t)sizeof segment)
            return;
        if (number_at(4, segment) != ELF_SEGMENT_INTERP)
            continue;
        const uint64_t said = number_at(8, segment + 32);
        const size_t size = said < PATH_MAX ? (size_t)said : PATH_MAX;
        if (size < PATH_MAX &&
            pread(file, name, size, (off_t)number_at(8, segment + 8)) == (ssize_t)size)
            name[size] = 0;
        return;
    }
}

/* Sets the path of the program. QEMU takes one that begins with '-' as an option, so it gets
   "./" in front. */
static bool program_name(cli *c, recording *r)
{
    const char *path = c->options.arguments[0];
    return !is_cut(
        c, snprintf(r->program, sizeof r->program, "%s%s", *path == '-' ? "./" : "", path), path);
}

static bool program_check(cli *c, const char *path)
{
    const char *sysroot = option_value(&c->options, OPTION_SYSROOT);
    uint8_t header[ELF_HEADER_SIZE] = {0};
    char interpreter[PATH_MAX] = "", found[2 * PATH_MAX];
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file == -1)
        return refuse(c, EXIT_UNREADABLE, "%s: %s", path, strerror(errno));
    const bool is_whole = pread(file, header, sizeof header, 0) == (ssize_t)sizeof header;
    const bool is_elf = is_whole && memcmp(header, "\177ELF\2", 5) == 0;
    const bool is_aarch64 = is_elf && number_at(2, header + 18) == ELF_AARCH64;
    if (is_aarch64)
        interpreter_read(file, header, interpreter);
    close(file);
    if (!is_aarch64)
        return refuse(c, EXIT_UNREADABLE, "%s: no AArch64 program (no ELF file of its machine)",
                      path);
    snprintf(found, sizeof found, "%s%s", sysroot != NULL ? sysroot : "", interpreter);
    if (interpreter[0] != 0 && access(found, R_OK) != 0)
        return refuse(c, EXIT_UNREADABLE,
                      "%s: needs its loader, and there is no %s: --sysroot names the folder that "
                      "has %s, or link it with -static",
                      path, found, interpreter);
    return true;
}

/* ---- QEMU and its plugin --------------------------------------------------------------------- */

/* Finds QEMU as a shell finds programs. If it is not there, reports it and returns false. */
static bool emulator_find(cli *c, recording *r)
{
    const char *name = option_value(&c->options, OPTION_EMULATOR);
    const char *folders = strchr(name, '/') != NULL ? NULL : getenv("PATH");
    if (is_cut(c, snprintf(r->emulator, sizeof r->emulator, "%s", name), name))
        return false;
    while (folders != NULL && *folders != 0) {
        const size_t size = strcspn(folders, ":");
        const int length =
            snprintf(r->emulator, sizeof r->emulator, "%.*s/%s", (int)size, folders, name);
        if (length < PATH_MAX && access(r->emulator, X_OK) == 0)
            return true;
        folders += size + (folders[size] != 0);
    }
    if (strchr(name, '/') != NULL && access(r->emulator, X_OK) == 0)
        return true;
    return refuse(c, EXIT_UNREADABLE,
                  "%s is not there (package qemu-user of Debian 12); --emulator names another",
                  name);
}

/* Whether QEMU's help lists the option -plugin. */
static bool emulator_has_plugins(const char *path)
{
    char *const words[] = {(char *)path, "-h", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    pid_t child;
    bool is_known = false;
    if (pipe(ends) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const bool is_running = posix_spawn(&child, path, &actions, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *help = fdopen(ends[0], "r");
    char line[512];
    while (help != NULL && fgets(line, sizeof line, help) != NULL)
        is_known |= strstr(line, "-plugin") != NULL;
    if (help != NULL)
        fclose(help);
    if (is_running)
        waitpid(child, NULL, 0);
    return is_known;
}

/* The name after the last '/' of a path. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Finds the plugin: the one that was named, or the one installed, or the one built. */
static bool plugin_find(cli *c, recording *r)
{
    static const char *const places[] = {STELE_RECORDER_FOLDER, "tools/xtrace-qemu"};
    const char *named = option_value(&c->options, OPTION_PLUGIN);
    char here[PATH_MAX];
    if (named != NULL) { /* a name without a folder would be searched like a library */
        if (is_cut(c,
                   snprintf(r->plugin, sizeof r->plugin, "%s%s",
                            strchr(named, '/') != NULL ? "" : "./", named),
                   named))
            return false;
        return access(named, R_OK) == 0 ||
               refuse(c, EXIT_UNREADABLE, "%s: %s", named, strerror(errno));
    }
    const ssize_t size = readlink("/proc/self/exe", here, sizeof here - 1);
    here[size > 0 ? size : 0] = 0;
    const size_t folder_size = (size_t)(base_of(here) - here);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(r->plugin, sizeof r->plugin, "%.*s%s/xtrace-qemu.so", (int)folder_size, here,
                 places[i]);
        if (access(r->plugin, R_OK) == 0)
            return true;
    }
    return refuse(
        c, EXIT_UNREADABLE,
        "the plugin xtrace-qemu.so is not there: build Stele with -DSTELE_QEMU_RECORDER=ON "
        "or run make in tools/xtrace-qemu; --plugin names it");
}

/* ---- Output folder --------------------------------------------------------------------------- */

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    bool is_empty = folder != NULL;
    const struct dirent *entry;
    while (is_empty && (entry = readdir(folder)) != NULL)
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder != NULL)
        closedir(folder);
    return is_empty;
}

/* Makes the output folder, which must be new or empty, because collections cannot be mixed. */
static bool folder_make(cli *c, recording *r)
{
    const char *named = option_value(&c->options, OPTION_COLLECTION);
    const int size = named != NULL
                         ? snprintf(r->folder, sizeof r->folder, "%s", named)
                         : snprintf(r->folder, sizeof r->folder, "%s.xtrace", base_of(r->program));
    if (is_cut(c, size, r->folder))
        return false;
    if (mkdir(r->folder, 0777) == 0)
        return true;
    if (errno != EEXIST)
        return refuse(c, EXIT_UNWRITABLE, "%s: %s", r->folder, strerror(errno));
    return folder_is_empty(r->folder) ||
           refuse(c, EXIT_UNWRITABLE, "%s is there and no empty folder; -o names another",
                  r->folder);
}

/* ---- Start of QEMU --------------------------------------------------------------------------- */

/* Describes the CPU: SVE vectors as long as the option says, and SME vectors not longer. */
static bool cpu_describe(cli *c, recording *r)
{
    const uint64_t bits = option_number(&c->options, OPTION_VECTOR_LENGTH);
    if (bits == 0 || bits > VECTOR_BITS_MAX || bits % 128 != 0)
        return cli_usage(c, "--vector-length is 128 to %u, in steps of 128", VECTOR_BITS_MAX);
    int size = snprintf(r->cpu, sizeof r->cpu,
                        "max,sve-max-vq=%" PRIu64
                        ",sve-default-vector-length=-1,sme-default-vector-length=-1",
                        bits / 128);
    for (unsigned longer = 256; longer <= VECTOR_BITS_MAX; longer *= 2)
        if (longer > bits)
            size += snprintf(r->cpu + size, sizeof r->cpu - (size_t)size, ",sme%u=off", longer);
    return true;
}

/* Appends a path with each comma doubled, as QEMU requires. Returns the end. */
static char *quote(char *to, const char *path)
{
    for (; *path != 0; path++) {
        if (*path == ',')
            *to++ = ',';
        *to++ = *path;
    }
    return to;
}

static void settings_write(cli *c, recording *r)
{
    const options *o = &c->options;
    char *const end = r->settings + sizeof r->settings;
    char *to = quote(r->settings, r->plugin);
    to += snprintf(to, (size_t)(end - to), ",dir=");
    to = quote(to, r->folder);
    to += snprintf(to, (size_t)(end - to), ",interval=%" PRIu64 ",marks=%s,time=%s,quiet=%s",
                   option_number(o, OPTION_INTERVAL), option_value(o, OPTION_MARKS),
                   option_given(o, OPTION_MEMORY_ORDER) ? "on" : "off", c->is_quiet ? "on" : "off");
    if (option_given(o, OPTION_RECORD_COUNT))
        snprintf(to, (size_t)(end - to), ",count=%" PRIu64, option_number(o, OPTION_RECORD_COUNT));
}

/* Replaces the process by QEMU. Returns only if that fails. */
static void run(cli *c, recording *r)
{
    const options *o = &c->options;
    const char *sysroot = option_value(o, OPTION_SYSROOT);
    const char **words = calloc(WORDS_MAX + o->argument_count + 1, sizeof *words);
    size_t count = 0;
    if (words == NULL) {
        cli_check(c, STELE_ERR_MEMORY, r->emulator);
        return;
    }
    const char *const own[] = {r->emulator, "-singlestep", "-cpu", r->cpu,
                               "-plugin",   r->settings,   "-0",   o->arguments[0]};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        words[count++] = own[i];
    if (sysroot != NULL) {
        words[count++] = "-L";
        words[count++] = sysroot;
    }
    memcpy(words + count, o->arguments, o->argument_count * sizeof *words);
    words[count] = r->program;
    signal(SIGPIPE, SIG_DFL); /* signals ignored here would stay ignored in QEMU */
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_DFL);
#endif
    execv(r->emulator, (char *const *)words);
    refuse(c, EXIT_UNREADABLE, "%s: %s", r->emulator, strerror(errno));
    free(words);
}

void command_RECORD(cli *c)
{
    recording r = {.settings = ""};
    if (!option_given(&c->options, OPTION_QEMU)) {
        cli_usage(c, "record needs --qemu, the only recorder there is");
        return;
    }
    if (!cpu_describe(c, &r) || !program_name(c, &r) || !program_check(c, r.program) ||
        !emulator_find(c, &r) || !plugin_find(c, &r))
        return;
    if (!emulator_has_plugins(r.emulator)) {
        refuse(c, EXIT_UNREADABLE,
               "%s knows no plugins: the qemu-user of Debian 12 (QEMU 7.2) does; --emulator names "
               "another",
               r.emulator);
        return;
    }
    if (folder_make(c, &r)) {
        settings_write(c, &r);
        run(c, &r);
    }
}
