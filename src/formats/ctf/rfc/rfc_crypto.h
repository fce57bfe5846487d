/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums and encryption of the RFC's packets. crc32 is always there; the others come from
   libcrypto and may be left out of a build. */
#ifndef CTF_RFC_CRYPTO_H
#define CTF_RFC_CRYPTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFC_AES_BLOCK 16 /* bytes; also of the initialization vector */
#define RFC_KEY_MAX   32 /* bytes */

bool rfc_has_crypto(void);

/* Scheme STELE_CTF_RFC_MD5, STELE_CTF_RFC_SHA1 (the first 4 bytes of the digest, big end first) or
   STELE_CTF_RFC_CRC32. False: not in this build. */
bool rfc_checksum(unsigned scheme, const uint8_t *bytes, size_t size, uint32_t *sum);

/* Whether AES has keys of so many bytes. */
bool rfc_key_is_sane(size_t key_size);

/* The key is all that the file has. False: it cannot be read, or is no key. */
bool rfc_key_read(const char *path, uint8_t key[RFC_KEY_MAX], size_t *key_size);

/* AES-CBC, PKCS#7, the vector in front. `to` has `size` bytes. False: `*why` says why not. */
bool rfc_decrypt(const uint8_t *key, size_t key_size, const uint8_t *from, size_t size, uint8_t *to,
                 size_t *to_size, const char **why);

/* The other way, with a random vector: `to` has size + 2 * RFC_AES_BLOCK bytes. False: not in this
   build, or memory. */
bool rfc_encrypt(const uint8_t *key, size_t key_size, const uint8_t *from, size_t size, uint8_t *to,
                 size_t *to_size);

#endif
