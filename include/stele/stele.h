/* SPDX-License-Identifier: Apache-2.0 */
/* Includes all headers that are common to all formats. The codecs have headers of their own. Each
   header says which of its objects one thread at a time uses. */
#ifndef STELE_STELE_H
#define STELE_STELE_H

#include <stele/align.h>
#include <stele/analysis.h>
#include <stele/chains.h>
#include <stele/component.h>
#include <stele/context.h>
#include <stele/diag.h>
#include <stele/event.h>
#include <stele/expression.h>
#include <stele/json.h>
#include <stele/kernel.h>
#include <stele/output.h>
#include <stele/overview.h>
#include <stele/parts.h>
#include <stele/reader.h>
#include <stele/sched.h>
#include <stele/schema.h>
#include <stele/sink.h>
#include <stele/spans.h>
#include <stele/stats.h>
#include <stele/status.h>
#include <stele/symbols.h>
#include <stele/tables.h>
#include <stele/text.h>
#include <stele/verify.h>
#include <stele/version.h>
#include <stele/writer.h>

#endif
