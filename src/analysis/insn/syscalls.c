/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/syscalls.h"

#include <string.h>

static const syscall_info table[] = {
#define SYSCALL(number, name, arguments, result) {number, #name, arguments, result},
#include "analysis/insn/syscalls.def"
#undef SYSCALL
};

/* Names by error number, as Linux has them for AArch64 (asm-generic/errno.h); "" where there is
   none. */
static const char *const errors[] = {"",
                                     "EPERM",
                                     "ENOENT",
                                     "ESRCH",
                                     "EINTR",
                                     "EIO",
                                     "ENXIO",
                                     "E2BIG",
                                     "ENOEXEC",
                                     "EBADF",
                                     "ECHILD",
                                     "EAGAIN",
                                     "ENOMEM",
                                     "EACCES",
                                     "EFAULT",
                                     "ENOTBLK",
                                     "EBUSY",
                                     "EEXIST",
                                     "EXDEV",
                                     "ENODEV",
                                     "ENOTDIR",
                                     "EISDIR",
                                     "EINVAL",
                                     "ENFILE",
                                     "EMFILE",
                                     "ENOTTY",
                                     "ETXTBSY",
                                     "EFBIG",
                                     "ENOSPC",
                                     "ESPIPE",
                                     "EROFS",
                                     "EMLINK",
                                     "EPIPE",
                                     "EDOM",
                                     "ERANGE",
                                     "EDEADLK",
                                     "ENAMETOOLONG",
                                     "ENOLCK",
                                     "ENOSYS",
                                     "ENOTEMPTY",
                                     "ELOOP",
                                     "",
                                     "ENOMSG",
                                     "EIDRM",
                                     "ECHRNG",
                                     "EL2NSYNC",
                                     "EL3HLT",
                                     "EL3RST",
                                     "ELNRNG",
                                     "EUNATCH",
                                     "ENOCSI",
                                     "EL2HLT",
                                     "EBADE",
                                     "EBADR",
                                     "EXFULL",
                                     "ENOANO",
                                     "EBADRQC",
                                     "EBADSLT",
                                     "",
                                     "EBFONT",
                                     "ENOSTR",
                                     "ENODATA",
                                     "ETIME",
                                     "ENOSR",
                                     "ENONET",
                                     "ENOPKG",
                                     "EREMOTE",
                                     "ENOLINK",
                                     "EADV",
                                     "ESRMNT",
                                     "ECOMM",
                                     "EPROTO",
                                     "EMULTIHOP",
                                     "EDOTDOT",
                                     "EBADMSG",
                                     "EOVERFLOW",
                                     "ENOTUNIQ",
                                     "EBADFD",
                                     "EREMCHG",
                                     "ELIBACC",
                                     "ELIBBAD",
                                     "ELIBSCN",
                                     "ELIBMAX",
                                     "ELIBEXEC",
                                     "EILSEQ",
                                     "ERESTART",
                                     "ESTRPIPE",
                                     "EUSERS",
                                     "ENOTSOCK",
                                     "EDESTADDRREQ",
                                     "EMSGSIZE",
                                     "EPROTOTYPE",
                                     "ENOPROTOOPT",
                                     "EPROTONOSUPPORT",
                                     "ESOCKTNOSUPPORT",
                                     "EOPNOTSUPP",
                                     "EPFNOSUPPORT",
                                     "EAFNOSUPPORT",
                                     "EADDRINUSE",
                                     "EADDRNOTAVAIL",
                                     "ENETDOWN",
                                     "ENETUNREACH",
                                     "ENETRESET",
                                     "ECONNABORTED",
                                     "ECONNRESET",
                                     "ENOBUFS",
                                     "EISCONN",
                                     "ENOTCONN",
                                     "ESHUTDOWN",
                                     "ETOOMANYREFS",
                                     "ETIMEDOUT",
                                     "ECONNREFUSED",
                                     "EHOSTDOWN",
                                     "EHOSTUNREACH",
                                     "EALREADY",
                                     "EINPROGRESS",
                                     "ESTALE",
                                     "EUCLEAN",
                                     "ENOTNAM",
                                     "ENAVAIL",
                                     "EISNAM",
                                     "EREMOTEIO",
                                     "EDQUOT",
                                     "ENOMEDIUM",
                                     "EMEDIUMTYPE",
                                     "ECANCELED",
                                     "ENOKEY",
                                     "EKEYEXPIRED",
                                     "EKEYREVOKED",
                                     "EKEYREJECTED",
                                     "EOWNERDEAD",
                                     "ENOTRECOVERABLE",
                                     "ERFKILL",
                                     "EHWPOISON"};

const syscall_info *syscall_find(uint64_t number)
{
    size_t first = 0, last = sizeof table / sizeof table[0];
    while (first < last) {
        const size_t middle = (first + last) / 2;
        if (table[middle].number == number)
            return &table[middle];
        if (table[middle].number < number)
            first = middle + 1;
        else
            last = middle;
    }
    return NULL;
}

const char *syscall_argument(const syscall_info *info, size_t index, size_t *size, char *type)
{
    const char *at = info->arguments;
    for (; index > 0 && *at != 0; index--)
        at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' ');
    if (*at == 0)
        return NULL;
    *size = strcspn(at, ":");
    *type = at[*size + 1];
    return at;
}

const char *syscall_error(uint64_t number)
{
    const char *name = number < sizeof errors / sizeof errors[0] ? errors[number] : "";
    return *name != 0 ? name : NULL;
}
