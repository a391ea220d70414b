/* SPDX-License-Identifier: Apache-2.0 */
/* Says below a table of sampled slots what its marks and its wide intervals mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/fit.h"
#include "render/profile.h"
#include "render/short_names.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Smaller rows have too few samples for narrow intervals, however long their calls are. */
#define SHARE_LEAST 0.01
/* The interval of a share of a row's slots is this wide if its windows do not tell it. */
#define WIDE 0.5
/* So many functions are named. */
#define NAMED 4

/* Tells whether the windows of a row also count so much of its neighbours that they say little. */
static bool is_unresolved(const struct plumb_profile_topdown *row)
{
	const struct plumb_profile_estimate shares[] = {row->retiring, row->bad_speculation,
							row->frontend_bound, row->backend_bound};

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		if (shares[i].high - shares[i].low >= WIDE)
			return row->share.value >= SHARE_LEAST;
	return false;
}

static void print_short_calls(struct output *out, const struct profile_view *view,
			      const struct plumb_profile_topdown *rows, size_t count)
{
	const uint8_t *key = memchr(view->keys, PLUMB_KEY_SYMBOL, view->key_count);
	char room[PLUMB_PROFILE_TEXT], *list, *text;
	struct join names = {0};
	size_t found = 0;

	for (size_t i = 0; key && i < count; i++) {
		const char *name = plumb_profile_text(view->profile, rows[i].event, rows[i].row,
						      (size_t)(key - view->keys), room);

		if (!name || !is_unresolved(&rows[i]) || found++ >= NAMED)
			continue;
		text = name_in_prose(name, pen_for(out)->omitted);
		join_add(&names, text);
		free(text);
	}
	list = join_take(&names);
	text = found > NAMED ? memory_format("%s and %zu more", list, found - NAMED)
			     : memory_copy(list, strlen(list));
	free(list);
	list = memory_format("calls of %s are too short for the windows of samples: slots may be "
			     "those of what runs before or after; plumb record --exact tells them "
			     "apart",
			     text);
	if (found)
		fit_prose(out, STYLE_DIM, 0, 0, list);
	free(list);
	free(text);
}

void profile_topdown_notes(struct output *out, const struct profile_view *view,
			   const struct plumb_profile_topdown *rows, size_t count, bool uncertain)
{
	if (uncertain)
		fit_prose(out, STYLE_DIM, 0, 0,
			  "~: this row, or the one above or below it, may be the larger one");
	if (count && !rows[0].exact)
		print_short_calls(out, view, rows, count);
}
