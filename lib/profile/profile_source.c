/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of source of places in code, and the functions that are inlined there. */
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"

/*
 * A function that is inlined somewhere, in plumb_profile.inlined: the number of the one that it is
 * inlined into (0: the symbol itself), its name, and the line and the file of its call.
 */
enum { OUTER, NAME, CALL_LINE, CALL_FILE, WORDS = PLACE_INLINED_WORDS };

/* Returns the name of the place's symbol; NULL: out of memory. */
static const char *symbol_name(struct plumb_profile *profile, struct place *place)
{
	const struct profile_naming *naming = profile->naming;
	char room[PLUMB_PROFILE_TEXT];
	const char *name;
	uint64_t symbol[2];

	if (!place_symbol(profile, place, symbol))
		return NULL;
	name = key_text(profile, PLUMB_KEY_SYMBOL, symbol, room);
	if (naming)
		name = naming->function(naming->user, name, false);
	return text_table_keep(&profile->texts, name);
}

/* Returns the name of the row of an inlined function; NULL: it has none. */
static const char *inlined_name(const struct plumb_profile *profile, const char *function,
				char room[PLUMB_PROFILE_TEXT])
{
	const struct profile_naming *naming = profile->naming;

	if (!function)
		return NULL;
	if (naming)
		return naming->function(naming->user, function, true);
	snprintf(room, PLUMB_PROFILE_TEXT, "%.*s (inlined)", PLUMB_PROFILE_TEXT - 32, function);
	return room;
}

/* Keeps a line's text and its file. If it is unknown, the symbol and its file stand for it. */
static bool keep_line(struct plumb_profile *profile, struct place *place,
		      const struct plumb_source_frame *frame, const char **line, const char **file)
{
	char text[PLUMB_PROFILE_TEXT];

	if (frame->file && frame->line) {
		const char *base = path_base(frame->file);

		snprintf(text, sizeof(text), "%.*s:%u", PLUMB_PROFILE_TEXT - 32, base, frame->line);
		*file = text_table_keep(&profile->texts, base);
		*line = text_table_keep(&profile->texts, text);
		return *line && *file;
	}
	*file = place_dso(profile, place);
	*line = symbol_name(profile, place);
	return *line && *file;
}

bool place_unfold(struct plumb_profile *profile, struct place *place)
{
	struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX] = {0};
	size_t count;

	if (place->unfolded)
		return true;
	count = plumb_symbolizer_source(profile->symbolizer, &place->location, frames,
					PLUMB_SOURCE_FRAMES_MAX);
	for (size_t i = count; i-- > 1;) {
		char text[PLUMB_PROFILE_TEXT];
		const char *name, *line, *file;
		uint64_t words[WORDS];
		int status;

		name = inlined_name(profile, frames[i - 1].function, text);
		if (!name)
			continue;
		name = text_table_keep(&profile->texts, name);
		if (!name || !keep_line(profile, place, &frames[i], &line, &file))
			return false;
		words[OUTER] = place->inlined;
		words[NAME] = (uintptr_t)name;
		words[CALL_LINE] = (uintptr_t)line;
		words[CALL_FILE] = (uintptr_t)file;
		status = codes_find(&profile->inlined, words, &place->inlined);
		if (status == PLUMB_ERR_NO_MEMORY)
			return false;
		/* Of too many, the outer ones are known. */
		if (status < 0)
			break;
		place->levels++;
	}
	place->unfolded = true;
	return true;
}

/* Returns the function inlined at this level; NULL: it is the symbol itself. */
static const uint64_t *inlined_at(const struct plumb_profile *profile, const struct place *place,
				  unsigned level)
{
	uint64_t number = place->inlined;

	for (; number && level > 0; level--)
		number = profile->inlined.values[(number - 1) * WORDS + OUTER];
	return number ? profile->inlined.values + (number - 1) * WORDS : NULL;
}

bool place_function(struct plumb_profile *profile, struct place *place, unsigned level, bool text,
		    uint64_t value[2])
{
	const uint64_t *inlined;

	if (!place_unfold(profile, place))
		return false;
	inlined = inlined_at(profile, place, level);
	if (!inlined && !text)
		return place_symbol(profile, place, value);
	set_text(value,
		 inlined ? (const char *)(uintptr_t)inlined[NAME] : symbol_name(profile, place));
	return value[0];
}

bool place_source(struct plumb_profile *profile, struct place *place, unsigned level, bool file,
		  uint64_t value[2])
{
	struct plumb_source_frame frame = {0};
	const uint64_t *below;

	if (level > 0) {
		if (!place_unfold(profile, place))
			return false;
		below = inlined_at(profile, place, level - 1);
		if (below) {
			set_text(value,
				 (const char *)(uintptr_t)below[file ? CALL_FILE : CALL_LINE]);
			return true;
		}
	}
	if (!place->line) {
		plumb_symbolizer_source(profile->symbolizer, &place->location, &frame, 1);
		if (!keep_line(profile, place, &frame, &place->line, &place->filename))
			return false;
	}
	set_text(value, file ? place->filename : place->line);
	return true;
}
