/* SPDX-License-Identifier: Apache-2.0 */
/* Call chains: the functions of each address, with those inlined there if the user wants them. */
#include <string.h>

#include "render/script.h"

/*
 * Finds the functions at an address: writes their lines, the innermost first, and returns how
 * many; 0 if only the symbol is known.
 *
 * Up to 6.1, perf looks only at unwound addresses.
 */
static size_t find_inlined(const struct script_printer *printer, const struct script_sample *sample,
			   const struct plumb_frame *frame, const struct plumb_location *location,
			   struct plumb_source_frame sources[PLUMB_SOURCE_FRAMES_MAX])
{
	const bool unwound = frame->mode == PLUMB_MODE_USER &&
			     sample->event->attr.sample_type & PLUMB_SAMPLE_STACK_USER;

	if (!location->symbol || (printer->version == PLUMB_PERF_6_1 && !unwound))
		return 0;
	return plumb_symbolizer_source(printer->symbols, location, sources,
				       PLUMB_SOURCE_FRAMES_MAX);
}

/*
 * perf goes by names: a function is inlined unless it has the symbol's. So it takes the function
 * that all are inlined into for an inlined one, too, if debug information has another name for it
 * ("outer" for "outer.constprop.0"), and a function that is inlined into itself for the outer one.
 */
static bool is_inlined(const struct script_printer *printer, const struct plumb_location *location,
		       const char *function, bool last)
{
	if (printer->version == PLUMB_PERF_NEWEST)
		return !last;
	return strcmp(function, plumb_symbol_name(location->symbol)) != 0;
}

/*
 * A recorded caller is the address behind its call, which may belong to another line, or to another
 * function if the call never returns: this looks at the byte before. perf looks at the address
 * itself. Unwound addresses are in the call already.
 */
void script_each_frame(struct script_printer *printer, const struct script_sample *sample,
		       script_take_frame *take, void *user)
{
	struct plumb_source_frame sources[PLUMB_SOURCE_FRAMES_MAX];
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	const size_t count =
		plumb_symbolizer_callchain(printer->symbols, sample->task, sample->record, frames);

	for (size_t i = 0; i < count; i++) {
		struct plumb_location location;
		const bool behind = frames[i].returns && printer->version == PLUMB_PERF_NEWEST;
		size_t known = 0;

		plumb_symbolizer_locate(printer->symbols, sample->task, frames[i].mode,
					frames[i].ip - behind, &location);
		if (printer->inlined)
			known = find_inlined(printer, sample, &frames[i], &location, sources);
		for (size_t j = 0; j < known; j++) {
			const char *function = sources[j].function ? sources[j].function : "??";
			const bool inlined =
				is_inlined(printer, &location, function, j == known - 1);

			take(user,
			     &(const struct script_frame){.ip = frames[i].ip,
							  .behind = behind,
							  .location = &location,
							  .source = &sources[j],
							  .inlined = inlined ? function : NULL});
		}
		if (!known)
			take(user, &(const struct script_frame){.ip = frames[i].ip,
								.behind = behind,
								.location = &location});
	}
}
