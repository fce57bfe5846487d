/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hash.h"

#include <sys/random.h>
#include <time.h>

hash_key hash_key_make(void)
{
    hash_key key;
    struct timespec now = {0};
    if (getrandom(&key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) {
        /* Shortly after a machine has started there may be no random bits; the address and the time
           then differ from run to run. */
        clock_gettime(CLOCK_MONOTONIC, &now);
        key.first = hash_u64((uint64_t)(uintptr_t)&key ^ (uint64_t)now.tv_nsec);
        key.second = hash_u64(key.first ^ (uint64_t)now.tv_sec);
    }
    key.second |= 1; /* a factor, which should not be even */
    return key;
}
