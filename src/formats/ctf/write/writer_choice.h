/* SPDX-License-Identifier: Apache-2.0 */
/* Classes and labels of the events that are written. */
#ifndef CTF_WRITER_CHOICE_H
#define CTF_WRITER_CHOICE_H

#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_state.h"

/* Shapes the event and gives its class: by name, else by shape, else the one of its kind. */
uint32_t writer_class_choose(ctf_writer *w, const stele_batch *batch, const stele_event *event,
                             unsigned *flags);

/* Keeps the labels of the event that was shaped last. Returns false if out of memory. */
bool writer_labels_add(ctf_writer *w, uint32_t class_number);

#endif
