/* SPDX-License-Identifier: Apache-2.0 */
/* Where the data of a row's loads and stores came from: as a bar, and for programs. */
#include <plumb/spe.h>
#include <stdio.h>
#include <string.h>

#include "base/json_write.h"
#include "render/json.h"
#include "render/profile_sources.h"

#define BAR_WIDTH 10
#define NAMED     2 /* sources with their names behind the bar */

/* From the largest source on; the last stands for all others. */
static const char marks[] = "#=-.";
#define MARKS (sizeof(marks) - 1)

struct shown {
	struct plumb_profile_source sources[PLUMB_PROFILE_SOURCES_MAX];
	size_t count;
	uint64_t samples;
};

static struct shown read(const struct profile_view *view, size_t event, size_t row)
{
	struct shown shown;

	shown.count =
		plumb_profile_sources(view->profile, event, row, shown.sources, &shown.samples);
	return shown;
}

static const char *name_of(const struct plumb_profile_source *source, char room[32])
{
	if (source->name)
		return source->name;
	snprintf(room, 32, "0x%x", source->number);
	return room;
}

/* Fills the bar: each mark ends at the sum of the shares up to then. */
static void fill_bar(const struct shown *shown, char bar[BAR_WIDTH + 1])
{
	uint64_t sum = 0;
	size_t at = 0;

	for (size_t i = 0; i < shown->count; i++) {
		sum += shown->sources[i].samples;
		while (at < BAR_WIDTH &&
		       (double)at + 0.5 < BAR_WIDTH * (double)sum / (double)shown->samples)
			bar[at++] = marks[i < MARKS ? i : MARKS - 1];
	}
	while (at < BAR_WIDTH)
		bar[at++] = marks[MARKS - 1];
	bar[at] = '\0';
}

void sources_add_bar(struct table *table, const struct profile_view *view, size_t event, size_t row)
{
	const struct shown shown = read(view, event, row);
	char text[256], bar[BAR_WIDTH + 1], room[32];
	size_t used;

	if (!shown.samples) {
		table_cell(table, NULL);
		return;
	}
	fill_bar(&shown, bar);
	used = (size_t)snprintf(text, sizeof(text), "%s", bar);
	for (size_t i = 0; i < shown.count && i < NAMED && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %.60s %.0f%%",
					 name_of(&shown.sources[i], room),
					 100 * (double)shown.sources[i].samples /
						 (double)shown.samples);
	table_cell(table, text);
}

void sources_add_list(struct table *table, const struct profile_view *view, size_t event,
		      size_t row)
{
	const struct shown shown = read(view, event, row);
	char text[64 * PLUMB_PROFILE_SOURCES_MAX] = "", room[32];
	size_t used = 0;

	for (size_t i = 0; i < shown.count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.32s:%llu",
					 i ? ";" : "", name_of(&shown.sources[i], room),
					 (unsigned long long)shown.sources[i].samples);
	table_cell(table, text);
}

json_t *sources_object(const struct profile_view *view, size_t event, size_t row)
{
	const struct shown shown = read(view, event, row);
	json_t *object = json_object();
	char room[32];

	for (size_t i = 0; i < shown.count; i++)
		json_put(object, name_of(&shown.sources[i], room),
			 json_integer((json_int_t)shown.sources[i].samples));
	return object;
}
