/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/callers.h"

#include <string.h>

bool callers_is_own(const char *file)
{
	/* GCC's and clang's, C++'s and Rust's; a distribution's copy for other machines, too. */
	static const char *const within[] = {
		"/include/c++/", "/lib/gcc/",           "/lib/gcc-cross/",     "/lib/clang/",
		"/rustlib/src/", "-linux-gnu/include/", "-linux-musl/include/"};
	static const char *const first[] = {"/usr/include/", "/rustc/"};

	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (strstr(file, within[i]))
			return false;
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		if (strncmp(file, first[i], strlen(first[i])) == 0)
			return false;
	return true;
}

/*
 * Tells whether code is in a library of the system, or of one for other machines: their source has
 * all sorts of names.
 */
static bool is_of_system(const struct plumb_location *location)
{
	static const char *const within[] = {"/usr/lib/", "/usr/lib64/", "-linux-gnu/lib/",
					     "/lib/aarch64-linux-gnu/"};
	static const char *const first[] = {"/lib/", "/lib64/"};
	const char *name = location->file ? plumb_symbol_file_name(location->file) : "";

	for (size_t i = 0; i < sizeof(within) / sizeof(*within); i++)
		if (strstr(name, within[i]))
			return true;
	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		if (strncmp(name, first[i], strlen(first[i])) == 0)
			return true;
	return false;
}

bool callers_own_line(struct plumb_symbolizer *symbolizer, const struct plumb_location *location,
		      struct plumb_source_frame *frame)
{
	const bool system = is_of_system(location);
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
	const size_t count =
		plumb_symbolizer_source(symbolizer, location, frames, PLUMB_SOURCE_FRAMES_MAX);

	*frame = (struct plumb_source_frame){.line = 0};
	for (size_t i = 0; i < count; i++) {
		const bool own = !system && frames[i].file && callers_is_own(frames[i].file);

		if (!frames[i].file || !frames[i].line)
			continue;
		if (!frame->line || own)
			*frame = frames[i];
		if (own)
			return true;
	}
	return false;
}

bool callers_is_own_code(struct plumb_symbolizer *symbolizer, const struct plumb_location *location)
{
	struct plumb_source_frame frame;

	return !is_of_system(location) &&
	       plumb_symbolizer_source(symbolizer, location, &frame, 1) && frame.file &&
	       frame.line && callers_is_own(frame.file);
}

bool callers_find(struct plumb_symbolizer *symbolizer, const struct plumb_samples_item *item,
		  const struct plumb_location *location, struct plumb_location *caller)
{
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	struct plumb_source_frame line;
	bool found = false;
	size_t depth, i = 0;

	if (location->symbol && callers_own_line(symbolizer, location, &line)) {
		*caller = *location;
		return true;
	}
	depth = plumb_symbolizer_callchain(symbolizer, item->task, item->record, frames);
	while (i < depth && frames[i].ip == item->record->sample.ip)
		i++;
	for (; i < depth; i++) {
		struct plumb_location at;

		if (!plumb_symbolizer_locate(symbolizer, item->task, frames[i].mode,
					     frames[i].ip - frames[i].returns, &at) ||
		    !at.symbol)
			continue;
		if (callers_own_line(symbolizer, &at, &line)) {
			*caller = at;
			return true;
		}
		if (!found && line.line) {
			*caller = at;
			found = true;
		}
	}
	return found;
}
