/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOLS_SLED_YAML_H
#define SYMBOLS_SLED_YAML_H

#include "core/input.h"
#include "symbols/sled_map.h"

/* Reads the lines of a map in YAML; see sled_yaml.c for the form. */
stele_status sled_yaml_read(stele_sled_map *map, diag_sink *diag, input *in);

#endif
