/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the classes and labels of events that are written. */
#ifndef CTF_WRITER_CHOICE_H
#define CTF_WRITER_CHOICE_H

#include "formats/ctf/write/writer_shape.h"
#include "formats/ctf/write/writer_state.h"

/* Shapes the event and returns the number of its class: one with its name, or one with its shape if
   there are too many names, or that of its kind if there are too many shapes. */
uint32_t writer_class_choose(ctf_writer *w, const stele_batch *batch, const stele_event *event,
                             unsigned *flags);

/* Keeps the labels of the event that was shaped last, for the metadata. Returns false if out of
   memory. */
bool writer_labels_add(ctf_writer *w, uint32_t class_number);

#endif
