/* SPDX-License-Identifier: Apache-2.0 */
/* Adds a recording to a side, by function and line. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"
#include "diff/code.h"
#include "diff/names.h"
#include "diff/windows.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

/* ---- Values -----------------------------------------------------------------------------------
 */

struct pass {
	struct diff_side *side;
	enum diff_pass pass;
	const struct diff_recording *from;
	const struct plumb_profile *profile;
	struct diff_windows
		*windows; /* of a sampled run that the exact profile is of; NULL: none */
};

/* An event of the profile, and what its counts are multiplied by. */
struct counted {
	struct plumb_profile_event event;
	size_t number;
	char name[256]; /* without "exact/" */
	enum slots slots;
	struct interval population; /* how often it happened, with what sampling leaves unknown */
	struct interval whole; /* likewise; without ends, if runs differ by more than sampling */
};

/*
 * Returns a name as a side keeps it: its keys are compared before they are kept. "": out of memory,
 * which the side knows.
 */
static const char *valid_name(struct diff_side *side, const char *name)
{
	const size_t length = strlen(name);
	const char *kept;

	if (visible_valid(name, length, NULL) == length)
		return name;
	kept = diff_side_keep(side, name);
	return kept ? kept : "";
}

static void strip_name(const char *name, char *to, size_t room)
{
	size_t length;

	if (strncmp(name, "exact/", 6) == 0)
		name += 6;
	length = strlen(name);
	while (length && name[length - 1] == '/')
		length--;
	snprintf(to, room, "%.*s", (int)(length < room ? length : room - 1), name);
}

/* Returns how often an event happened, with what sampling leaves unknown of it. */
static struct interval population_of(const struct profiled_event *event)
{
	const double n = (double)event->public.samples, interval = event->sampling.interval;
	double value = (double)event->public.period, half = 0;

	if (event->public.spe && interval > 0) {
		const double s = event->sampling.perturbation / interval / sqrt(12);
		const double filtered = fmin(1, fmax(0, event->sampling.filtered));

		/* Each interval varies, the last one was cut off, and how many samples pass a
		 * filter is random. */
		value = n * interval;
		half = 1.96 * sqrt(n * (s * s + filtered) + 1.0 / 12) * interval;
	} else if (!event->public.exact && n > 0) {
		/* What came after the last sample is less than a period. */
		half = value / n;
	}
	return (struct interval){value, fmax(0, value - half), value + half};
}

static bool counted_at(const struct pass *pass, size_t e, struct counted *counted)
{
	if (!plumb_profile_event(pass->profile, e, &counted->event))
		return false;
	counted->number = e;
	counted->slots = slots_of(&counted->event);
	strip_name(counted->event.name ? valid_name(pass->side, counted->event.name) : "event",
		   counted->name, sizeof(counted->name));
	counted->population = population_of(&pass->profile->events[e]);
	counted->whole = counted->population;
	if (counted->event.exact || !pass->from->modelled)
		counted->whole.low = counted->whole.high = NAN;
	return true;
}

static struct interval scaled(const struct plumb_profile_estimate *estimate, double by)
{
	return (struct interval){estimate->value * by, estimate->low * by, estimate->high * by};
}

/* Adds a value that is no count: the first row of a name has the most samples. */
static void add_mean(const struct pass *pass, struct diff_key key, const char *of, const char *unit,
		     struct interval value)
{
	const struct diff_item *known;
	struct diff_item *item;

	if (key.view == DIFF_EVENTS)
		key.name = of;
	else
		key.of = of;
	known = diff_side_find(pass->side, &key);
	if (isnan(value.value) || isnan(value.low) || (known && known->run == pass->side->run))
		return;
	item = diff_side_add(pass->side, &key, &value, false);
	if (item) {
		item->unit = unit;
		item->modelled = pass->from->modelled;
	}
}

/* Returns the mean latency of a row, to be compared with another one. */
static struct interval mean_of(const struct plumb_profile_row *row)
{
	const struct interval skewed = {row->latency.value, row->latency.low, row->latency.high};

	return interval_symmetric(&skewed);
}

static void add_means(const struct pass *pass, const struct diff_key *key,
		      const struct plumb_profile_row *row)
{
	add_mean(pass, *key, "spe_mean_latency", "cycles", mean_of(row));
	add_mean(pass, *key, "spe_l1d_miss_rate", "percent of L1D accesses",
		 scaled(&row->l1d_misses, 100));
	add_mean(pass, *key, "spe_mispredict_rate", "percent of branches",
		 scaled(&row->mispredictions, 100));
}

static struct diff_item *add_count(const struct pass *pass, struct diff_key key, const char *of,
				   const struct interval *value, bool exact)
{
	struct diff_item *item;

	key.of = of;
	item = diff_side_add(pass->side, &key, value, exact);
	if (item) {
		item->additive = true;
		item->modelled = pass->from->modelled && !exact;
	}
	return item;
}

/* A line, and its name. */
struct line {
	const char *function;
	char *file;
	unsigned number;
	char name[PLUMB_PROFILE_TEXT + 16];
};

/* Tells whether `name` is that of `function`, or of a copy of it that the compiler made. */
static bool is_of(const char *name, const char *function)
{
	const size_t length = diff_base_length(name);

	return strlen(function) == length && memcmp(name, function, length) == 0;
}

/* Reads "file.c:12". Returns false if it is no line. */
static bool parse_line(struct diff_side *side, const char *text, struct line *line)
{
	const char *colon = strrchr(text, ':');
	const struct diff_declaration *declared;
	unsigned long number;
	char *end;

	if (!colon || colon == text || !isdigit((unsigned char)colon[1]))
		return false;
	number = strtoul(colon + 1, &end, 10);
	if (*end || number > INT_MAX)
		return false;
	line->number = (unsigned)number;
	line->file = arena_copy(&side->arena, text, (size_t)(colon - text));
	side->no_memory |= !line->file;
	if (!line->file)
		return false;
	/* The line's own function may be inlined in another. */
	declared = diff_side_declared(side, line->file, line->number);
	if (!declared)
		snprintf(line->name, sizeof(line->name), "%s", text);
	else if (is_of(line->function, declared->function))
		snprintf(line->name, sizeof(line->name), "%+d",
			 (int)line->number - (int)declared->line);
	else
		snprintf(line->name, sizeof(line->name), "%.*s%+d", PLUMB_PROFILE_TEXT - 1,
			 declared->function, (int)line->number - (int)declared->line);
	return true;
}

/* Describes the item of a line. */
static void place(struct diff_item *item, const struct line *line)
{
	if (!item || !line || item->file)
		return;
	item->file = line->file;
	item->line = line->number;
}

/* Returns how much of an event a row has. */
static struct interval count_of(const struct counted *counted, const struct plumb_profile_row *row)
{
	const struct interval share = scaled(&row->share, 1);
	const struct interval *population = &counted->population;

	return isnan(share.low) ? (struct interval){share.value * population->value, NAN, NAN}
				: interval_product(&share, population);
}

/* Returns the sum of a row's latencies: how many operations it has, times their mean. */
static struct interval latency_of(const struct counted *counted,
				  const struct plumb_profile_row *row)
{
	const struct interval count = count_of(counted, row), mean = mean_of(row);

	return isnan(count.low) ? (struct interval){count.value * mean.value, NAN, NAN}
				: interval_product(&count, &mean);
}

/* Adds a row's counts. `line` is NULL for functions. */
static void add_row(const struct pass *pass, const struct counted *counted, size_t i,
		    const struct diff_key *key, const struct line *line)
{
	struct diff_item *item = NULL;
	struct plumb_profile_row row;
	struct interval value;

	plumb_profile_row(pass->profile, counted->number, i, &row);
	if (counted->event.exact && pass->windows) {
		if (counted->slots != SLOTS_NONE &&
		    diff_windows_slots(pass->windows, counted->number, i, &value))
			place(add_count(pass, *key, "slots", &value, false), line);
		if (line && counted->slots == SLOTS_NONE)
			return;
		value = diff_windows_count(pass->windows, counted->number, i);
		item = add_count(pass, *key, counted->name, &value, false);
	} else if (counted->event.exact) {
		value = (struct interval){(double)row.period, NAN, NAN};
		if (counted->slots != SLOTS_NONE)
			place(add_count(pass, *key, "slots", &value, true), line);
		if (line && counted->slots == SLOTS_NONE)
			return;
		item = add_count(pass, *key, counted->name, &value, true);
	} else if (counted->event.spe) {
		value = latency_of(counted, &row);
		if (value.value > 0)
			item = add_count(pass, *key, "spe_latency", &value, false);
		if (item)
			item->unit = "cycles";
		place(item, line);
		if (!line)
			add_means(pass, key, &row);
		value = count_of(counted, &row);
		item = add_count(pass, *key, "spe_operations", &value, false);
	} else {
		value = count_of(counted, &row);
		item = add_count(pass, *key, counted->name, &value, false);
	}
	place(item, line);
}

/* Returns a row's values of all keys in one text. */
static const char *name_of_row(const struct pass *pass, const struct counted *counted, size_t i,
			       char *room, size_t size)
{
	const size_t keys = pass->profile->options.key_count;
	size_t used = 0;

	for (size_t k = 0; k < keys; k++) {
		char text[PLUMB_PROFILE_TEXT];
		const char *value = plumb_profile_text(pass->profile, counted->number, i, k, text);

		used += (size_t)snprintf(room + used, size - used, "%s%s", k ? ", " : "",
					 value ? value : "unknown");
		if (used >= size)
			break;
	}
	return room;
}

static void add_rows(const struct pass *pass, const struct counted *counted)
{
	for (size_t i = 0; i < counted->event.row_count; i++) {
		char room[8192], rooms[2][PLUMB_PROFILE_TEXT];
		const char *texts[2];
		struct line line;

		if (pass->pass == DIFF_PASS_FUNCTIONS) {
			const struct diff_key key = {
				DIFF_FUNCTIONS,
				valid_name(pass->side,
					   name_of_row(pass, counted, i, room, sizeof(room))),
				"", ""};

			add_row(pass, counted, i, &key, NULL);
			continue;
		}
		for (size_t k = 0; k < 2; k++)
			texts[k] =
				plumb_profile_text(pass->profile, counted->number, i, k, rooms[k]);
		line.function = texts[0] ? valid_name(pass->side, texts[0]) : "unknown";
		if (texts[1] && parse_line(pass->side, valid_name(pass->side, texts[1]), &line))
			add_row(pass, counted, i,
				&(struct diff_key){DIFF_LINES, line.name, "", line.function},
				&line);
	}
}

/* ---- The whole --------------------------------------------------------------------------------
 */

static void add_whole(const struct pass *pass, const char *name, const struct interval *value,
		      bool exact, const char *unit)
{
	const struct diff_key key = {DIFF_EVENTS, name, "", ""};
	const struct diff_item *known = diff_side_find(pass->side, &key);
	struct diff_item *item;

	/* What was counted, too, is known from there. */
	if (known && known->counted)
		return;
	item = diff_side_add(pass->side, &key, value, exact);
	if (item) {
		item->unit = unit;
		item->modelled = pass->from->modelled && !exact;
	}
}

/* What a run has of a kind of count: as many draws of equal weight tell as much about it. */
struct quantity {
	double whole, draws;
};

/* Returns how many equal draws the samples of an event are worth, by the share that all have. */
static double draws_of(const struct pass *pass, const struct counted *counted)
{
	struct plumb_profile_row row;
	double unseen;

	if (pass->windows && counted->event.exact)
		return pass->profile->grouping.windows;
	if (!plumb_profile_row(pass->profile, counted->number, 0, &row) || isnan(row.share.low))
		return (double)counted->event.samples;
	unseen = 1 - row.share.low;
	return unseen > 0 ? unseen_share(1) / (1 - unseen_share(1)) * (1 - unseen) / unseen
			  : (double)counted->event.samples;
}

/* Notes a kind of count. */
static void add_quantity(const struct pass *pass, const char *name, const struct counted *counted,
			 struct quantity value)
{
	struct diff_quantity *quantity = diff_side_quantity(pass->side, name);

	if (!quantity)
		return;
	quantity->exact = counted->event.exact && !pass->windows;
	quantity->whole += value.whole;
	quantity->runs += quantity->run != pass->side->run;
	quantity->run = pass->side->run;
	quantity->zero_high = quantity->exact ? 0 : unseen_share(value.draws) * value.whole;
}

static void add_spe_whole(const struct pass *pass, const struct counted *counted)
{
	const struct diff_key key = {DIFF_EVENTS, "", "", ""};
	const double draws = draws_of(pass, counted);
	struct plumb_profile_row row;
	struct interval mean, value;

	add_whole(pass, "spe_operations", &counted->whole, false, "operations");
	add_quantity(pass, "spe_operations", counted,
		     (struct quantity){counted->population.value, draws});
	if (!plumb_profile_row(pass->profile, counted->number, 0, &row))
		return;
	add_means(pass, &key, &row);
	mean = mean_of(&row);
	value = interval_product(&counted->population, &mean);
	if (isnan(mean.low))
		value.low = value.high = NAN;
	if (!(value.value > 0))
		return;
	add_quantity(pass, "spe_latency", counted,
		     (struct quantity){value.value, equal_draws(draws, &mean)});
	if (pass->from->modelled)
		add_whole(pass, "spe_latency", &value, false, "cycles");
	else
		add_whole(pass, "spe_latency", &(struct interval){value.value, NAN, NAN}, false,
			  "cycles");
}

static void add_event_whole(const struct pass *pass, const struct counted *counted)
{
	const bool exact = counted->event.exact && !pass->windows;
	struct interval whole = counted->whole, slots = whole;
	struct quantity quantity;
	/* A choice may leave nothing of an event. */
	bool adds_slots = !pass->windows || counted->event.row_count;

	if (counted->event.spe) {
		add_spe_whole(pass, counted);
		return;
	}
	/* Accesses to lines have several rows; no window has them. */
	if (counted->event.exact && pass->windows && counted->event.row_count == 1) {
		whole = diff_windows_count(pass->windows, counted->number, 0);
		adds_slots = counted->slots != SLOTS_NONE &&
			     diff_windows_slots(pass->windows, counted->number, 0, &slots);
	}
	add_whole(pass, counted->name, &whole, exact, "events");
	quantity =
		(struct quantity){counted->population.value, exact ? 0 : draws_of(pass, counted)};
	add_quantity(pass, counted->name, counted, quantity);
	if (counted->slots != SLOTS_NONE) {
		if (adds_slots)
			add_whole(pass, "slots", &slots, exact, "slots");
		add_quantity(pass, "slots", counted, quantity);
	}
}

static void describe(const struct pass *pass)
{
	const struct plumb_event_attr *attr = profile_spe_attr(pass->from->recording);
	char text[128];

	diff_side_describe(pass->side, &pass->side->recorded_source,
			   pass->windows               ? "windows of the model"
			   : pass->profile->exact_type ? DIFF_EXACT_PROFILE
			   : pass->from->modelled      ? "samples of the model"
						       : "samples");
	if (pass->from->modelled)
		diff_side_set_seed(pass->side, pass->from->seed);
	if (!attr)
		return;
	snprintf(text, sizeof(text),
		 "SPE, period %" PRIu64 ", config %" PRIx64 " %" PRIx64 " %" PRIx64,
		 attr->sample_period, attr->config, attr->config1, attr->config2);
	diff_side_describe(pass->side, &pass->side->sampling, text);
}

/* Notes what an exact profile would have counted, had it happened. */
static void note_events(const struct pass *pass)
{
	const struct plumb_recorded_event *event;
	char name[sizeof(((struct counted *)NULL)->name)];

	for (size_t i = 0; (event = plumb_recording_event(pass->from->recording, i)); i++) {
		if (event->attr.type != pass->profile->exact_type || !event->name)
			continue;
		strip_name(event->name, name, sizeof(name));
		diff_side_note_event(pass->side, name);
	}
}

static void add_events(const struct pass *pass)
{
	struct counted counted;

	for (size_t e = 0; counted_at(pass, e, &counted); e++) {
		if (pass->pass == DIFF_PASS_WHOLE)
			add_event_whole(pass, &counted);
		else
			add_rows(pass, &counted);
	}
	if (pass->pass == DIFF_PASS_WHOLE) {
		pass->side->recorded_runs++;
		if (pass->profile->exact_type && !pass->windows)
			note_events(pass);
		describe(pass);
	}
}

/* Adds all that a profile has. Returns 0 or NO_MEMORY. */
static int add_profile(struct pass pass)
{
	struct diff_windows windows = {0};
	int error = 0;

	if (plumb_profile_windows(pass.profile)) {
		pass.windows = &windows;
		error = diff_windows_begin(&windows, pass.profile) ? 0 : PLUMB_ERR_NO_MEMORY;
	}
	if (error == 0)
		add_events(&pass);
	diff_windows_end(&windows);
	return error;
}

static void set_keys(struct plumb_profile_options *options, enum diff_pass pass,
		     const struct diff_recording *from, bool named)
{
	/* No sample that is compared has this key, so there is one row. */
	static const uint8_t whole[] = {PLUMB_KEY_BYTES};
	static const uint8_t symbols[] = {PLUMB_KEY_SYMBOL, PLUMB_KEY_SRCLINE};
	static const uint8_t functions[] = {PLUMB_KEY_INLINE, PLUMB_KEY_SRCLINE};
	const uint8_t *lines = named ? functions : symbols;

	options->size = sizeof(*options);
	options->keys = pass == DIFF_PASS_WHOLE   ? whole
			: pass == DIFF_PASS_LINES ? lines
			: from->keys              ? from->keys
						  : lines;
	options->key_count = pass == DIFF_PASS_LINES                     ? 2
			     : pass == DIFF_PASS_FUNCTIONS && from->keys ? from->key_count
									 : 1;
}

static const char *name_function(void *user, const char *name, bool inlined)
{
	return diff_names_function(user, name, inlined);
}

int diff_side_add_recording(struct diff_side *side, enum diff_pass pass,
			    const struct diff_recording *from)
{
	const struct profile_naming naming = {name_function, (void *)(uintptr_t)side->names};
	struct plumb_profile_options options = from->options;
	struct code_collector *collector = NULL;
	struct plumb_profile *profile = NULL;
	int error, status;

	set_keys(&options, pass, from, side->names);
	if (pass == DIFF_PASS_WHOLE && !side->function_count && !from->keys) {
		collector = code_collector_new(side, &from->options);
		if (!collector)
			return PLUMB_ERR_NO_MEMORY;
		options.wants = code_collect;
		options.user = collector;
		options.wants_by = from->options.wants && !from->options.wants_by
					   ? 0
					   : from->options.wants_by | PLUMB_WANTS_LOCATION;
		options.threads = 1;
	}
	error = plumb_profile_new(&options, from->recording, from->symbolizer, &profile);
	if (error == 0) {
		profile->naming = side->names ? &naming : NULL;
		error = plumb_profile_add(profile, from->samples);
		status = plumb_profile_finish(profile, plumb_samples_totals(from->samples));
		error = error < 0 ? error : status;
	}
	if (error == 0) {
		if (collector)
			code_finish(collector, from->symbolizer);
		error = add_profile((struct pass){side, pass, from, profile, NULL});
	}
	plumb_profile_free(profile);
	code_collector_free(collector);
	return error == 0 && side->no_memory ? PLUMB_ERR_NO_MEMORY : error;
}
