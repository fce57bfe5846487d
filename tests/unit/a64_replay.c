/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of registers computed through instructions. The values of the first table are those that
 * qemu-aarch64 had in X0 and X1 after executing each instruction with these values in X0 to X3.
 */
#include "a64/a64_replay.h"

#include "test.h"

static const struct {
    uint32_t opcode;
    uint64_t before[4];
    uint64_t x0, x1;
} computed[] = {
    {0x91004020, {0x0, 0xa2, 0xffffffffffff830d, 0x80000000}, 0xb2, 0xa2}, /* add x0, x1, #0x10 */
    {0x91004020,
     {0x7a86f7a2, 0xf3b7a50d, 0x0, 0x42d87208},
     0xf3b7a51d,
     0xf3b7a50d}, /* add x0, x1, #0x10 */
    {0xd1400420,
     {0x8000000000000000, 0x0, 0x0, 0x8483f8b8332dd331},
     0xfffffffffffff000,
     0x0}, /* sub x0, x1, #0x1, lsl #12 */
    {0xd1400420,
     {0x80000000, 0xb9, 0x1a26f889, 0x8000000000000000},
     0xfffffffffffff0b9,
     0xb9}, /* sub x0, x1, #0x1, lsl #12 */
    {0x0b020020,
     {0x80000000, 0x0, 0x80000000, 0xffffffffffff4736},
     0x80000000,
     0x0}, /* add w0, w1, w2 */
    {0x0b020020,
     {0xf26149ed, 0xffffffffffff68c0, 0x80000000, 0x8c74fc1e27e9e06f},
     0x7fff68c0,
     0xffffffffffff68c0}, /* add w0, w1, w2 */
    {0xcb020c20,
     {0x0, 0x3606defc, 0x96, 0xe8},
     0x3606da4c,
     0x3606defc}, /* sub x0, x1, x2, lsl #3 */
    {0xcb020c20,
     {0xffffffffffff7bb5, 0x0, 0x0, 0x243d35702c1eea1f},
     0x0,
     0x0}, /* sub x0, x1, x2, lsl #3 */
    {0x8b22c820,
     {0xffffffffffff71ce, 0x3f, 0x1905d591c5b2e75a, 0x8000000000000000},
     0xffffffff16cb9da7,
     0x3f}, /* add x0, x1, w2, sxtw #2 */
    {0x8b22c820,
     {0x0, 0xb2, 0xffffffffffffe0dd, 0x1292618550e40d54},
     0xffffffffffff8426,
     0xb2}, /* add x0, x1, w2, sxtw #2 */
    {0xab020020,
     {0x0, 0xa4b9a9c4, 0x80000000, 0x80000000},
     0x124b9a9c4,
     0xa4b9a9c4}, /* adds x0, x1, x2 */
    {0xab020020,
     {0xffffffffffff7c01, 0x80000000, 0x80000000, 0x8000000000000000},
     0x100000000,
     0x80000000}, /* adds x0, x1, x2 */
    {0x4b0103e0,
     {0xfc2e6a591ce3bc0c, 0xa227385, 0x80000000, 0x8000000000000000},
     0xf5dd8c7b,
     0xa227385}, /* neg w0, w1 */
    {0x4b0103e0,
     {0x0, 0xe53169606ce193c2, 0x1570266b, 0x74},
     0x931e6c3e,
     0xe53169606ce193c2}, /* neg w0, w1 */
    {0x92781c20,
     {0xea59679aed3a32a8, 0x1c0502c6f0290531, 0x8000000000000000, 0xac},
     0x500,
     0x1c0502c6f0290531}, /* and x0, x1, #0xff00 */
    {0x92781c20,
     {0x4a65651cdbde747, 0x8000000000000000, 0x0, 0xffffffffffff1c7c},
     0x0,
     0x8000000000000000}, /* and x0, x1, #0xff00 */
    {0xb200f3e0,
     {0xfb813921, 0x0, 0xbd, 0xffffffffffff28a2},
     0x5555555555555555,
     0x0}, /* mov x0, #0x5555555555555555 */
    {0xb200f3e0,
     {0xfffffffffffff46b, 0x0, 0xfc2325a9f8fdd208, 0xffffffffffffaa27},
     0x5555555555555555,
     0x0}, /* mov x0, #0x5555555555555555 */
    {0x4ac21020,
     {0x80b5244a, 0xffffffffffffdb2b, 0x4cb59aa7, 0x8778f742},
     0x8b348281,
     0xffffffffffffdb2b}, /* eor w0, w1, w2, ror #4 */
    {0x4ac21020,
     {0xb87e4e2b, 0x0, 0x8000000000000000, 0x80000000},
     0x0,
     0x0}, /* eor w0, w1, w2, ror #4 */
    {0x8a220020,
     {0x22, 0x80000000, 0x3e, 0x8000000000000000},
     0x80000000,
     0x80000000}, /* bic x0, x1, x2 */
    {0x8a220020,
     {0xffffffffffff4361, 0x80000000, 0xffffffffffff8a27, 0x0},
     0x0,
     0x80000000}, /* bic x0, x1, x2 */
    {0x2a2103e0,
     {0x8000000000000000, 0xbe, 0x80000000, 0x80000000},
     0xffffff41,
     0xbe}, /* mvn w0, w1 */
    {0x2a2103e0,
     {0x8000000000000000, 0xfa6672cd4fc9e918, 0xffffffffffff082a, 0xeaa3556c},
     0xb03616e7,
     0xfa6672cd4fc9e918}, /* mvn w0, w1 */
    {0xd2a24680,
     {0xbf, 0xa1, 0xffffffffffff1a2f, 0x80000000},
     0x12340000,
     0xa1}, /* mov x0, #0x12340000 */
    {0xd2a24680,
     {0x24, 0x54, 0x1ebb0794, 0xbd6a996de6cd10f1},
     0x12340000,
     0x54}, /* mov x0, #0x12340000 */
    {0x12800000,
     {0x96, 0x46709312c172b298, 0x491e99f5, 0x6fad7936},
     0xffffffff,
     0x46709312c172b298}, /* mov w0, #0xffffffff */
    {0x12800000,
     {0x0, 0xf0d1ab56, 0x8000000000000000, 0x8000000000000000},
     0xffffffff,
     0xf0d1ab56}, /* mov w0, #0xffffffff */
    {0xf2f7dde1,
     {0x57, 0xffffffffffffbd65, 0x7bb1d1244d039b72, 0x0},
     0x57,
     0xbeefffffffffbd65}, /* movk x1, #0xbeef, lsl #48 */
    {0xf2f7dde1,
     {0x0, 0x23bc91526d6b987a, 0x51, 0x80000000},
     0x0,
     0xbeef91526d6b987a}, /* movk x1, #0xbeef, lsl #48 */
    {0xd3485c20,
     {0xffffffffffffca3d, 0x8000000000000000, 0x0, 0xffffffffffff9d8d},
     0x0,
     0x8000000000000000},                                               /* ubfx x0, x1, #8, #16 */
    {0xd3485c20, {0x0, 0x0, 0xffffffffffffed46, 0x3f9b6bb2}, 0x0, 0x0}, /* ubfx x0, x1, #8, #16 */
    {0x13042c20, {0x0, 0x0, 0x80000000, 0x80000000}, 0x0, 0x0},         /* sbfx w0, w1, #4, #8 */
    {0x13042c20,
     {0x19, 0x42c927b9635956be, 0x75, 0x86ba22dd79ad8999},
     0x6b,
     0x42c927b9635956be}, /* sbfx w0, w1, #4, #8 */
    {0xb3781c20,
     {0x4eb19fca, 0x6b, 0xffffffffffffc5f1, 0x80000000},
     0x4eb16bca,
     0x6b},                                               /* bfi x0, x1, #8, #8 */
    {0xb3781c20, {0x0, 0x0, 0x43, 0x7eea6fe1}, 0x0, 0x0}, /* bfi x0, x1, #8, #8 */
    {0x33042c20,
     {0x8000000000000000, 0x8000000000000000, 0xffffffffffffd0de, 0xb647e8a8e5ee4c91},
     0x0,
     0x8000000000000000}, /* bfxil w0, w1, #4, #8 */
    {0x33042c20,
     {0x80000000, 0x0, 0x54ea2061fc27d683, 0x14ace1cb47a164e4},
     0x80000000,
     0x0},                                                           /* bfxil w0, w1, #4, #8 */
    {0xd37cec20, {0x0, 0x79, 0xffffffffffff1a5e, 0x0}, 0x790, 0x79}, /* lsl x0, x1, #4 */
    {0xd37cec20,
     {0x0, 0x8000000000000000, 0x8000000000000000, 0xb0},
     0x0,
     0x8000000000000000}, /* lsl x0, x1, #4 */
    {0x53047c20,
     {0x0, 0x80000000, 0xffffffffffffbfbb, 0x0},
     0x8000000,
     0x80000000},                                                              /* lsr w0, w1, #4 */
    {0x53047c20, {0xc5d6d5e9, 0x0, 0x64457ea4, 0x8000000000000000}, 0x0, 0x0}, /* lsr w0, w1, #4 */
    {0x937cfc20,
     {0xfaf20ac0292322d3, 0xffffffffffff9435, 0x8000000000000000, 0x0},
     0xffffffffffffffff,
     0xffffffffffff9435}, /* asr x0, x1, #60 */
    {0x937cfc20,
     {0x8000000000000000, 0xffffffffffffcd01, 0x8000000000000000, 0x6564d134},
     0xffffffffffffffff,
     0xffffffffffffcd01}, /* asr x0, x1, #60 */
    {0xd37c1c20,
     {0xcef61d03a64ed996, 0x0, 0xa5527a2, 0x8000000000000000},
     0x0,
     0x0}, /* ubfiz x0, x1, #4, #8 */
    {0xd37c1c20,
     {0x5f4aebeb, 0x428bf7739a60f919, 0xb5af4c8a, 0xb},
     0x190,
     0x428bf7739a60f919}, /* ubfiz x0, x1, #4, #8 */
    {0x93c22020,
     {0x0, 0x68b3e3aa, 0x8000000000000000, 0x80000000},
     0xaa80000000000000,
     0x68b3e3aa}, /* extr x0, x1, x2, #8 */
    {0x93c22020,
     {0xffffffffffffd618, 0xffffffffffffb141, 0xffffffffffffa48f, 0xff},
     0x41ffffffffffffa4,
     0xffffffffffffb141}, /* extr x0, x1, x2, #8 */
    {0x13812020,
     {0xba60491e6406f458, 0x2814c437e6d14318, 0x5d5ec1ad, 0x0},
     0x18e6d143,
     0x2814c437e6d14318}, /* ror w0, w1, #8 */
    {0x13812020,
     {0x80000000, 0x4886058b, 0x0, 0xfffffffffffff4dd},
     0x8b488605,
     0x4886058b}, /* ror w0, w1, #8 */
    {0x9ac22020,
     {0x9b8e9a820da9f44a, 0xffffffffffff6102, 0x791397a3d445a53e, 0x84949aabf044c032},
     0x8000000000000000,
     0xffffffffffff6102}, /* lsl x0, x1, x2 */
    {0x9ac22020,
     {0xb991e961, 0x8ff5ba77e244d05f, 0x0, 0xffffffffffffc030},
     0x8ff5ba77e244d05f,
     0x8ff5ba77e244d05f}, /* lsl x0, x1, x2 */
    {0x1ac22820,
     {0x7260ca26, 0xfc7383bf, 0x0, 0x667cd60b},
     0xfc7383bf,
     0xfc7383bf}, /* asr w0, w1, w2 */
    {0x1ac22820,
     {0x8000000000000000, 0x80000000, 0x0, 0x0},
     0x80000000,
     0x80000000}, /* asr w0, w1, w2 */
    {0x9b020c20,
     {0x9d373731ff01fe80, 0x0, 0xc9d35f16afa6798a, 0x8000000000000000},
     0x8000000000000000,
     0x0}, /* madd x0, x1, x2, x3 */
    {0x9b020c20,
     {0x8000000000000000, 0x434b4b94, 0x32eddf6f, 0x0},
     0xd633c33a47fb12c,
     0x434b4b94}, /* madd x0, x1, x2, x3 */
    {0x1b028c20,
     {0x0, 0x8000000000000000, 0xffffffffffff24b5, 0xfd914b0e},
     0xfd914b0e,
     0x8000000000000000}, /* msub w0, w1, w2, w3 */
    {0x1b028c20,
     {0x14d5aea4, 0x80000000, 0xbf433e03, 0x6a},
     0x8000006a,
     0x80000000}, /* msub w0, w1, w2, w3 */
    {0x9b227c20,
     {0x7d076c0b21cc4751, 0xab68b80decb3b5, 0x8000000000000000, 0x9fb9d8f6},
     0x0,
     0xab68b80decb3b5}, /* smull x0, w1, w2 */
    {0x9b227c20,
     {0xcd2f4934, 0x80000000, 0xcfc3160166e6626d, 0x8000000000000000},
     0xcc8ccec980000000,
     0x80000000}, /* smull x0, w1, w2 */
    {0x9ba20c20,
     {0x2a43f0473f9d8024, 0x0, 0x8d094979, 0x8000000000000000},
     0x8000000000000000,
     0x0}, /* umaddl x0, w1, w2, x3 */
    {0x9ba20c20,
     {0x9cf99a99d039b963, 0x0, 0xffffffffffff27d3, 0xa7d0e597},
     0xa7d0e597,
     0x0}, /* umaddl x0, w1, w2, x3 */
    {0x9ac20820,
     {0x9, 0x80000000, 0x85, 0xedb6ce85a45a5209},
     0xf6603d,
     0x80000000},                                                      /* udiv x0, x1, x2 */
    {0x9ac20820, {0x80000000, 0xbf03c644, 0x0, 0x0}, 0x0, 0xbf03c644}, /* udiv x0, x1, x2 */
    {0x1ac20c20,
     {0x3b, 0x95d85675, 0x1ca505c1, 0x244fbafcfa376a6e},
     0xfffffffd,
     0x95d85675}, /* sdiv w0, w1, w2 */
    {0x1ac20c20,
     {0xa4bf58e7b14fe2d6, 0x972939b0, 0xffffffffffff49eb, 0x34aa4a203f1fb241},
     0x9366,
     0x972939b0}, /* sdiv w0, w1, w2 */
    {0x1201a820, {0xd1df24d093151cf9, 0xc31e4b9749d04ce5, 0x0, 0x0}, 0x1d000e5, 0xc31e4b9749d04ce5},
    {0x1201a820, {0x28ad5dc9, 0x0, 0x0, 0xffffffffffff9946}, 0x0, 0x0},
    {0x93c23020,
     {0xa55741cb, 0xe6b6122f, 0xffffffffffff0e5b, 0x8000000000000000},
     0x22fffffffffffff0,
     0xe6b6122f},
    {0x93c23020,
     {0x0, 0xffffffffffffd498, 0x41d8b452, 0x8000000000000000},
     0x4980000000041d8b,
     0xffffffffffffd498},
    {0x13820c20, {0x0, 0x3f, 0xf4, 0xffffffffffffcdf8}, 0xe000001e, 0x3f},
    {0x13820c20,
     {0x4d, 0x323991af46191aa0, 0xe29f9ecb34d982fb, 0x8000000000000000},
     0x69b305f,
     0x323991af46191aa0},
    {0x93c26c20,
     {0x80000000, 0xffffffffffff25a8, 0x0, 0xffffffffffff8bcd},
     0xffe4b50000000000,
     0xffffffffffff25a8},
    {0x93c26c20,
     {0xffffffffffff1af2, 0xb6910780, 0x8000000000000000, 0xa93e0f6f},
     0xd220f01000000000,
     0xb6910780},
    {0x331a1020, {0x2b8c92ac736c452, 0x0, 0xffffffffffff6ce9, 0x0}, 0xc736c012, 0x0},
    {0x331a1020,
     {0xffffffffffff0d51, 0x0, 0xfc061e1fbaa6b8e6, 0x61c00cbe463c4650},
     0xffff0811,
     0x0},
    {0x531b0c20, {0xb2, 0x8000000000000000, 0xf5fa5d74, 0x0}, 0x0, 0x8000000000000000},
    {0x531b0c20, {0x0, 0x0, 0x80000000, 0x0}, 0x0, 0x0},
    {0x93c23c20, {0xffffffffffffbf17, 0xb8, 0xffffffffffff853c, 0xa8}, 0x171ffffffffffff, 0xb8},
    {0x93c23c20, {0x4d9c7671edc10021, 0x87, 0x80000000, 0x0}, 0x10e000000010000, 0x87},
    {0xf247a020,
     {0x73b3a2cf, 0x8000000000000000, 0x80000000, 0x7e9508cb3286dfae},
     0x8000000000000000,
     0x8000000000000000},
    {0xf247a020,
     {0x8e, 0x8000000000000000, 0xffffffffffff4cb1, 0x80000000},
     0x8000000000000000,
     0x8000000000000000},
    {0x7201f020,
     {0x8000000000000000, 0xffffffffffffa002, 0x80000000, 0xa5826fb2a2d92973},
     0xaaaaa002,
     0xffffffffffffa002},
    {0x7201f020,
     {0xffffffffffff840d, 0xb7daea11, 0xffffffffffffa89f, 0x8000000000000000},
     0xa28aaa00,
     0xb7daea11},
    {0x13821c20,
     {0xffffffffffff2c19, 0x8000000000000000, 0x341aa3eef9994f18, 0x8000000000000000},
     0x1f3329e,
     0x8000000000000000},
    {0x13821c20,
     {0x8000000000000000, 0x92f48d218b9f684a, 0x8000000000000000, 0xffffffffffff6365},
     0x94000000,
     0x92f48d218b9f684a},
    {0xab026020, {0x80000000, 0x80000000, 0xfffffffffffff688, 0x0}, 0xfffffff708000000, 0x80000000},
    {0xab026020,
     {0x0, 0xfffffffffffffac7, 0x914829fa7f6d8839, 0xb21a30cc93484239},
     0xfa7f6d8838fffac7,
     0xfffffffffffffac7},
    {0x53040c20,
     {0x80000000, 0xc5174a9f79b6fcb9, 0xfffffffffffffc06, 0x0},
     0x90000000,
     0xc5174a9f79b6fcb9},
    {0x53040c20, {0xde9ac5ee37deeaed, 0x80000000, 0x80000000, 0x8000000000000000}, 0x0, 0x80000000},
    {0xd20da820,
     {0xab670e4d75e88d7e, 0x80000000, 0x4fffa8e1, 0x8000000000000000},
     0x3ff83ff8bff83ff8,
     0x80000000},
    {0xd20da820, {0x0, 0x0, 0xc9, 0x80000000}, 0x3ff83ff83ff83ff8, 0x0},
    {0x13827420, {0x0, 0x4f0042f5, 0x604ea2ff, 0x52}, 0x780217ab, 0x4f0042f5},
    {0x13827420, {0x0, 0x0, 0x8000000000000000, 0xffffffffffff7242}, 0x0, 0x0},
    {0x2b023c20, {0xc00c116d, 0x80000000, 0x0, 0x89}, 0x80000000, 0x80000000},
    {0x2b023c20, {0x85, 0x96de3dda, 0xb3, 0x84685b61}, 0x9737bdda, 0x96de3dda},
    {0x13824c20, {0xff44abdeec30b3c2, 0x14, 0x47d1ffb9584cc92f, 0xffffffffffff6f3d}, 0x28b09, 0x14},
    {0x13824c20, {0xeced430142f803f4, 0xd19ee43f, 0x56be6d2a, 0x8}, 0xdc87ead7, 0xd19ee43f},
    {0xcac22420, {0xf27c07f57ca13fc4, 0xf5, 0x80000000, 0xd98592ee}, 0x4000f5, 0xf5},
    {0xcac22420,
     {0x41, 0x8d869707e71aeba5, 0x0, 0x19dedb490e46ccb3},
     0x8d869707e71aeba5,
     0x8d869707e71aeba5},
    {0x13826820,
     {0xffffffffffff6895, 0x52ec512778817548, 0x0, 0x80000000},
     0x205d5200,
     0x52ec512778817548},
    {0x13826820, {0x282e478c, 0x80000000, 0xffffffffffff12f5, 0xf8}, 0x3f, 0x80000000},
    {0x9b220c20, {0x5d, 0x8000000000000000, 0xffffffffffff94ec, 0x92}, 0x92, 0x8000000000000000},
    {0x9b220c20,
     {0x7d, 0x8000000000000000, 0xc9a07431, 0x1e832d72},
     0x1e832d72,
     0x8000000000000000},
    {0xea222420,
     {0x42f32846, 0x4a17fe9363e08fb2, 0x0, 0x0},
     0x4a17fe9363e08fb2,
     0x4a17fe9363e08fb2},
    {0xea222420, {0xffffffffffff1688, 0x2e4177ed, 0x0, 0x7e}, 0x2e4177ed, 0x2e4177ed},
    {0x93c2a020, {0x80000000, 0x80000000, 0x0, 0xffffffffffff22af}, 0x80000000000000, 0x80000000},
    {0x93c2a020, {0xe903e9cd, 0xd4, 0x0, 0x8000000000000000}, 0xd4000000, 0xd4},
    {0x4b22f020, {0x0, 0x0, 0xffffffffffff44e0, 0x87cf894b}, 0xbb200, 0x0},
    {0x4b22f020,
     {0x16ad95c8, 0x4fd986321a48ef9f, 0xbd, 0x8000000000000000},
     0x1a48e3cf,
     0x4fd986321a48ef9f},
    {0x8a228820,
     {0x71b7e67cb3e090aa, 0x8000000000000000, 0x1f1d7202, 0xffffffffffff6d5a},
     0x8000000000000000,
     0x8000000000000000},
    {0x8a228820,
     {0x80000000, 0x8000000000000000, 0xd, 0xffffffffffff48d3},
     0x8000000000000000,
     0x8000000000000000},
    {0x0b220820, {0x8f, 0x0, 0x8000000000000000, 0x80000000}, 0x0, 0x0},
    {0x0b220820,
     {0x0, 0xbf895d7a21a2672, 0x80000000, 0x8000000000000000},
     0xa21a2672,
     0xbf895d7a21a2672},
    {0x93c2e420,
     {0x8532b56c, 0x4e2f76c2, 0x8000000000000000, 0x971a80e9},
     0x2717bb6140,
     0x4e2f76c2},
    {0x93c2e420,
     {0xffffffffffffb4d6, 0x8000000000000000, 0x9c25da84, 0x8000000000000000},
     0x0,
     0x8000000000000000},
    {0x6b22a020,
     {0x7a54c2e39ce070a2, 0xffffffffffff743e, 0x5a4775f8, 0x7dccdf5b},
     0xfffefe46,
     0xffffffffffff743e},
    {0x6b22a020, {0xc5aa385e0e917e0b, 0x0, 0xc349dc1a, 0x80000000}, 0x23e6, 0x0},
    {0xca623820, {0x0, 0xffffffffffff3d84, 0x80000000, 0x0}, 0x2c27b, 0xffffffffffff3d84},
    {0xca623820,
     {0xf67649bc, 0x8000000000000000, 0xb1, 0x8000000000000000},
     0x7fffffffffffffff,
     0x8000000000000000},
    {0x13122020, {0x0, 0x2f, 0x934f906c6f867ce3, 0xd7e86685}, 0xbc000, 0x2f},
    {0x13122020, {0xf8dce53f344da10e, 0xe5, 0x0, 0x80000000}, 0x394000, 0xe5},
    {0x920f9820, {0x8000000000000000, 0x80000000, 0xffffffffffff8366, 0xff}, 0x0, 0x80000000},
    {0x920f9820, {0x5cdb039e2bb4754a, 0xa7, 0xffffffffffff1ca2, 0x8000000000000000}, 0xa6, 0xa7},
    {0x6aa22020,
     {0x8000000000000000, 0x80000000, 0xc9, 0x8000000000000000},
     0x80000000,
     0x80000000},
    {0x6aa22020, {0x0, 0xe543ba92, 0x8000000000000000, 0x8000000000000000}, 0xe543ba92, 0xe543ba92},
    {0xcae2b420, {0x0, 0xc5, 0x3cfecc85b7283ccb, 0x8000000000000000}, 0x9bd246be19a618cc, 0xc5},
    {0xcae2b420,
     {0x31102878595116e1, 0xe3fa79a938550f64, 0x9ec3fd060df93e22, 0x964573f5ee4a6e55},
     0xf435e99f36be0684,
     0xe3fa79a938550f64},
    {0xaa425820,
     {0xffffffffffff0a3b, 0x8000000000000000, 0xffffffffffff49c9, 0x3e4edec5},
     0x800003ffffffffff,
     0x8000000000000000},
    {0xaa425820, {0xf8, 0x0, 0x6737db9055fc410d, 0xffffffffffffc14b}, 0x19cdf6e4157, 0x0},
    {0x3203e020, {0x48992613778e384b, 0x57675f82, 0x0, 0x0}, 0x77677fa2, 0x57675f82},
    {0x3203e020,
     {0xffffffffffff470c, 0xffffffffffffb3e7, 0x80000000, 0x96},
     0xffffb3e7,
     0xffffffffffffb3e7},
    {0x0b026820, {0x0, 0x8a, 0x91, 0x0}, 0x4400008a, 0x8a},
    {0x0b026820,
     {0x30355fd2522f7dd3, 0x8017f4e4ce204c96, 0x80000000, 0xffffffffffff1750},
     0xce204c96,
     0x8017f4e4ce204c96},
    {0xcb021820,
     {0x80000000, 0x80000000, 0x80000000, 0x8000000000000000},
     0xffffffe080000000,
     0x80000000},
    {0xcb021820,
     {0x8000000000000000, 0xffffffffffffd803, 0xa1240051, 0xffffffffffffbecb},
     0xffffffd7b6ffc3c3,
     0xffffffffffffd803},
    {0x9ba28c20,
     {0x0, 0x8000000000000000, 0x0, 0xc6f15fe135cbae1f},
     0xc6f15fe135cbae1f,
     0x8000000000000000},
    {0x9ba28c20,
     {0x8000000000000000, 0xffffffffffff0dbb, 0x80000000, 0xffffffffffffcb45},
     0x800079227fffcb45,
     0xffffffffffff0dbb},
    {0xeac23420, {0x80000000, 0x80000000, 0x3febb019, 0x33}, 0x0, 0x80000000},
    {0xeac23420,
     {0xffffffffffff5464, 0xffffffffffff4ef8, 0x59f959ab, 0x0},
     0xcd58000000024ec8,
     0xffffffffffff4ef8},
    {0x6b220420,
     {0x80000000, 0xffffffffffff3bdd, 0xffffffffffffa3b7, 0xe553ef86},
     0xffff3a6f,
     0xffffffffffff3bdd},
    {0x6b220420, {0x72b150d1, 0x91b626d3, 0x0, 0x80000000}, 0x91b626d3, 0x91b626d3},
    {0x52038820,
     {0xffffffffffff90d5, 0x8b06c17bc8ac1ba7, 0x80000000, 0x3ef919e0a72fc9b3},
     0x28acfba7,
     0x8b06c17bc8ac1ba7},
    {0x52038820, {0x25, 0x80000000, 0x80000000, 0xd3}, 0x6000e000, 0x80000000},
    {0x93404c20, {0x0, 0x0, 0xffffffffffff8170, 0x8000000000000000}, 0x0, 0x0},
    {0x93404c20,
     {0xffffffffffffdc98, 0xffffffffffff8f7c, 0x0, 0x8000000000000000},
     0xffffffffffff8f7c,
     0xffffffffffff8f7c},
};

static void execute(a64_registers *r, const a64_record *record)
{
    const a64_insn what = a64_classify(record->opcode);
    a64_replay(r, &what, record);
}

static a64_registers registers_of(const uint64_t *values, unsigned count)
{
    a64_registers r = {.known = 0};
    for (unsigned i = 0; i < count; i++)
        a64_learn(&r, i, values[i]);
    return r;
}

TEST(integer_instructions_leave_what_a_processor_does)
{
    for (size_t i = 0; i < sizeof computed / sizeof *computed; i++) {
        a64_registers r = registers_of(computed[i].before, 4);
        execute(&r, &(a64_record){.opcode = computed[i].opcode});
        if (!a64_is_known(&r, 0) || r.x[0] != computed[i].x0 || r.x[1] != computed[i].x1)
            printf("opcode %08x:\n", computed[i].opcode);
        CHECK(a64_is_known(&r, 0) && a64_is_known(&r, 1));
        CHECK_EQ_U64(r.x[0], computed[i].x0);
        CHECK_EQ_U64(r.x[1], computed[i].x1);
    }
}

TEST(unknown_operands_make_unknown_results)
{
    static const uint32_t opcodes[] = {0x91004020, 0x0b020020, 0x92781c20, 0x8a220020, 0xd3485c20,
                                       0x93c22020, 0x9ac22020, 0x9b020c20, 0x9ac20820};
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++) {
        a64_registers r = {.known = 1u};
        execute(&r, &(a64_record){.opcode = opcodes[i]});
        CHECK_EQ_U64(r.known, 0);
    }
}

TEST(the_stack_pointer_is_no_zero_register)
{
    a64_registers r = {.known = 0};
    a64_learn(&r, A64_SP, 0x7000);
    execute(&r, &(a64_record){.opcode = 0x910083ff}); /* add sp, sp, #32 */
    CHECK_EQ_U64(r.x[A64_SP], 0x7020);
    execute(&r, &(a64_record){.opcode = 0x4b0103e0}); /* neg w0, w1 */
    CHECK(!a64_is_known(&r, 0));
    a64_learn(&r, 1, 0x7f37);
    execute(&r, &(a64_record){.opcode = 0x927cec3f}); /* and sp, x1, #~15 */
    CHECK_EQ_U64(r.x[A64_SP], 0x7f30);
}

TEST(selections_need_the_flags)
{
    static const uint64_t before[] = {0, 5, 9};
    a64_registers r = registers_of(before, 3);
    execute(&r, &(a64_record){.opcode = 0x9a820020}); /* csel x0, x1, x2, eq */
    CHECK(!a64_is_known(&r, 0));
    execute(&r, &(a64_record){.opcode = 0x9a820020, .has_flags = true, .flags = UINT64_C(1) << 30});
    CHECK_EQ_U64(r.x[0], 5);
    execute(&r, &(a64_record){.opcode = 0x1a82b420, .has_flags = true}); /* csinc w0, w1, w2, lt */
    CHECK_EQ_U64(r.x[0], 10);
    execute(&r, &(a64_record){.opcode = 0xda82a420, /* csneg x0, x1, x2, ge */
                              .has_flags = true,
                              .flags = UINT64_C(1) << 31});
    CHECK_EQ_U64(r.x[0], 0 - UINT64_C(9));
}

TEST(places_come_from_the_program_counter)
{
    a64_registers r = {.known = 0};
    execute(&r, &(a64_record){.opcode = 0x10000080}); /* adr x0, . + 16 */
    CHECK(!a64_is_known(&r, 0));
    execute(&r, &(a64_record){.opcode = 0x10000080, .has_pc = true, .pc = 0x400ff8});
    CHECK_EQ_U64(r.x[0], 0x401008);
    execute(&r, &(a64_record){.opcode = 0xb0000000, .has_pc = true, .pc = 0x400ff8}); /* adrp */
    CHECK_EQ_U64(r.x[0], 0x401000);
    execute(&r, &(a64_record){.opcode = 0x94000002, .has_pc = true, .pc = 0x400ff8}); /* bl */
    CHECK_EQ_U64(r.x[30], 0x400ffc);
}

/* Makes one access of `size` bytes, each of which is 0x80 plus its number. */
static a64_access access_at(uint64_t address, uint32_t size)
{
    static const uint8_t bytes[] = {0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
                                    0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};
    return (a64_access){.address = address, .bytes = bytes, .size = size};
}

TEST(loads_give_what_was_read)
{
    static const struct {
        uint32_t opcode, size;
        uint64_t value;
    } loads[] = {{0x39400020, 1, 0x80},                /* ldrb w0, [x1] */
                 {0x39c00020, 1, 0xffffff80},          /* ldrsb w0, [x1] */
                 {0x39800020, 1, 0xffffffffffffff80},  /* ldrsb x0, [x1] */
                 {0xb9800020, 4, 0xffffffff83828180},  /* ldrsw x0, [x1] */
                 {0xf9400020, 8, 0x8786858483828180},  /* ldr x0, [x1] */
                 {0xc85f7c20, 8, 0x8786858483828180},  /* ldxr x0, [x1] */
                 {0xf8220020, 8, 0x8786858483828180}}; /* ldadd x2, x0, [x1] */
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const a64_access access = access_at(0x1000, loads[i].size);
        a64_registers r = {.known = 0};
        execute(&r,
                &(a64_record){.opcode = loads[i].opcode, .accesses = &access, .access_count = 1});
        CHECK_EQ_U64(r.x[0], loads[i].value);
        CHECK_EQ_U64(r.known, 1);
    }
}

/* Executes ldp x0, x2, [x1], #16, as one access or as two. */
TEST(pairs_are_one_access_or_two)
{
    const a64_access one = access_at(0x1000, 16);
    const a64_access two[] = {access_at(0x1000, 8), access_at(0x1008, 8)};
    static const uint64_t before[] = {0, 0x1000};
    a64_registers r = registers_of(before, 2);
    execute(&r, &(a64_record){.opcode = 0xa8c10820, .accesses = &one, .access_count = 1});
    CHECK_EQ_U64(r.x[0], UINT64_C(0x8786858483828180));
    CHECK_EQ_U64(r.x[1], 0x1010);
    CHECK_EQ_U64(r.x[2], UINT64_C(0x8f8e8d8c8b8a8988));
    execute(&r, &(a64_record){.opcode = 0xa8c10820, .accesses = two, .access_count = 2});
    CHECK_EQ_U64(r.x[0], UINT64_C(0x8786858483828180));
    CHECK_EQ_U64(r.x[1], 0x1020);
    CHECK_EQ_U64(r.x[2], UINT64_C(0x8786858483828180));
    execute(&r, &(a64_record){.opcode = 0xa8c10820});
    CHECK(!a64_is_known(&r, 0) && !a64_is_known(&r, 2));
    CHECK_EQ_U64(r.x[1], 0x1030);
}

TEST(addresses_follow_from_registers)
{
    static const uint64_t before[] = {0, 0x1000, UINT64_C(0xfffffffffffffffe)};
    static const struct {
        uint32_t opcode;
        uint64_t address;
    } places[] = {{0xf8408c20, 0x1008},                         /* ldr x0, [x1, #8]! */
                  {0xa8c10820, 0x1000},                         /* ldp x0, x2, [x1], #16 */
                  {0xf9400420, 0x1008},                         /* ldr x0, [x1, #8] */
                  {0xf85f8020, 0xff8},                          /* ldur x0, [x1, #-8] */
                  {0xa97f0820, 0xff0},                          /* ldp x0, x2, [x1, #-16] */
                  {0xb8625820, UINT64_C(0x1000) + 0x3fffffff8}, /* ldr w0, [x1, w2, uxtw #2] */
                  {0xf8626820, 0xffe}};                         /* ldr x0, [x1, x2] */
    const a64_registers r = registers_of(before, 3);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const a64_record record = {.opcode = places[i].opcode};
        const a64_insn what = a64_classify(record.opcode);
        uint64_t address = 0;
        CHECK(a64_address(&r, &what, &record, &address));
        CHECK_EQ_U64(address, places[i].address);
        CHECK(!a64_address(&(a64_registers){.known = 0}, &what, &record, &address));
    }
}

TEST(what_is_not_carried_on_is_forgotten)
{
    static const struct {
        uint32_t opcode;
        uint32_t kept; /* registers kept, as bits of X0 to X30 and the stack pointer */
    } cases[] = {{0x9a020020, ~UINT32_C(1)},  /* adc x0, x1, x2 */
                 {0x9e660020, ~UINT32_C(1)},  /* fmov x0, d1 */
                 {0xc8007c22, ~UINT32_C(1)},  /* stxr w0, x2, [x1] */
                 {0xd53bd040, ~UINT32_C(1)},  /* mrs x0, tpidr_el0 */
                 {0xd4000001, ~UINT32_C(1)},  /* svc #0 */
                 {0xd503233f, 0x3ffdffff},    /* paciasp, and instructions like it */
                 {0xd4000002, 0},             /* hvc #0 */
                 {0x00000000, 0},             /* udf #0 */
                 {0x14000001, ~UINT32_C(0)},  /* b . + 4 */
                 {0xd503201f, ~UINT32_C(0)}}; /* nop */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        a64_registers r = {.known = UINT32_MAX};
        execute(&r, &(a64_record){.opcode = cases[i].opcode});
        CHECK_EQ_U64(r.known, cases[i].kept);
    }
}
