/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that should not be in the command, as an error in a decoder could bring it there. Loaded
 * before the C library, it replaces pread(), which inputs are read with. At the first call it tries
 * what a reader of traces does not need, and prints the results.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* with it, pread() is an inline function of the header */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ssize_t pread_fn(int, void *, size_t, off_t);

static void say(const char *what, bool is_done)
{
    fprintf(stderr, "intruder: %s: %s\n", what, is_done ? "done" : strerror(errno));
}

static void intrude(void)
{
    const char *other = getenv("INTRUDER_FILE"), *folder = getenv("INTRUDER_FOLDER");
    char made[4096];
    char *const words[] = {(char *)"true", NULL};
    snprintf(made, sizeof made, "%s/made", folder);
    say("read another file", open(other, O_RDONLY) >= 0);
    say("write another file", open(other, O_WRONLY) >= 0);
    say("make a file", open(made, O_WRONLY | O_CREAT, 0600) >= 0);
    say("remove another file", unlink(other) == 0);
    say("make a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    execv("/bin/true", words);
    say("run a program", false);
}

/* Offsets have 64 bits here, so this is pread64() on systems that have both. */
ssize_t pread(int fd, void *to, size_t size, off_t offset)
{
    static bool was_here;
    pread_fn *own;
    *(void **)&own = dlsym(RTLD_NEXT, sizeof(long) < sizeof(off_t) ? "pread64" : "pread");
    if (!was_here) {
        was_here = true;
        intrude();
    }
    return own(fd, to, size, offset);
}
