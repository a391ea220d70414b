/* SPDX-License-Identifier: Apache-2.0 */
/* What cells of tables have after their first blank, where a terminal lacks room for it: see
 * table_column.extra. The cells of `table` change; `original` has them in full. */
#ifndef RENDER_TABLE_EXTRAS_H
#define RENDER_TABLE_EXTRAS_H

#include "render/table.h"

/* Shortens percentages with half their intervals. The texts are in `copies`. Returns whether there
 * are any. */
bool table_shorten_extras(struct table *table, const struct table *original, struct arena *copies);

/* Cuts them off. Returns what they are called, or NULL if there are none. */
const char *table_cut_extras(struct table *table, const struct table *original,
			     struct arena *copies);

#endif
