/* SPDX-License-Identifier: Apache-2.0 */
#include "core/table.h"

#include <stdlib.h>

#include "core/keyed.h"
#include "support.h"

enum { KEYS = 2000 };

static uint32_t look(const hash_table *t, const uint64_t *keys, uint64_t key)
{
    const uint32_t hash = hash_table_hash_u64(t, key);
    for (uint32_t at = hash, number; (number = hash_table_next(t, hash, &at)) != HASH_NONE;) {
        if (keys[number] == key)
            return number;
    }
    return HASH_NONE;
}

/* Random numbers are put, removed and renumbered; a plain array says what must be found. */
TEST(what_is_removed_is_gone_and_all_else_is_found)
{
    uint64_t keys[KEYS] = {0}, seed = 7;
    bool is_there[KEYS] = {false};
    hash_table t = {.slots = NULL};
    size_t count = 0;
    CHECK(look(&t, keys, 1) == HASH_NONE);
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i < KEYS / 2 ? i : (uint64_t)i << 40;
    for (unsigned step = 0; step < 50000; step++) {
        const uint32_t i = (uint32_t)(random_next(&seed) % (step < 25000 ? KEYS : KEYS / 20));
        if (is_there[i]) {
            hash_table_remove(&t, hash_table_hash_u64(&t, keys[i]), i);
            count--;
        } else {
            REQUIRE(hash_table_reserve(&t));
            hash_table_put(&t, hash_table_hash_u64(&t, keys[i]), i);
            count++;
        }
        is_there[i] = !is_there[i];
        CHECK_EQ_U64(t.count, count);
        if (step % 500 != 0)
            continue;
        for (uint32_t k = 0; k < KEYS; k++)
            CHECK_EQ_U64(look(&t, keys, keys[k]), is_there[k] ? k : HASH_NONE);
    }
    hash_table_clear(&t);
    for (uint32_t k = 0; k < KEYS; k++)
        CHECK(look(&t, keys, keys[k]) == HASH_NONE);
    hash_table_free(&t);
}

TEST(numbers_of_one_key_are_told_apart)
{
    hash_table t = {.slots = NULL};
    const uint32_t hash = 12;
    uint32_t at = hash, sum = 0;
    for (uint32_t i = 0; i < 20; i++) {
        REQUIRE(hash_table_reserve(&t));
        hash_table_put(&t, hash, i);
    }
    hash_table_renumber(&t, hash, 5, 100);
    hash_table_remove(&t, hash, 7);
    for (uint32_t number; (number = hash_table_next(&t, hash, &at)) != HASH_NONE;)
        sum += number;
    CHECK_EQ_U64(sum, 190 - 5 + 100 - 7);
    hash_table_free(&t);
}

TEST(a_hash_of_32_bits_belongs_to_one_number)
{
    hash_table t = {.slots = NULL};
    REQUIRE(hash_table_make_room(&t, 70000));
    for (uint32_t i = 0; i < 70000; i++) {
        const uint32_t hash = hash_table_hash_u32(&t, i * 61681);
        hash_table_slot *slot = hash_table_slot_of(&t, hash);
        REQUIRE(slot->number == 0);
        *slot = (hash_table_slot){hash, i + 1};
        t.count++;
    }
    for (uint32_t i = 0; i < 70000; i++)
        CHECK_EQ_U64(hash_table_slot_of(&t, hash_table_hash_u32(&t, i * 61681))->number, i + 1);
    hash_table_free(&t);
}

typedef struct square {
    uint64_t key, value;
} square;

/* Zeros mark free slots, so the entry of the key 0 has a place of its own. */
TEST(the_key_0_is_one_like_others)
{
    static const uint64_t keys[] = {0, UINT64_MAX, 1};
    const size_t key_count = sizeof keys / sizeof keys[0];
    keyed t;
    size_t count = 0;
    uint64_t sum = 0;
    REQUIRE(keyed_init(&t, sizeof(square)));
    for (size_t i = 0; i < keyed_end(&t); i++)
        CHECK(keyed_at(&t, sizeof(square), i) == NULL);
    for (uint64_t round = 1; round <= 2; round++)
        for (size_t i = 0; i < key_count; i++)
            ((square *)keyed_find(&t, sizeof(square), keys[i]))->value += round;
    CHECK_EQ_U64(t.used, key_count);
    REQUIRE(keyed_make_room(&t, sizeof(square), 5000));
    for (size_t i = 0; i < keyed_end(&t); i++) {
        const square *of = keyed_at(&t, sizeof *of, i);
        count += of != NULL;
        sum += of != NULL ? of->value : 0;
    }
    CHECK_EQ_U64(count, key_count);
    CHECK_EQ_U64(sum, 3 * key_count);
    CHECK_EQ_U64(((square *)keyed_slot(&t, sizeof(square), 0))->value, 3);
    keyed_clear(&t, sizeof(square));
    CHECK_EQ_U64(t.used, 0);
    CHECK_EQ_U64(((square *)keyed_find(&t, sizeof(square), 0))->value, 0);
    keyed_free(&t);
}

TEST(entries_are_found_by_their_key)
{
    keyed t;
    size_t count = 0;
    REQUIRE(keyed_init(&t, sizeof(square)) && keyed_make_room(&t, sizeof(square), 3000));
    CHECK(t.mask / 2 >= 3000);
    for (uint64_t i = 1; i <= 10000; i++) {
        square *of = keyed_find(&t, sizeof *of, i * 4096);
        REQUIRE(of != NULL);
        CHECK(of->key == i * 4096 && of->value == 0);
        of->value = i * i;
    }
    CHECK_EQ_U64(t.used, 10000);
    for (uint64_t i = 1; i <= 10000; i++)
        CHECK_EQ_U64(((square *)keyed_find(&t, sizeof(square), i * 4096))->value, i * i);
    for (size_t i = 0; i < keyed_end(&t); i++)
        count += keyed_at(&t, sizeof(square), i) != NULL;
    CHECK_EQ_U64(count, 10000);
    keyed_clear(&t, sizeof(square));
    CHECK(t.used == 0 && keyed_at(&t, sizeof(square), 5) == NULL);
    keyed_free(&t);
}
