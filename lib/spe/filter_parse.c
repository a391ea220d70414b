/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of filters: "load,latency>=100,!retired,pc=0x4000-0x4fff". */
#include "spe/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/text.h"
#include "spe/filter_words.h"

#define NAME_MAX_LENGTH 63

enum comparison { NONE, EQUAL, UNEQUAL, AT_LEAST, AT_MOST, MORE, LESS };

enum unit { NUMBER, SECONDS, SOURCE };

struct parser {
	const char *text; /* all of it */
	const char *at;
	uint32_t midr;
	struct plumb_spe_filter *filter;
	struct plumb_diagnostics *diagnostics;
};

/* A key that is compared with numbers. */
struct key {
	const char *name;
	struct spe_ranges *ranges;
	uint64_t most;
	enum unit unit;
};

/* Adds a finding about the text at `at`, and quotes `length` bytes of it. */
static int problem(const struct parser *p, int error, const char *at, size_t length,
		   const char *what)
{
	struct place place = {.column = (unsigned)(at - p->text) + 1};
	char quoted[NAME_MAX_LENGTH + 1];
	size_t size = length < NAME_MAX_LENGTH ? length : NAME_MAX_LENGTH;

	for (size_t i = 0; i < size; i++)
		quoted[i] = (char)(at[i] >= ' ' && at[i] < 0x7f ? at[i] : '?');
	quoted[size] = '\0';
	diagnostics_add(p->diagnostics, PLUMB_ERROR, "filter", &place, "\"%s\": %s", quoted, what);
	return error;
}

/* Returns where the term at `at` ends: at its comma or the text's end. */
static const char *term_end(const char *at)
{
	return at + strcspn(at, ",");
}

static int term_problem(const struct parser *p, int error, const char *what)
{
	return problem(p, error, p->at, (size_t)(term_end(p->at) - p->at), what);
}

/* ---- Numbers and ranges ------------------------------------------------------------------------
 */

static int digit_of(char c)
{
	c = text_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* Reads a number, decimal or 0x. Returns false if there is none, or it exceeds 64 bits. */
static bool parse_number(const char **at, uint64_t *value)
{
	unsigned base = 10;
	const char *begin = *at;

	if (begin[0] == '0' && text_lower(begin[1]) == 'x') {
		base = 16;
		begin += 2;
	}
	*value = 0;
	for (*at = begin; (unsigned)digit_of(**at) < base; ++*at)
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, (unsigned)digit_of(**at), value))
			return false;
	return *at > begin;
}

/* Reads seconds with up to nine digits after the point, as nanoseconds. */
static bool parse_seconds(const char **at, uint64_t *value)
{
	uint64_t scale = 100000000;

	if (digit_of(**at) > 9)
		return false;
	*value = 0;
	for (; digit_of(**at) <= 9; ++*at)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (unsigned)digit_of(**at), value))
			return false;
	if (__builtin_mul_overflow(*value, 1000000000, value))
		return false;
	if (**at != '.')
		return true;
	for (++*at; digit_of(**at) <= 9; ++*at, scale /= 10)
		if (scale == 0 ||
		    __builtin_add_overflow(*value, scale * (unsigned)digit_of(**at), value))
			return false;
	return true;
}

/* If there is no such value, `*at` stays. */
static bool parse_value(const struct key *key, const char **at, uint64_t *value)
{
	const char *begin = *at;

	if ((key->unit == SECONDS ? parse_seconds(at, value) : parse_number(at, value)) &&
	    *value <= key->most)
		return true;
	*at = begin;
	return false;
}

/* Copies the name at `at`, up to a '+' or the term's end. Returns false if it is too long. */
static bool copy_name(const char *at, char name[NAME_MAX_LENGTH + 1], size_t *length)
{
	*length = strcspn(at, "+,");
	if (*length > NAME_MAX_LENGTH)
		return false;
	memcpy(name, at, *length);
	name[*length] = '\0';
	return true;
}

/* Returns whether `name` means the source: "l3-modified" is "L3, modified". */
static bool names_source(const char *name, const char *source)
{
	for (; *source; source++) {
		bool space = *source == ' ' && (*name == '-' || *name == ' ');

		if (*source == ',')
			continue;
		if (!space && text_lower(*name) != text_lower(*source))
			return false;
		name++;
	}
	return *name == '\0';
}

/* Data sources have few bits: only these numbers are searched for names. */
#define SOURCES_NAMED 256

/* Sets the hint: all names. */
static void offer_sources(const struct parser *p)
{
	char names[512];
	size_t at = 0;

	for (uint64_t i = 0; i < SOURCES_NAMED && at < sizeof(names); i++) {
		const char *source = plumb_spe_data_source_name(p->midr, i);

		if (source)
			at += (size_t)snprintf(names + at, sizeof(names) - at, "\"%s\", ", source);
	}
	if (at == 0)
		plumb_diagnostics_hint(p->diagnostics, "the core is unknown, so use a number");
	else
		plumb_diagnostics_hint(p->diagnostics, "use one of %.*sor a number",
				       (int)sizeof(names) - 1, names);
}

/* Reads a data source by name: every number with this name. */
static int parse_source(struct parser *p, struct spe_ranges *ranges)
{
	char name[NAME_MAX_LENGTH + 1];
	struct near near;
	size_t length;
	bool found = false;

	if (!copy_name(p->at, name, &length) || length == 0)
		return term_problem(p, PLUMB_ERR_SYNTAX, "missing name of a data source");
	near = near_to(name);
	for (uint64_t i = 0; i < SOURCES_NAMED; i++) {
		const char *source = plumb_spe_data_source_name(p->midr, i);

		if (!source)
			continue;
		near_offer(&near, source, source);
		if (!names_source(name, source))
			continue;
		if (ranges->count == SPE_RANGES_MAX)
			return term_problem(p, PLUMB_ERR_LIMIT, "too many data sources");
		ranges->at[ranges->count++] = (struct spe_range){i, i};
		found = true;
	}
	if (!found) {
		int error = problem(p, PLUMB_ERR_NOT_FOUND, p->at, length,
				    "unknown data source of this core");

		if (near.best)
			plumb_diagnostics_hint(p->diagnostics, "did you mean \"%s\"?", near.best);
		else
			offer_sources(p);
		return error;
	}
	p->at += length;
	return 0;
}

/* Reads a range: A, A-B, and for times also A- and -B. */
static int parse_range(struct parser *p, const struct key *key, struct spe_ranges *ranges)
{
	struct spe_range range = {0, key->most};
	bool open = key->unit == SECONDS && *p->at == '-';

	if (key->unit == SOURCE && digit_of(*p->at) > 9)
		return parse_source(p, ranges);
	if (!open && !parse_value(key, &p->at, &range.first))
		return term_problem(p, PLUMB_ERR_INVALID, "invalid or out-of-range number");
	range.last = open ? key->most : range.first;
	if (*p->at == '-') {
		p->at++;
		range.last = key->most;
		if ((key->unit != SECONDS || open || digit_of(*p->at) <= 9) &&
		    !parse_value(key, &p->at, &range.last))
			return term_problem(p, PLUMB_ERR_INVALID,
					    "invalid or out-of-range end of the range");
	}
	if (range.first > range.last)
		return term_problem(p, PLUMB_ERR_INVALID, "the range ends before it begins");
	if (ranges->count == SPE_RANGES_MAX)
		return term_problem(p, PLUMB_ERR_LIMIT, "more than 16 ranges");
	ranges->at[ranges->count++] = range;
	return 0;
}

static int parse_ranges(struct parser *p, const struct key *key, struct spe_ranges *ranges)
{
	int error = parse_range(p, key, ranges);

	while (!error && *p->at == '+') {
		p->at++;
		error = parse_range(p, key, ranges);
	}
	return error;
}

static int parse_bound(struct parser *p, const struct key *key, enum comparison comparison,
		       struct spe_ranges *ranges)
{
	struct spe_range *range = &ranges->at[0];
	uint64_t value;

	if (!parse_value(key, &p->at, &value))
		return term_problem(p, PLUMB_ERR_INVALID, "invalid or out-of-range number");
	if ((comparison == MORE && value == key->most) || (comparison == LESS && value == 0))
		return term_problem(p, PLUMB_ERR_INVALID, "no value can be beyond this number");
	*range = (struct spe_range){0, key->most};
	if (comparison == AT_LEAST || comparison == MORE)
		range->first = value + (comparison == MORE);
	else
		range->last = value - (comparison == LESS);
	ranges->count = 1;
	return 0;
}

/* Sets `ranges` to the values in both. If there are none, sets it to an empty range. */
static bool intersect(struct spe_ranges *ranges, const struct spe_ranges *with)
{
	struct spe_ranges both = {0};

	for (uint32_t i = 0; i < ranges->count; i++) {
		for (uint32_t j = 0; j < with->count; j++) {
			struct spe_range a = ranges->at[i], b = with->at[j];

			if (b.first > a.first)
				a.first = b.first;
			if (b.last < a.last)
				a.last = b.last;
			if (a.first > a.last)
				continue;
			if (both.count == SPE_RANGES_MAX)
				return false;
			both.at[both.count++] = a;
		}
	}
	if (both.count == 0)
		both.at[both.count++] = (struct spe_range){1, 0};
	*ranges = both;
	return true;
}

static int parse_comparison(struct parser *p, const struct key *key, enum comparison comparison)
{
	struct spe_ranges ranges = {0};
	const char *begin = p->at;
	int error;

	if (comparison == UNEQUAL)
		return term_problem(p, PLUMB_ERR_INVALID, "!= is only supported for events");
	error = comparison == EQUAL ? parse_ranges(p, key, &ranges)
				    : parse_bound(p, key, comparison, &ranges);
	if (error)
		return error;
	if (*p->at != ',' && *p->at != '\0')
		return term_problem(p, PLUMB_ERR_SYNTAX, "unexpected text after the number");
	if (key->ranges->count == 0)
		*key->ranges = ranges;
	else if (!intersect(key->ranges, &ranges))
		return problem(p, PLUMB_ERR_LIMIT, begin, (size_t)(p->at - begin),
			       "more than 16 ranges");
	return 0;
}

/* ---- Events, levels, words ---------------------------------------------------------------------
 */

static int unknown_event(const struct parser *p, const char *name, size_t length)
{
	struct near near = near_to(name);
	int error = problem(p, PLUMB_ERR_NOT_FOUND, p->at, length, "unknown SPE event");

	filter_offer_events(&near);
	if (near.best)
		plumb_diagnostics_hint(p->diagnostics, "did you mean \"%s\"?", near.best);
	return error;
}

static int parse_events(struct parser *p, enum comparison comparison)
{
	uint64_t *events = comparison == UNEQUAL ? &p->filter->no_events : &p->filter->all_events;

	if (comparison != EQUAL && comparison != UNEQUAL)
		return term_problem(p, PLUMB_ERR_SYNTAX, "use = or != to compare events");
	for (;;) {
		char name[NAME_MAX_LENGTH + 1];
		size_t length;
		int bit;

		if (!copy_name(p->at, name, &length) || length == 0)
			return term_problem(p, PLUMB_ERR_SYNTAX, "missing name of an event");
		if (digit_of(name[0]) <= 9) {
			const char *end = name;
			uint64_t mask;

			if (!parse_number(&end, &mask) || *end)
				return term_problem(p, PLUMB_ERR_INVALID,
						    "invalid mask of 64 bits");
			*events |= mask;
		} else {
			bit = spe_event_by_name(name);
			if (bit < 0)
				return unknown_event(p, name, length);
			*events |= PLUMB_SPE_EVENT_BIT(bit);
		}
		p->at += length;
		if (*p->at != '+')
			return 0;
		p->at++;
	}
}

static int parse_levels(struct parser *p, enum comparison comparison)
{
	if (comparison != EQUAL)
		return term_problem(p, PLUMB_ERR_SYNTAX, "use = to compare levels");
	for (;;) {
		if (*p->at < '0' || *p->at > '3')
			return term_problem(p, PLUMB_ERR_INVALID, "use exception levels 0 to 3");
		p->filter->levels |= (uint8_t)(1u << (*p->at++ - '0'));
		if (*p->at != '+')
			break;
		p->at++;
	}
	return *p->at == ',' || *p->at == '\0'
		       ? 0
		       : term_problem(p, PLUMB_ERR_SYNTAX, "unexpected text after the level");
}

/* Finds the key with this name. Returns false if there is none. */
static bool find_key(struct plumb_spe_filter *filter, const char *name, struct near *near,
		     struct key *key)
{
	const struct key keys[] = {
		{"latency", &filter->counters[PLUMB_SPE_TOTAL_LATENCY], UINT16_MAX, NUMBER},
		{"issue-latency", &filter->counters[PLUMB_SPE_ISSUE_LATENCY], UINT16_MAX, NUMBER},
		{"translation-latency", &filter->counters[PLUMB_SPE_TRANSLATION_LATENCY],
		 UINT16_MAX, NUMBER},
		{"pc", &filter->addresses[PLUMB_SPE_PC], UINT64_MAX, NUMBER},
		{"target", &filter->addresses[PLUMB_SPE_BRANCH_TARGET], UINT64_MAX, NUMBER},
		{"address", &filter->addresses[PLUMB_SPE_DATA_VIRTUAL], UINT64_MAX, NUMBER},
		{"physical", &filter->addresses[PLUMB_SPE_DATA_PHYSICAL], UINT64_MAX, NUMBER},
		{"previous-target", &filter->addresses[PLUMB_SPE_PREVIOUS_TARGET], UINT64_MAX,
		 NUMBER},
		{"source", &filter->sources, UINT64_MAX, SOURCE},
		{"data_source", &filter->sources, UINT64_MAX, SOURCE},
		{"time", &filter->time, UINT64_MAX, SECONDS},
		{"cpu", &filter->cpus, INT32_MAX, NUMBER},
		{"pid", &filter->pids, INT32_MAX, NUMBER},
		{"tid", &filter->tids, INT32_MAX, NUMBER},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		near_offer(near, keys[i].name, keys[i].name);
		if (text_compare(name, keys[i].name) == 0) {
			*key = keys[i];
			return true;
		}
	}
	return false;
}

/* Returns the comparison at `at`, and its length in bytes. */
static enum comparison comparison_at(const char *at, size_t *length)
{
	*length = at[0] && at[1] == '=' ? 2 : 1;
	switch (at[0]) {
	case '>':
		return *length == 2 ? AT_LEAST : MORE;
	case '<':
		return *length == 2 ? AT_MOST : LESS;
	case '!':
		return *length == 2 ? UNEQUAL : NONE;
	case '=':
		*length = 1;
		return EQUAL;
	default:
		return NONE;
	}
}

static int unknown_word(const struct parser *p, const char *name, size_t length, bool word)
{
	struct near near = near_to(name);
	int error = problem(p, PLUMB_ERR_NOT_FOUND, p->at, length,
			    word ? "unknown word" : "unknown value to compare");

	if (word) {
		filter_offer_words(&near);
		filter_offer_events(&near);
	} else {
		struct plumb_spe_filter none;
		struct key key;

		near_offer(&near, "event", "event");
		near_offer(&near, "el", "el");
		(void)find_key(&none, "", &near, &key);
	}
	if (near.best)
		plumb_diagnostics_hint(p->diagnostics, "did you mean \"%s\"?", near.best);
	else
		plumb_diagnostics_hint(p->diagnostics,
				       "use load, store, branch, other, memory; simd, float, "
				       "conditional, atomic, call, return and other properties; "
				       "user, kernel, el=; an event as l1d-miss or !l1d-miss, "
				       "event=; latency>=N, issue-latency, translation-latency; "
				       "pc=, address=, physical=, target=, previous-target=; "
				       "source=, time=, cpu=, pid=, tid=");
	return error;
}

/* Parses a term without a comparison: a word, or an event's name, perhaps with '!'. */
static int parse_word(struct parser *p, const char *name, size_t length)
{
	const struct filter_word *word = filter_word(name);
	bool deny = name[0] == '!';
	int bit;

	if (word) {
		p->filter->kinds |= word->kinds;
		p->filter->flags |= word->flags;
		p->filter->levels |= word->levels;
		p->at += length;
		return 0;
	}
	bit = spe_event_by_name(name + deny);
	if (bit < 0) {
		p->at += deny;
		if (deny && filter_word(name + 1))
			return term_problem(p, PLUMB_ERR_INVALID, "! is only supported for events");
		return unknown_word(p, name + deny, length - deny, true);
	}
	*(deny ? &p->filter->no_events : &p->filter->all_events) |= PLUMB_SPE_EVENT_BIT(bit);
	p->at += length;
	return 0;
}

static int parse_term(struct parser *p)
{
	size_t deny = *p->at == '!', length = deny + strcspn(p->at + deny, ",=<>!"), sign = 0;
	char name[NAME_MAX_LENGTH + 1];
	enum comparison comparison;
	struct near near;
	struct key key;
	bool is_key;

	if (length == deny)
		return term_problem(p, PLUMB_ERR_SYNTAX, "missing word");
	if (length > NAME_MAX_LENGTH)
		return term_problem(p, PLUMB_ERR_NOT_FOUND, "unknown word");
	memcpy(name, p->at, length);
	name[length] = '\0';
	if (p->at[length] == ',' || p->at[length] == '\0')
		return parse_word(p, name, length);

	comparison = comparison_at(p->at + length, &sign);
	if (comparison == NONE)
		return term_problem(p, PLUMB_ERR_SYNTAX, "unexpected ! within a term");
	near = near_to(name);
	is_key = find_key(p->filter, name, &near, &key);
	if (!is_key && text_compare(name, "event") != 0 && text_compare(name, "el") != 0)
		return unknown_word(p, name, length, false);
	p->at += length + sign;
	if (is_key)
		return parse_comparison(p, &key, comparison);
	return text_compare(name, "el") == 0 ? parse_levels(p, comparison)
					     : parse_events(p, comparison);
}

int spe_filter_parse(const char *text, uint32_t midr, struct plumb_spe_filter *filter,
		     struct plumb_diagnostics *diagnostics)
{
	struct parser p = {.text = text,
			   .at = text,
			   .midr = midr,
			   .filter = filter,
			   .diagnostics = diagnostics};

	*filter = (struct plumb_spe_filter){0};
	if (*text == '\0')
		return 0;
	for (;;) {
		int error = parse_term(&p);

		if (error)
			return error;
		if (*p.at == '\0')
			break;
		p.at++; /* its comma */
	}
	if (filter->all_events & filter->no_events)
		return problem(&p, PLUMB_ERR_INVALID, text, strlen(text),
			       "no record both has and lacks an event");
	return 0;
}

int spe_filter_sources(const char *text, uint32_t midr, uint64_t *sources,
		       struct plumb_diagnostics *diagnostics)
{
	/* The filter's places are counted in bits of one word. */
	const struct key key = {"data_source", NULL, 63, SOURCE};
	struct plumb_spe_filter filter = {0};
	struct parser p = {.text = text,
			   .at = text,
			   .midr = midr,
			   .filter = &filter,
			   .diagnostics = diagnostics};
	int error = parse_ranges(&p, &key, &filter.sources);

	if (!error && *p.at)
		error = term_problem(&p, PLUMB_ERR_SYNTAX, "unexpected text after the source");
	*sources = 0;
	for (uint32_t i = 0; i < filter.sources.count && !error; i++) {
		const struct spe_range *range = &filter.sources.at[i];

		if (range->last > key.most)
			error = problem(&p, PLUMB_ERR_INVALID, text, strlen(text),
					"the unit can filter sources 0 to 63 only");
		else
			*sources |= ~UINT64_C(0) >> (63 - (range->last - range->first))
							    << range->first;
	}
	return error;
}

int plumb_spe_filter_parse(const char *text, uint32_t midr, struct plumb_spe_filter **filter,
			   struct plumb_diagnostics *diagnostics)
{
	struct plumb_spe_filter *made = malloc(sizeof(*made));
	int error = made ? spe_filter_parse(text, midr, made, diagnostics) : PLUMB_ERR_NO_MEMORY;

	if (error) {
		free(made);
		made = NULL;
	}
	*filter = made;
	return error;
}

void plumb_spe_filter_free(struct plumb_spe_filter *filter)
{
	free(filter);
}
