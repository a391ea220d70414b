/* SPDX-License-Identifier: Apache-2.0 */
/* Who called the helpers that perform atomic operations for other functions. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "tool/memory.h"

/* Returns a place's line of source as "file.c:12", or NULL if it is unknown. */
static char *line_of(struct plumb_symbolizer *symbols, const struct plumb_location *location)
{
	struct plumb_source_frame frame;
	const char *slash;

	if (plumb_symbolizer_source(symbols, location, &frame, 1) == 0 || !frame.file ||
	    !frame.line)
		return NULL;
	slash = strrchr(frame.file, '/');
	return memory_format("%s:%u", slash ? slash + 1 : frame.file, frame.line);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Adds a caller, or what it has to another one in the same line. */
static void add(struct profile_view *view, const struct profile_helper_caller *added)
{
	for (size_t i = 0; i < view->caller_count; i++) {
		struct profile_helper_caller *caller = &view->callers[i];

		if (strcmp(caller->helper, added->helper) != 0 ||
		    strcmp(caller->function, added->function) != 0 ||
		    !same_text(caller->line, added->line))
			continue;
		caller->share += added->share;
		free(added->line);
		return;
	}
	view->callers =
		memory_resize(view->callers, view->caller_count + 1, sizeof(*view->callers));
	view->callers[view->caller_count++] = *added;
}

static int compare(const void *a, const void *b)
{
	const struct profile_helper_caller *one = a, *other = b;
	int order = strcmp(one->helper, other->helper);

	if (order)
		return order;
	if (one->share != other->share)
		return one->share > other->share ? -1 : 1;
	order = strcmp(one->function, other->function);
	return order ? order : strcmp(one->line ? one->line : "", other->line ? other->line : "");
}

/* Turns the weights of a helper's callers, from the i-th on, into shares. Returns where they end.
 * Several files may have a helper of that name. */
static size_t share_out(struct profile_view *view, size_t i)
{
	double sum = 0;
	size_t end = i;

	for (; end < view->caller_count &&
	       strcmp(view->callers[end].helper, view->callers[i].helper) == 0;
	     end++)
		sum += view->callers[end].share;
	for (; i < end; i++)
		view->callers[i].share = sum > 0 ? view->callers[i].share / sum : 0;
	return end;
}

void report_list_callers(const struct helpers *helpers, struct plumb_symbolizer *symbols,
			 struct profile_view *view)
{
	for (size_t i = 0; i < helpers->count; i++) {
		const struct helper_call *call = &helpers->at[i];
		const struct profile_helper_caller caller = {
			.helper = plumb_symbol_name(call->helper),
			.function = plumb_symbol_name(call->caller.symbol),
			.line = line_of(symbols, &call->caller),
			.share = call->weight,
		};

		add(view, &caller);
	}
	if (!view->caller_count)
		return;
	qsort(view->callers, view->caller_count, sizeof(*view->callers), compare);
	for (size_t i = 0, end; i < view->caller_count; i = end)
		end = share_out(view, i);
}

void report_free_callers(struct profile_view *view)
{
	for (size_t i = 0; i < view->caller_count; i++)
		free(view->callers[i].line);
	free(view->callers);
	view->callers = NULL;
	view->caller_count = 0;
}
