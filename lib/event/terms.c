/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the terms between an event's slashes. */
#include <string.h>

#include "base/diagnostics.h"
#include "base/near.h"
#include "base/number.h"
#include "event/parse.h"

#define FREQUENCY_MAX   1000000
#define EVENT_TERMS_MAX 32

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct event_word word_of(const char *text)
{
	return (struct event_word){text, strlen(text)};
}

int event_term_number(const struct event_reader *reader, const char *key, const char *value,
		      uint64_t least, uint64_t most, uint64_t *number)
{
	if (value && number_read(value, most, number) && *number >= least)
		return 0;
	if (value)
		event_refuse(reader, PLUMB_ERR_INVALID, word_of(key), "invalid value '%.60s'",
			     value);
	else
		event_refuse(reader, PLUMB_ERR_INVALID, word_of(key), "requires a value");
	if (most == UINT64_MAX)
		plumb_diagnostics_hint(reader->diagnostics,
				       "use a whole number of at least %llu: 4096, 0x1000, 10k",
				       (unsigned long long)least);
	else
		plumb_diagnostics_hint(reader->diagnostics, "use %llu to %llu",
				       (unsigned long long)least, (unsigned long long)most);
	return PLUMB_ERR_INVALID;
}

/* ---- terms of any event ------------------------------------------------------------------- */

/* perf's other terms, and what to use instead. */
static const struct {
	const char *key, *remedy, *instead;
} unsupported[] = {
	{"aux-action", NULL, NULL},
	{"aux-output", NULL, NULL},
	{"aux-sample-size", NULL, NULL},
	{"branch_type", NULL, NULL},
	{"call-graph", "call-graph", "record call chains with all events"},
	{"config2", NULL, NULL},
	{"config3", NULL, NULL},
	{"cpu", NULL, NULL},
	{"driver-config", NULL, NULL},
	{"inherit", NULL, NULL},
	{"max-stack", NULL, NULL},
	{"metric-id", NULL, NULL},
	{"no-inherit", "no-inherit", "leave out forked processes for all events"},
	{"no-overwrite", NULL, NULL},
	{"nr", NULL, NULL},
	{"overwrite", NULL, NULL},
	{"percore", NULL, NULL},
	{"ratio-to-prev", NULL, NULL},
	{"stack-size", NULL, NULL},
	{"time", NULL, NULL},
};

static int set_name(const struct event_reader *reader, const char *key, const char *value,
		    struct plumb_event_config *config)
{
	if (!value || !*value)
		return event_refuse(reader, PLUMB_ERR_INVALID, word_of(key), "requires a value");
	config->name = value;
	config->named = true;
	return 0;
}

static int set_frequency(const struct event_reader *reader, const char *key, const char *value,
			 struct plumb_event_config *config)
{
	uint64_t number;
	int error;

	if (config->kind == PLUMB_EVENT_SPE) {
		event_refuse(reader, PLUMB_ERR_INVALID, word_of(key),
			     "SPE supports a period, not a frequency");
		diagnostics_remedy(reader->diagnostics, "spe-period", NULL, "use period=N");
		return PLUMB_ERR_INVALID;
	}
	error = event_term_number(reader, key, value, 1, FREQUENCY_MAX, &number);
	if (error == 0) {
		config->frequency = (unsigned)number;
		config->period = 0;
	}
	return error;
}

/* Returns 1 if it is one of these terms, 0 if not, or an error. */
static int common_term(const struct event_reader *reader, const char *key, const char *value,
		       struct plumb_event_config *config)
{
	int error;

	if (strcmp(key, "period") == 0) {
		error = event_term_number(reader, key, value, 1, UINT64_MAX, &config->period);
		config->frequency = 0;
		return error < 0 ? error : 1;
	}
	if (strcmp(key, "freq") == 0) {
		error = set_frequency(reader, key, value, config);
		return error < 0 ? error : 1;
	}
	if (strcmp(key, "name") == 0) {
		error = set_name(reader, key, value, config);
		return error < 0 ? error : 1;
	}
	if (strcmp(key, "strobe") == 0 && config->kind != PLUMB_EVENT_SPE) {
		error = event_term_number(reader, key, value, 1, UINT32_MAX, &config->strobe);
		return error < 0 ? error : 1;
	}
	for (size_t i = 0; i < COUNT(unsupported); i++) {
		if (strcmp(key, unsupported[i].key) != 0)
			continue;
		event_refuse(reader, PLUMB_ERR_UNSUPPORTED, word_of(key),
			     "this term is not supported");
		if (unsupported[i].instead)
			diagnostics_remedy(reader->diagnostics, unsupported[i].remedy, NULL, "%s",
					   unsupported[i].instead);
		return PLUMB_ERR_UNSUPPORTED;
	}
	return 0;
}

/* ---- terms of a core's PMU ---------------------------------------------------------------- */

/* The fields of config1 (the driver's format attributes in drivers/perf/arm_pmuv3.c). */
static const struct {
	const char *key;
	uint64_t bit;
} flags[] = {{"long", 1}, {"rdpmc", 2}};

static int unknown_term(const struct event_reader *reader, const char *key)
{
	static const char *const known[] = {"event", "config", "config1", "period", "freq",
					    "name",  "long",   "rdpmc",   "strobe"};
	struct near near = near_to(key);

	for (size_t i = 0; i < COUNT(known); i++)
		near_offer(&near, known[i], known[i]);
	event_refuse(reader, PLUMB_ERR_NOT_FOUND, word_of(key), "unknown term of a PMU event");
	if (near.best)
		plumb_diagnostics_hint(reader->diagnostics, "did you mean %s?", near.best);
	else
		plumb_diagnostics_hint(
			reader->diagnostics,
			"event, config, config1, period, freq, name, long, rdpmc and strobe "
			"are allowed");
	return PLUMB_ERR_NOT_FOUND;
}

/* Finds the event that a term without a value names. */
static int find_event(const struct event_reader *reader, const char *key,
		      struct plumb_event_config *config)
{
	struct plumb_event_config named = {0};
	uint16_t code;
	int error;

	if (event_is_code(key, &code)) {
		config->config = code;
		return 0;
	}
	error = event_find(reader, word_of(key), &named);
	if (error == EVENT_UNKNOWN)
		return event_unknown(reader, word_of(key));
	if (error == 0 && named.kind != PLUMB_EVENT_PMU)
		return event_refuse(reader, PLUMB_ERR_NOT_FOUND, word_of(key),
				    named.kind == PLUMB_EVENT_METRIC
					    ? "metrics do not belong to a PMU"
					    : "software events do not belong to a PMU");
	config->config = named.config;
	return error;
}

/* Selects the event of a PMU, which only one term may do. */
static int select_event(const struct event_reader *reader, const char *key, const char *value,
			struct plumb_event_config *config, bool *found)
{
	if (*found)
		return event_refuse(reader, PLUMB_ERR_INVALID, word_of(key),
				    "an earlier term already selects an event");
	*found = true;
	if (value || strcmp(key, "event") == 0 || strcmp(key, "config") == 0)
		return event_term_number(reader, key, value, 0, UINT16_MAX, &config->config);
	return find_event(reader, key, config);
}

static int pmu_term(const struct event_reader *reader, const char *key, const char *value,
		    struct plumb_event_config *config, bool *found)
{
	uint64_t number = 1;
	int error = 0;

	if (strcmp(key, "event") == 0 || strcmp(key, "config") == 0)
		return select_event(reader, key, value, config, found);
	if (strcmp(key, "config1") == 0)
		return event_term_number(reader, key, value, 0, UINT64_MAX, &config->config1);
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (strcmp(key, flags[i].key) != 0)
			continue;
		if (value)
			error = event_term_number(reader, key, value, 0, 1, &number);
		if (error == 0)
			config->config1 = number ? config->config1 | flags[i].bit
						 : config->config1 & ~flags[i].bit;
		return error;
	}
	if (value)
		return unknown_term(reader, key);
	return select_event(reader, key, NULL, config, found);
}

/* ---- all of them -------------------------------------------------------------------------- */

/* What the terms before have said. */
struct seen {
	bool event;                                  /* one selected the event */
	struct plumb_event_term at[EVENT_TERMS_MAX]; /* of a PMU that belongs to no core */
	size_t count;
};

/* Keeps a term for what knows the PMU. */
static int keep_term(const struct event_reader *reader, const char *key, const char *value,
		     struct seen *seen)
{
	if (seen->count == EVENT_TERMS_MAX)
		return event_refuse(reader, PLUMB_ERR_LIMIT, word_of(key), "more than %d terms",
				    EVENT_TERMS_MAX);
	seen->at[seen->count++] = (struct plumb_event_term){key, value};
	return 0;
}

static int read_term(const struct event_reader *reader, struct event_word term, const char *pmu,
		     struct plumb_event_config *config, struct seen *seen)
{
	char *key = event_copy(reader, term), *value;
	size_t length;
	int error;

	if (!key)
		return PLUMB_ERR_NO_MEMORY;
	if (!*key)
		return event_refuse(reader, PLUMB_ERR_SYNTAX, term, "missing term between commas");
	value = strchr(key, '=');
	if (value)
		*value++ = '\0';
	/* Without a value, it may be an event's name, which messages repeat as written. */
	if (value || config->kind == PLUMB_EVENT_SPE)
		event_lower(key);
	length = value ? strlen(value) : 0;
	if (length >= 2 && value[0] == '\'' && value[length - 1] == '\'') {
		value[length - 1] = '\0';
		value++;
	}
	if (config->kind == PLUMB_EVENT_OTHER)
		return value && strcmp(key, "name") == 0 ? set_name(reader, key, value, config)
							 : keep_term(reader, key, value, seen);
	error = common_term(reader, key, value, config);
	if (error)
		return error < 0 ? error : 0;
	if (config->kind == PLUMB_EVENT_SPE)
		return event_spe_term(reader, key, value, &config->spe);
	if (pmu)
		return pmu_term(reader, key, value, config, &seen->event);
	event_refuse(reader, PLUMB_ERR_NOT_FOUND, word_of(key), "unknown term of an event");
	plumb_diagnostics_hint(reader->diagnostics, "use period, freq or name");
	return PLUMB_ERR_NOT_FOUND;
}

int event_read_terms(const struct event_reader *reader, struct event_word terms, const char *pmu,
		     struct plumb_event_config *config)
{
	const bool core = pmu && config->kind == PLUMB_EVENT_PMU;
	const struct plumb_event_options *options = reader->options;
	struct seen seen = {.event = false};
	size_t at = 0;
	int error = 0;

	while (at < terms.length && error == 0) {
		bool quoted = false;
		size_t end = at;

		for (; end < terms.length && (quoted || terms.at[end] != ','); end++)
			quoted ^= terms.at[end] == '\'';
		if (quoted) {
			event_refuse(reader, PLUMB_ERR_SYNTAX,
				     (struct event_word){terms.at + at, end - at},
				     "missing closing quote");
			plumb_diagnostics_hint(reader->diagnostics, "use name='ANY TEXT'");
			return PLUMB_ERR_SYNTAX;
		}
		error = read_term(reader, (struct event_word){terms.at + at, end - at}, pmu, config,
				  &seen);
		at = end + 1;
	}
	if (error == 0 && config->kind == PLUMB_EVENT_OTHER)
		return options->other(options->user, seen.at, seen.count, config,
				      reader->diagnostics);
	if (error || !core || seen.event)
		return error;
	event_refuse(reader, PLUMB_ERR_SYNTAX, word_of(pmu), "requires an event between slashes");
	plumb_diagnostics_hint(reader->diagnostics, "%s/l1d_cache/ or %s/event=0x4/", pmu, pmu);
	return PLUMB_ERR_SYNTAX;
}
