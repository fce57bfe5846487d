/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/rfc/rfc_crypto.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "core/load.h"
#include "formats/ctf/rfc/rfc_packet.h"
#include "stele_config.h"

bool rfc_key_is_sane(size_t key_size)
{
    return key_size == 16 || key_size == 24 || key_size == 32;
}

#ifdef STELE_HAVE_CRYPTO

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>

#include "core/late.h"

#define CRYPTO_FUNCTIONS(X) \
    X(EVP_CIPHER_CTX_free)  \
    X(EVP_CIPHER_CTX_new)   \
    X(EVP_DecryptFinal_ex)  \
    X(EVP_DecryptInit_ex)   \
    X(EVP_DecryptUpdate)    \
    X(EVP_Digest)           \
    X(EVP_EncryptFinal_ex)  \
    X(EVP_EncryptInit_ex)   \
    X(EVP_EncryptUpdate)    \
    X(EVP_aes_128_cbc)      \
    X(EVP_aes_192_cbc)      \
    X(EVP_aes_256_cbc)      \
    X(EVP_md5)              \
    X(EVP_sha1)             \
    X(RAND_bytes)

struct rfc_crypto {
#define X(name) __typeof__(name) *name;
    CRYPTO_FUNCTIONS(X)
#undef X
};

rfc_crypto *rfc_crypto_open(void)
{
    void *library = late_open(STELE_CRYPTO_LIBRARY);
    rfc_crypto *c = library != NULL ? malloc(sizeof *c) : NULL;
    bool is_whole = c != NULL;
#define X(name) is_whole = is_whole && late_find(library, #name, &c->name, sizeof c->name);
    CRYPTO_FUNCTIONS(X)
#undef X
    if (!is_whole) {
        free(c);
        return NULL;
    }
    return c;
}

void rfc_crypto_close(rfc_crypto *crypto)
{
    free(crypto);
}

static bool digest(const rfc_crypto *c, unsigned scheme, const uint8_t *bytes, size_t size,
                   uint32_t *sum)
{
    uint8_t whole[EVP_MAX_MD_SIZE];
    if (c == NULL ||
        c->EVP_Digest(bytes, size, whole, NULL,
                      scheme == STELE_CTF_RFC_MD5 ? c->EVP_md5() : c->EVP_sha1(), NULL) != 1)
        return false;
    *sum = load_be32(whole);
    return true;
}

static const EVP_CIPHER *cipher_of(const rfc_crypto *c, size_t key_size)
{
    return key_size == 16   ? c->EVP_aes_128_cbc()
           : key_size == 24 ? c->EVP_aes_192_cbc()
                            : c->EVP_aes_256_cbc();
}

bool rfc_decrypt(const rfc_crypto *c, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size, const char **why)
{
    EVP_CIPHER_CTX *context;
    int made = 0, last = 0;
    bool is_ok;
    if (c == NULL) {
        *why = "no libcrypto";
        return false;
    }
    if (!rfc_key_is_sane(key_size)) {
        *why = "a key that is not of 16, 24 or 32 bytes";
        return false;
    }
    if (size < 2 * RFC_AES_BLOCK || size % RFC_AES_BLOCK != 0 || size > INT_MAX) {
        *why = "another size than blocks of 16 bytes have";
        return false;
    }
    context = c->EVP_CIPHER_CTX_new();
    is_ok = context != NULL &&
            c->EVP_DecryptInit_ex(context, cipher_of(c, key_size), NULL, key, from) == 1 &&
            c->EVP_DecryptUpdate(context, to, &made, from + RFC_AES_BLOCK,
                                 (int)(size - RFC_AES_BLOCK)) == 1 &&
            c->EVP_DecryptFinal_ex(context, to + made, &last) == 1;
    c->EVP_CIPHER_CTX_free(context);
    *to_size = (size_t)(made + last);
    if (!is_ok)
        *why = "padding that shows another key, or damage";
    return is_ok;
}

bool rfc_encrypt(const rfc_crypto *c, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size)
{
    EVP_CIPHER_CTX *context;
    int made = 0, last = 0;
    bool is_ok;
    if (c == NULL)
        return false;
    context = c->EVP_CIPHER_CTX_new();
    is_ok = context != NULL && c->RAND_bytes(to, RFC_AES_BLOCK) == 1 &&
            size <= INT_MAX - 2 * RFC_AES_BLOCK &&
            c->EVP_EncryptInit_ex(context, cipher_of(c, key_size), NULL, key, to) == 1 &&
            c->EVP_EncryptUpdate(context, to + RFC_AES_BLOCK, &made, from, (int)size) == 1 &&
            c->EVP_EncryptFinal_ex(context, to + RFC_AES_BLOCK + made, &last) == 1;
    c->EVP_CIPHER_CTX_free(context);
    *to_size = RFC_AES_BLOCK + (size_t)(made + last);
    return is_ok;
}

#else

rfc_crypto *rfc_crypto_open(void)
{
    return NULL;
}

void rfc_crypto_close(rfc_crypto *crypto)
{
    (void)crypto;
}

static bool digest(const rfc_crypto *c, unsigned scheme, const uint8_t *bytes, size_t size,
                   uint32_t *sum)
{
    (void)c, (void)scheme, (void)bytes, (void)size, (void)sum;
    return false;
}

bool rfc_decrypt(const rfc_crypto *c, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size, const char **why)
{
    (void)c, (void)key, (void)key_size, (void)from, (void)size, (void)to, (void)to_size;
    *why = "no libcrypto in this build";
    return false;
}

bool rfc_encrypt(const rfc_crypto *c, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size)
{
    (void)c, (void)key, (void)key_size, (void)from, (void)size, (void)to, (void)to_size;
    return false;
}

#endif

bool rfc_checksum_needs_crypto(unsigned scheme)
{
    return scheme == STELE_CTF_RFC_MD5 || scheme == STELE_CTF_RFC_SHA1;
}

bool rfc_checksum(const rfc_crypto *crypto, unsigned scheme, const uint8_t *bytes, size_t size,
                  uint32_t *sum)
{
    if (rfc_checksum_needs_crypto(scheme))
        return digest(crypto, scheme, bytes, size, sum);
    *sum = (uint32_t)crc32_z(0, bytes, size);
    return true;
}

bool rfc_key_read(const char *path, uint8_t key[RFC_KEY_MAX], size_t *key_size)
{
    uint8_t bytes[RFC_KEY_MAX + 1];
    FILE *file = fopen(path, "rb");
    const size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file != NULL)
        fclose(file);
    *key_size = 0;
    if (!rfc_key_is_sane(size))
        return false;
    memcpy(key, bytes, size);
    *key_size = size;
    return true;
}
