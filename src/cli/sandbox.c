/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* for O_PATH */
#include "cli/sandbox.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER /* it inspects the process from another one when it ends */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#if defined(__linux__) && defined(__has_include) && !defined(HAS_SANITIZER)
#if __has_include(<linux/landlock.h>) && __has_include(<linux/seccomp.h>)
#define HAS_SANDBOX
#endif
#endif

#ifndef HAS_SANDBOX

sandbox *sandbox_new(void)
{
    return NULL;
}

void sandbox_allow_reading(sandbox *s, const char *path)
{
    (void)s;
    (void)path;
}

void sandbox_allow_writing(sandbox *s, const char *path)
{
    (void)s;
    (void)path;
}

void sandbox_allow_folder(sandbox *s, const char *path)
{
    (void)s;
    (void)path;
}

void sandbox_allow_reading_all(sandbox *s)
{
    (void)s;
}

bool sandbox_enter(sandbox *s)
{
    (void)s;
    return false;
}

#else

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Files: Landlock ------------------------------------------------------------------------- */

/* Rights that headers may be too old to define. */
#define RIGHT_REFER    (UINT64_C(1) << 13) /* to move files between folders; since version 2 */
#define RIGHT_TRUNCATE (UINT64_C(1) << 14) /* to truncate files; since version 3 */

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITING                                                      \
    (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)
#define OTHERS                                                                                  \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)
/* A folder is replaced as a whole, so other entries of it are moved: links, pipes, sockets. */
#define KEEPING                                                                                  \
    (LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SOCK | \
     RIGHT_REFER | RIGHT_TRUNCATE)
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | RIGHT_TRUNCATE)

#define LINKS_MAX 4096u /* most entries of folders that are searched for links */
#define DEPTH_MAX 8u

struct sandbox {
    int rules;      /* file descriptor; -1: the kernel has no Landlock */
    uint64_t known; /* rights that the kernel knows */
    unsigned links;
};

static int landlock_version(void)
{
    return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static void allow_open(sandbox *s, int fd, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = fd};
    struct stat about;
    if (fstat(fd, &about) != 0)
        return;
    rule.allowed_access = rights & s->known & (S_ISDIR(about.st_mode) ? UINT64_MAX : OF_FILES);
    /* What cannot be allowed stays forbidden, which shows when it is used. */
    (void)!syscall(SYS_landlock_add_rule, s->rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

static void allow(sandbox *s, const char *path, uint64_t rights)
{
    const int fd = s->rules >= 0 ? open(path, O_PATH | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    allow_open(s, fd, rights);
    close(fd);
}

/* Allows to read the targets of links in a folder. */
static void allow_links(sandbox *s, int folder, unsigned depth)
{
    DIR *entries = fdopendir(folder);
    const struct dirent *entry;
    while (entries != NULL && (entry = readdir(entries)) != NULL && s->links < LINKS_MAX) {
        struct stat about;
        const char *name = entry->d_name;
        int fd;
        s->links++;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            fstatat(dirfd(entries), name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISLNK(about.st_mode) &&
            (fd = openat(dirfd(entries), name, O_PATH | O_CLOEXEC)) >= 0) {
            allow_open(s, fd, READING);
            close(fd);
        }
        if (S_ISDIR(about.st_mode) && depth < DEPTH_MAX &&
            (fd = openat(dirfd(entries), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0)
            allow_links(s, fd, depth + 1);
    }
    if (entries != NULL)
        closedir(entries);
    else
        close(folder);
}

/* Paths that the C library and libraries loaded later read. */
static const char *const needed[] = {"/usr/lib",
                                     "/usr/lib64",
                                     "/usr/local/lib",
                                     "/lib",
                                     "/lib64",
                                     "/usr/share/zoneinfo",
                                     "/etc/ld.so.cache",
                                     "/etc/localtime",
                                     "/sys/devices/system/cpu",
                                     "/proc/self",
                                     "/proc/stat",
                                     "/proc/cpuinfo",
                                     "/proc/meminfo"};

static void allow_libraries(sandbox *s)
{
    const char *paths = getenv("LD_LIBRARY_PATH");
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        allow(s, needed[i], READING);
    allow(s, "/dev/null", READING | LANDLOCK_ACCESS_FS_WRITE_FILE);
    while (paths != NULL && *paths != '\0') {
        const size_t size = strcspn(paths, ":");
        if (size != 0 && size < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)size, paths);
            allow(s, path, READING);
        }
        paths += size + (paths[size] == ':');
    }
}

sandbox *sandbox_new(void)
{
    struct landlock_ruleset_attr all = {0};
    const int version = landlock_version();
    sandbox *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->rules = -1;
    if (version < 1)
        return s;
    s->known = READING | WRITING | OTHERS | (version >= 2 ? RIGHT_REFER : 0) |
               (version >= 3 ? RIGHT_TRUNCATE : 0);
    all.handled_access_fs = s->known;
    s->rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all.handled_access_fs, 0);
    if (s->rules >= 0)
        allow_libraries(s);
    return s;
}

void sandbox_allow_reading(sandbox *s, const char *path)
{
    int folder;
    if (s == NULL || s->rules < 0)
        return;
    allow(s, path, READING);
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (folder >= 0)
        allow_links(s, folder, 0);
}

void sandbox_allow_folder(sandbox *s, const char *path)
{
    if (s != NULL)
        allow(s, path, READING | WRITING | RIGHT_REFER | RIGHT_TRUNCATE);
}

void sandbox_allow_reading_all(sandbox *s)
{
    if (s != NULL)
        allow(s, "/", READING);
}

void sandbox_allow_writing(sandbox *s, const char *path)
{
    char folder[PATH_MAX];
    struct stat about;
    if (s == NULL || s->rules < 0 || strlen(path) >= sizeof folder)
        return;
    /* an existing path: a file, a device, or a whole folder */
    allow(s, path, READING | WRITING | KEEPING);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return;
    snprintf(folder, sizeof folder, "%s", path);
    for (;;) { /* allow the folder that it is in, or the innermost one that exists */
        char *slash = strrchr(folder, '/');
        if (slash == NULL)
            snprintf(folder, sizeof folder, ".");
        else
            slash[slash == folder] = '\0';
        if (slash == NULL || slash == folder || stat(folder, &about) == 0)
            break;
    }
    allow(s, folder, READING | WRITING | KEEPING);
}

/* ---- System calls: seccomp ------------------------------------------------------------------- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define REFUSE(name)                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static bool filter_calls(void)
{
    /* Higher numbers belong to another ABI of the same machine. */
    enum { OTHER_ABI = 0x40000000 };
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        /* No network, nor other processes through it. */
        REFUSE(socket), REFUSE(socketpair), REFUSE(connect), REFUSE(bind), REFUSE(listen),
        REFUSE(accept), REFUSE(accept4),
        /* No execution of programs. */
        REFUSE(execve), REFUSE(execveat),
        /* No access to other processes. */
        REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev), REFUSE(kcmp),
        /* No ways around the rules for files, and none into the kernel. */
        REFUSE(open_by_handle_at), REFUSE(io_uring_setup), REFUSE(io_uring_enter),
        REFUSE(io_uring_register), REFUSE(userfaultfd), REFUSE(bpf), REFUSE(perf_event_open),
        REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl), REFUSE(unshare), REFUSE(setns),
        /* No changes of the system. */
        REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot), REFUSE(swapon),
        REFUSE(swapoff), REFUSE(reboot), REFUSE(init_module), REFUSE(finit_module),
        REFUSE(delete_module), REFUSE(kexec_load), REFUSE(settimeofday), REFUSE(clock_settime),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

static bool filter_calls(void)
{
    return false;
}

#endif

bool sandbox_enter(sandbox *s)
{
    bool is_in = false;
    if (s == NULL)
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        is_in = s->rules >= 0 && syscall(SYS_landlock_restrict_self, s->rules, 0) == 0;
        is_in |= filter_calls();
    }
    if (s->rules >= 0)
        close(s->rules);
    free(s);
    return is_in;
}

#endif
