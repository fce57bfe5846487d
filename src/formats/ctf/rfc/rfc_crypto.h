/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums and encryption of the RFC's packets. CRC-32 is in every build; MD5, SHA-1 and AES come
   from libcrypto, which a build may leave out, or a machine not have. */
#ifndef CTF_RFC_CRYPTO_H
#define CTF_RFC_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFC_AES_BLOCK 16 /* bytes of a block of AES, and of the initialization vector */
#define RFC_KEY_MAX   32 /* bytes of the longest key */

/* The functions of libcrypto, which is loaded when the first packet needs it. */
typedef struct rfc_crypto rfc_crypto;

/* Loads libcrypto. Returns NULL if this build or this machine has none, or if out of memory. */
rfc_crypto *rfc_crypto_open(void);
void rfc_crypto_close(rfc_crypto *crypto);

/* Whether a scheme of checksums needs libcrypto. */
bool rfc_checksum_needs_crypto(unsigned scheme);

/*
 * Computes the checksum of a scheme: STELE_CTF_RFC_MD5 or STELE_CTF_RFC_SHA1 (the first 4 bytes of
 * the digest, as a big-endian number) or STELE_CTF_RFC_CRC32. Returns false if the scheme needs
 * `crypto`, and it is NULL.
 */
bool rfc_checksum(const rfc_crypto *crypto, unsigned scheme, const uint8_t *bytes, size_t size,
                  uint32_t *sum);

/* Whether AES has keys of `key_size` bytes. */
bool rfc_key_is_sane(size_t key_size);

/* Reads the key, which is the whole content of the file. Returns false if the file cannot be read
   or its size is not that of a key. */
bool rfc_key_read(const char *path, uint8_t key[RFC_KEY_MAX], size_t *key_size);

/* Decrypts AES-CBC with PKCS#7 padding; the initialization vector precedes the data. `to` must have
   room for `size` bytes. Returns false and sets `*why` to the reason if that is not possible.
   `crypto` may be NULL. */
bool rfc_decrypt(const rfc_crypto *crypto, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size, const char **why);

/*
 * Encrypts what rfc_decrypt() decrypts, with a random initialization vector. `to` must have room
 * for size + 2 * RFC_AES_BLOCK bytes. Returns false if `crypto` is NULL, or if out of memory.
 */
bool rfc_encrypt(const rfc_crypto *crypto, const uint8_t *key, size_t key_size, const uint8_t *from,
                 size_t size, uint8_t *to, size_t *to_size);

#endif
