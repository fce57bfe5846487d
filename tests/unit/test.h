/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit tests' header: one source file is one program.
 *
 *     TEST(cursor_stops_at_the_end)
 *     {
 *         CHECK_EQ_U64(cursor_left(&cursor), 0);
 *     }
 *
 * A failed CHECK prints file:line with the expected and the actual value, and the test goes on; a
 * failed REQUIRE ends the test. SKIP("reason") also ends the test, and always prints the reason.
 * `program [NAME...]` runs all tests or those named. It exits with 0 if all passed, 1 if some
 * failed, 77 if all were skipped.
 */
#ifndef STELE_TEST_H
#define STELE_TEST_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test_case {
    const char *name;
    void (*run)(void);
    struct test_case *next;
};

static struct {
    struct test_case *first, **last;
    jmp_buf leave;
    unsigned failed_checks;
    bool skipped;
} test_state = {.last = &test_state.first};

#define TEST(name)                                                      \
    static void test_##name(void);                                      \
    __attribute__((constructor)) static void test_register_##name(void) \
    {                                                                   \
        static struct test_case self = {#name, test_##name, NULL};      \
        *test_state.last = &self;                                       \
        test_state.last = &self.next;                                   \
    }                                                                   \
    static void test_##name(void)

/* The first argument is what the code gave, the second what it should have given. */
#define CHECK(condition) ((void)test_true((condition), #condition, __FILE__, __LINE__))
#define CHECK_EQ_U64(got, expected) \
    test_eq_u64((uint64_t)(got), (uint64_t)(expected), #got, __FILE__, __LINE__)
#define CHECK_EQ_I64(got, expected) \
    test_eq_i64((int64_t)(got), (int64_t)(expected), #got, __FILE__, __LINE__)
#define CHECK_EQ_F64(got, expected) test_eq_f64((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_EQ_STR(got, expected) test_eq_str((got), (expected), #got, __FILE__, __LINE__)
#define CHECK_EQ_MEM(got, expected, size) \
    test_eq_mem((got), (expected), (size), #got, __FILE__, __LINE__)

#define REQUIRE(condition)                                           \
    do {                                                             \
        if (!test_true((condition), #condition, __FILE__, __LINE__)) \
            longjmp(test_state.leave, 1);                            \
    } while (0)

#define SKIP(reason)                    \
    do {                                \
        printf("SKIP: %s\n", (reason)); \
        test_state.skipped = true;      \
        longjmp(test_state.leave, 1);   \
    } while (0)

static inline void test_fail(const char *what, const char *file, int line)
{
    test_state.failed_checks++;
    printf("%s:%d: %s\n", file, line, what);
}

static inline bool test_true(bool condition, const char *what, const char *file, int line)
{
    if (!condition) {
        test_fail(what, file, line);
        printf("    expected true, got false\n");
    }
    return condition;
}

static inline void test_eq_u64(uint64_t got, uint64_t expected, const char *what, const char *file,
                               int line)
{
    if (got == expected)
        return;
    test_fail(what, file, line);
    printf("    expected %" PRIu64 " (0x%" PRIx64 ")\n    got      %" PRIu64 " (0x%" PRIx64 ")\n",
           expected, expected, got, got);
}

static inline void test_eq_i64(int64_t got, int64_t expected, const char *what, const char *file,
                               int line)
{
    if (got == expected)
        return;
    test_fail(what, file, line);
    printf("    expected %" PRId64 "\n    got      %" PRId64 "\n", expected, got);
}

/* Compares bit for bit, so that NaN and the sign of zero can be checked. */
static inline void test_eq_f64(double got, double expected, const char *what, const char *file,
                               int line)
{
    if (memcmp(&got, &expected, sizeof got) == 0)
        return;
    test_fail(what, file, line);
    printf("    expected %.17g\n    got      %.17g\n", expected, got);
}

static inline void test_eq_str(const char *got, const char *expected, const char *what,
                               const char *file, int line)
{
    if (got && expected && strcmp(got, expected) == 0)
        return;
    test_fail(what, file, line);
    printf("    expected \"%s\"\n    got      \"%s\"\n", expected ? expected : "(null)",
           got ? got : "(null)");
}

static inline void test_eq_mem(const void *got, const void *expected, size_t size, const char *what,
                               const char *file, int line)
{
    const unsigned char *a = got, *b = expected;
    size_t at = 0;
    while (at < size && a[at] == b[at])
        at++;
    if (at == size)
        return;
    test_fail(what, file, line);
    printf("    differ from byte %zu of %zu\n    expected", at, size);
    for (size_t i = at; i < size && i < at + 16; i++)
        printf(" %02x", b[i]);
    printf("\n    got     ");
    for (size_t i = at; i < size && i < at + 16; i++)
        printf(" %02x", a[i]);
    printf("\n");
}

static inline bool test_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return argc <= 1;
}

static inline void test_run(const struct test_case *test)
{
    test_state.failed_checks = 0;
    test_state.skipped = false;
    if (setjmp(test_state.leave) == 0)
        test->run();
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const struct test_case *test = test_state.first; test; test = test->next) {
        if (!test_wanted(test->name, argc, argv))
            continue;
        test_run(test);
        bool bad = test_state.failed_checks > 0;
        failed += bad;
        skipped += !bad && test_state.skipped;
        passed += !bad && !test_state.skipped;
        printf("%-7s %s\n", bad ? "FAILED" : test_state.skipped ? "skipped" : "ok", test->name);
    }
    printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    if (passed + failed + skipped == 0) {
        printf("no such test\n");
        return 1;
    }
    return failed ? 1 : passed ? 0 : 77;
}

#endif
