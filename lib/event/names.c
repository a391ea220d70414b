/* SPDX-License-Identifier: Apache-2.0 */
/* Finds events by name: the CPU's own, perf's generic, cache and software events, codes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/near.h"
#include "base/number.h"
#include "base/text.h"
#include "event/config.h"
#include "event/parse.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* <linux/perf_event.h>: the sizes of enum perf_hw_id, and of the enums of caches and results. */
#define GENERIC_COUNT  9
#define CACHE_COUNT    6
#define RESULT_COUNT   2
#define CACHE_FIRST    GENERIC_COUNT
#define SOFTWARE_FIRST (CACHE_FIRST + CACHE_COUNT * RESULT_COUNT)

#define PMU(name, alias, code)                                 \
	{                                                      \
		PLUMB_EVENT_PMU, name, alias, NULL, code, code \
	}
#define SOFTWARE(name, alias, code, title)                           \
	{                                                            \
		PLUMB_EVENT_SOFTWARE, name, alias, title, code, code \
	}

/*
 * The events that Linux's driver counts for perf's names: armv8_pmuv3_perf_map and
 * armv8_pmuv3_perf_cache_map in drivers/perf/arm_pmuv3.c; for branches, BR_RETIRED if the CPU lacks
 * PC_WRITE_RETIRED. First come those of enum perf_hw_id, in its order; then pairs of accesses and
 * misses of enum perf_hw_cache_id, which are mapped for reads only; then software events.
 */
static const struct plumb_event_name names[] = {
	PMU("cycles", "cpu-cycles", 0x11),
	PMU("instructions", NULL, 0x08),
	PMU("cache-references", NULL, 0x04),
	PMU("cache-misses", NULL, 0x03),
	{PLUMB_EVENT_PMU, "branches", "branch-instructions", NULL, 0x0c, 0x21},
	PMU("branch-misses", NULL, 0x10),
	PMU("bus-cycles", NULL, 0x1d),
	PMU("stalled-cycles-frontend", "idle-cycles-frontend", 0x23),
	PMU("stalled-cycles-backend", "idle-cycles-backend", 0x24),

	PMU("L1-dcache-loads", NULL, 0x04),
	PMU("L1-dcache-load-misses", NULL, 0x03),
	PMU("L1-icache-loads", NULL, 0x14),
	PMU("L1-icache-load-misses", NULL, 0x01),
	PMU("LLC-loads", NULL, 0x36),
	PMU("LLC-load-misses", NULL, 0x37),
	PMU("dTLB-loads", NULL, 0x25),
	PMU("dTLB-load-misses", NULL, 0x05),
	PMU("iTLB-loads", NULL, 0x26),
	PMU("iTLB-load-misses", NULL, 0x02),
	PMU("branch-loads", NULL, 0x12),
	PMU("branch-load-misses", NULL, 0x10),

	SOFTWARE("cpu-clock", NULL, 0, "Time on a CPU, by its clock, ns"),
	SOFTWARE("task-clock", NULL, 1, "Time on a CPU, by the task's clock, ns"),
	SOFTWARE("page-faults", "faults", 2, "Page faults"),
	SOFTWARE("context-switches", "cs", 3, "Context switches"),
	SOFTWARE("cpu-migrations", "migrations", 4, "Moves to another CPU"),
	SOFTWARE("minor-faults", NULL, 5, "Page faults without input or output"),
	SOFTWARE("major-faults", NULL, 6, "Page faults that read from a disk"),
	SOFTWARE("alignment-faults", NULL, 7, "Unaligned accesses that the kernel handled"),
	SOFTWARE("emulation-faults", NULL, 8, "Instructions that the kernel emulated"),
	SOFTWARE("dummy", NULL, 9, "Nothing"),
	SOFTWARE("bpf-output", NULL, 10, "Output of BPF programs"),
	SOFTWARE("cgroup-switches", NULL, 11, "Switches to another cgroup"),
};

/* The words of perf's cache events. */
static const struct {
	const char *words[5];
	unsigned cache;
} caches[] = {
	{{"L1-dcache", "L1-data", "l1-d", "l1d"}, 0},
	{{"L1-icache", "L1-instruction", "l1-i", "l1i"}, 1},
	{{"LLC", "L2"}, 2},
	{{"dTLB", "d-tlb", "Data-TLB"}, 3},
	{{"iTLB", "i-tlb", "Instruction-TLB"}, 4},
	{{"branches", "branch", "bpu", "btb", "bpc"}, 5},
	{{"node"}, 6},
};

enum { OPERATION_READ, OPERATION_WRITE, OPERATION_PREFETCH };

static const struct {
	const char *word;
	bool result; /* otherwise an operation */
	int number;
} cache_words[] = {
	{"loads", false, OPERATION_READ},
	{"load", false, OPERATION_READ},
	{"read", false, OPERATION_READ},
	{"stores", false, OPERATION_WRITE},
	{"store", false, OPERATION_WRITE},
	{"write", false, OPERATION_WRITE},
	{"prefetches", false, OPERATION_PREFETCH},
	{"prefetch", false, OPERATION_PREFETCH},
	{"speculative-read", false, OPERATION_PREFETCH},
	{"speculative-load", false, OPERATION_PREFETCH},
	{"refs", true, 0},
	{"Reference", true, 0},
	{"ops", true, 0},
	{"access", true, 0},
	{"misses", true, 1},
	{"miss", true, 1},
};

/* perf's own events, and what to use instead. */
static const struct {
	const char *name, *remedy, *instead;
} tool_events[] = {
	{"duration_time", "elapsed-time", "the elapsed time is measured without it"},
	{"user_time", NULL, "use time(1), which prints the time in user code"},
	{"system_time", NULL, "use time(1), which prints the time in the kernel"},
};

/* ---- perf's names ------------------------------------------------------------------------- */

const struct plumb_event_name *plumb_event_name(size_t i)
{
	return i < COUNT(names) ? &names[i] : NULL;
}

static bool has_code(const struct plumb_event_options *options, uint16_t code)
{
	return plumb_spec_event_by_code(options->spec, code) != PLUMB_NONE &&
	       (!options->counts || options->counts(options->user, code));
}

int plumb_event_name_code(const struct plumb_event_name *name,
			  const struct plumb_event_options *options)
{
	if (name->kind != PLUMB_EVENT_PMU || !options->spec)
		return -1;
	if (has_code(options, name->config))
		return name->config;
	return has_code(options, name->otherwise) ? name->otherwise : -1;
}

int event_needs_pmu(const struct event_reader *reader, struct event_word word)
{
	event_refuse(reader, PLUMB_ERR_MACHINE, word,
		     "this event requires an Arm PMU, which this machine does not have");
	diagnostics_remedy(reader->diagnostics, "use-model-or-software", NULL,
			   "use the model source, or software events such as task-clock");
	return PLUMB_ERR_MACHINE;
}

/* Reports that the event that Linux maps a name of perf's to is missing here. */
static int lacks_event(const struct event_reader *reader, struct event_word word,
		       const struct plumb_event_name *name)
{
	const struct plumb_spec *spec = reader->options->spec;
	uint16_t event = plumb_spec_event_by_code(spec, name->config);

	if (event == PLUMB_NONE)
		event_refuse(reader, PLUMB_ERR_NOT_FOUND, word,
			     "Linux maps this to event 0x%04x, which %s does not have",
			     name->config, spec->id);
	else
		event_refuse(reader, PLUMB_ERR_NOT_FOUND, word,
			     "Linux maps this to %s, which cannot be counted here",
			     spec->events[event].name);
	diagnostics_remedy(reader->diagnostics, "list-events", NULL, "use another event");
	return PLUMB_ERR_NOT_FOUND;
}

static int use_name(const struct event_reader *reader, struct event_word word,
		    const struct plumb_event_name *name, struct plumb_event_config *config)
{
	const struct plumb_spec *spec = reader->options->spec;
	int code = name->config;

	if (name->kind == PLUMB_EVENT_PMU) {
		if (!spec)
			return event_needs_pmu(reader, word);
		code = plumb_event_name_code(name, reader->options);
		if (code < 0)
			return lacks_event(reader, word, name);
	}
	config->kind = name->kind;
	config->config = (uint64_t)code;
	return 0;
}

static const struct plumb_event_name *find_name(const char *word)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (text_compare(word, names[i].name) == 0 ||
		    (names[i].alias && text_compare(word, names[i].alias) == 0))
			return &names[i];
	return NULL;
}

/* Takes `word` and a following '-' off `*text`; false if `*text` begins with another word. */
static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strlen(*text) < length || text_compare_bytes(*text, length, word) != 0 ||
	    ((*text)[length] != '\0' && (*text)[length] != '-'))
		return false;
	*text += length + ((*text)[length] == '-');
	return true;
}

static int maps_to_nothing(const struct event_reader *reader, struct event_word word,
			   const char *remedy, const char *hint)
{
	event_refuse(reader, PLUMB_ERR_UNSUPPORTED, word,
		     "Linux maps this to no event of Arm PMUs");
	diagnostics_remedy(reader->diagnostics, remedy, NULL, "%s", hint);
	return PLUMB_ERR_UNSUPPORTED;
}

/* Tells whether the last word is missing: "L1-dcache-". */
static bool ends_in_dash(const char *text, const char *at)
{
	return !*at && at > text && at[-1] == '-';
}

/* Takes a cache off `*at`. Returns its row of `caches`, or -1. */
static int take_cache(const char **at)
{
	for (size_t i = 0; i < COUNT(caches); i++)
		for (size_t k = 0; k < COUNT(caches[i].words) && caches[i].words[k]; k++)
			if (take_word(at, caches[i].words[k]))
				return (int)i;
	return -1;
}

/* Takes the next word of a cache event off `*at`. Returns its row of `cache_words`, or -1. */
static int take_cache_word(const char **at)
{
	for (size_t i = 0; i < COUNT(cache_words); i++)
		if (take_word(at, cache_words[i].word))
			return (int)i;
	return -1;
}

/*
 * Finds perf's cache events: CACHE[-WORD[-WORD]], with an operation and a result in either order.
 * Returns 1 if it is one, 0 if not, or an error.
 */
static int find_cache_event(const struct event_reader *reader, struct event_word word,
			    const char *text, struct plumb_event_config *config)
{
	/* The operation and the result; -1: not given. */
	int said[2] = {-1, -1}, error;
	const char *at = text;
	int cache = take_cache(&at);

	if (cache < 0)
		return 0;
	while (*at) {
		int i = take_cache_word(&at);
		int *which = i < 0 ? NULL : &said[cache_words[i].result];

		if (!which || (*which >= 0 && *which != cache_words[i].number))
			return 0;
		*which = cache_words[i].number;
	}
	if (ends_in_dash(text, at))
		return 0;
	if (caches[cache].cache >= CACHE_COUNT)
		return maps_to_nothing(reader, word, "list-generic", "use another cache event");
	if (said[0] > OPERATION_READ)
		return said[0] == OPERATION_WRITE
			       ? maps_to_nothing(
					 reader, word, NULL,
					 "use an event of the CPU, such as L1D_CACHE_WR for stores")
			       : maps_to_nothing(reader, word, "list-events-of-cpu",
						 "use an event of the CPU");
	error = use_name(reader, word,
			 &names[CACHE_FIRST + caches[cache].cache * RESULT_COUNT + (said[1] == 1)],
			 config);
	return error < 0 ? error : 1;
}

/* ---- codes -------------------------------------------------------------------------------- */

bool event_is_code(const char *text, uint16_t *code)
{
	const char *digits = text;
	unsigned long value;

	if (text[0] == 'r' || text[0] == 'R')
		digits++;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		digits += 2;
	if (digits == text || !*digits ||
	    strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return false;
	errno = 0;
	value = strtoul(digits, NULL, 16);
	*code = (uint16_t)value;
	return !errno && value <= UINT16_MAX;
}

/* Finds an event by PERF_TYPE_* and its number. */
static int find_by_number(const struct event_reader *reader, struct event_word text, uint64_t type,
			  uint64_t number, struct plumb_event_config *config)
{
	enum { HARDWARE = 0, SOFTWARE_TYPE = 1, CACHE = 3, RAW = 4 };

	if (type == HARDWARE && number < GENERIC_COUNT)
		return use_name(reader, text, &names[number], config);
	if (type == SOFTWARE_TYPE && number < COUNT(names) - SOFTWARE_FIRST)
		return use_name(reader, text, &names[SOFTWARE_FIRST + number], config);
	/* One byte each for the cache, the operation and the result. */
	if (type == CACHE && (number & 0xff) < CACHE_COUNT && (number >> 8 & 0xff) == 0 &&
	    number >> 16 < RESULT_COUNT)
		return use_name(
			reader, text,
			&names[CACHE_FIRST + (number & 0xff) * RESULT_COUNT + (number >> 16)],
			config);
	if (type == RAW && number <= UINT16_MAX) {
		config->kind = PLUMB_EVENT_PMU;
		config->config = number;
		return reader->options->spec ? 0 : event_needs_pmu(reader, text);
	}
	event_refuse(reader, PLUMB_ERR_NOT_FOUND, text, "unknown event number");
	plumb_diagnostics_hint(reader->diagnostics,
			       "use 4:CODE for an event of the PMU, as in 4:0x1b");
	return PLUMB_ERR_NOT_FOUND;
}

/* Finds an event by perf's TYPE:CONFIG. */
static int find_numbered(const struct event_reader *reader, struct event_word word, char *type,
			 char *colon, struct plumb_event_config *config)
{
	uint64_t type_number, event_number;

	*colon = '\0';
	if (number_read(type, UINT32_MAX, &type_number) &&
	    number_read(colon + 1, UINT64_MAX, &event_number))
		return find_by_number(reader, word, type_number, event_number, config);
	event_refuse(reader, PLUMB_ERR_SYNTAX, word, "invalid numbers");
	plumb_diagnostics_hint(reader->diagnostics,
			       "use 4:CODE for an event of the PMU, as in 4:0x1b");
	return PLUMB_ERR_SYNTAX;
}

/* ---- PMUs --------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

bool event_is_spe(const char *pmu)
{
	if (begins(pmu, "arm_spe_"))
		return pmu[8] && strspn(pmu + 8, "0123456789") == strlen(pmu + 8);
	return strcmp(pmu, "spe") == 0 || strcmp(pmu, "arm_spe") == 0;
}

/* The names are those of drivers/perf/arm_pmuv3.c and drivers/perf/apple_m1_cpu_pmu.c in Linux. */
bool event_is_core_pmu(const char *pmu)
{
	return begins(pmu, "armv8_") || begins(pmu, "armv9_") || begins(pmu, "apple_") ||
	       strcmp(pmu, "cpu") == 0;
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* Names the events of a metric, as many as fit a line. */
static void hint_events(const struct event_reader *reader, const struct plumb_metric *metric)
{
	const struct plumb_spec *spec = reader->options->spec;
	char text[80];
	size_t used = 0;

	for (uint16_t i = 0; i < metric->events.count; i++) {
		const int length = snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
					    spec->events[metric->events.at[i]].name);

		if (length < 0 || (size_t)length >= sizeof(text) - used)
			break;
		used += (size_t)length;
	}
	text[used] = '\0';
	if (used)
		plumb_diagnostics_hint(reader->diagnostics, "sample its events: %s", text);
}

static int use_metric(const struct event_reader *reader, struct event_word word, uint16_t metric,
		      struct plumb_event_config *config)
{
	const struct plumb_spec *spec = reader->options->spec;

	config->kind = PLUMB_EVENT_METRIC;
	config->config = metric;
	if (!reader->options->sampling)
		return 0;
	event_refuse(reader, PLUMB_ERR_INVALID, word,
		     "metrics cannot be sampled, only their events");
	hint_events(reader, &spec->metrics[metric]);
	return PLUMB_ERR_INVALID;
}

static int use_event(const struct event_reader *reader, struct event_word word, uint16_t event,
		     struct plumb_event_config *config)
{
	const struct plumb_event *found = &reader->options->spec->events[event];

	if (!(found->accesses & PLUMB_ACCESS_PMU))
		return event_refuse(reader, PLUMB_ERR_INVALID, word,
				    "the PMU cannot count this event; only the trace unit sees it");
	config->kind = PLUMB_EVENT_PMU;
	config->config = found->code;
	return 0;
}

static int refuse_tool_event(const struct event_reader *reader, struct event_word word, size_t i)
{
	event_refuse(reader, PLUMB_ERR_UNSUPPORTED, word,
		     "this event, which only perf generates, is not supported");
	diagnostics_remedy(reader->diagnostics, tool_events[i].remedy, NULL, "%s",
			   tool_events[i].instead);
	return PLUMB_ERR_UNSUPPORTED;
}

/* Prefers the CPU's own names to perf's; no name is both. */
static int find_word(const struct event_reader *reader, struct event_word word, const char *text,
		     struct plumb_event_config *config)
{
	const struct plumb_spec *spec = reader->options->spec;
	const struct plumb_event_name *name = find_name(text);
	uint16_t index = spec ? plumb_spec_event(spec, text) : PLUMB_NONE, code;
	int error;

	if (index != PLUMB_NONE)
		return use_event(reader, word, index, config);
	if (name)
		return use_name(reader, word, name, config);
	error = find_cache_event(reader, word, text, config);
	if (error)
		return error < 0 ? error : 0;
	index = spec ? plumb_spec_metric(spec, text) : PLUMB_NONE;
	if (index != PLUMB_NONE)
		return use_metric(reader, word, index, config);
	if (event_is_code(text, &code)) {
		config->kind = PLUMB_EVENT_PMU;
		config->config = code;
		return spec ? 0 : event_needs_pmu(reader, word);
	}
	if (text_compare(text, "ref-cycles") == 0)
		return maps_to_nothing(reader, word, NULL,
				       "use CNT_CYCLES, which counts at a constant frequency");
	for (size_t i = 0; i < COUNT(tool_events); i++)
		if (text_compare(text, tool_events[i].name) == 0)
			return refuse_tool_event(reader, word, i);
	return EVENT_UNKNOWN;
}

int event_find(const struct event_reader *reader, struct event_word word,
	       struct plumb_event_config *config)
{
	char *text = event_copy(reader, word);
	char *colon = text ? strchr(text, ':') : NULL;

	if (!text)
		return PLUMB_ERR_NO_MEMORY;
	return colon ? find_numbered(reader, word, text, colon, config)
		     : find_word(reader, word, text, config);
}

int event_unknown(const struct event_reader *reader, struct event_word word)
{
	const char *text = event_copy(reader, word);
	const struct plumb_spec *spec = reader->options->spec;
	const bool metrics = spec && !reader->options->sampling;
	struct near near = near_to(text ? text : "");

	for (size_t i = 0; i < COUNT(names); i++)
		if (spec || names[i].kind == PLUMB_EVENT_SOFTWARE)
			near_offer(&near, names[i].name, names[i].name);
	for (uint16_t i = 0; spec && i < spec->event_count; i++)
		if (spec->events[i].accesses & PLUMB_ACCESS_PMU)
			near_offer(&near, spec->events[i].name, spec->events[i].name);
	for (uint16_t i = 0; metrics && i < spec->metric_count; i++)
		near_offer(&near, spec->metrics[i].name, spec->metrics[i].name);
	if (reader->options->sampling)
		near_offer(&near, "spe", "spe");
	if (spec)
		event_refuse(reader, PLUMB_ERR_NOT_FOUND, word, "%s has no such event", spec->id);
	else
		event_refuse(reader, PLUMB_ERR_NOT_FOUND, word, "no such event");
	if (spec && text && plumb_spec_metric_group(spec, text) != PLUMB_NONE)
		diagnostics_remedy(reader->diagnostics, "metric-group", text,
				   "%s is a metric group, not an event", text);
	else if (near.best)
		plumb_diagnostics_hint(reader->diagnostics, "did you mean %s?", near.best);
	else if (spec)
		diagnostics_remedy(reader->diagnostics, "list-events-of", spec->id,
				   "use an event of %s", spec->id);
	return PLUMB_ERR_NOT_FOUND;
}

char *event_name_on_pmu(const struct plumb_event_config *event, const char *pmu)
{
	const char *modifiers = strchr(event->name, ':');
	char *name;

	if (event->named || event->kind != PLUMB_EVENT_PMU || strchr(event->name, '/'))
		return strdup(event->name);
	return asprintf(&name, "%s/%.*s/%s", pmu,
			(int)(modifiers ? (size_t)(modifiers - event->name) : strlen(event->name)),
			event->name, modifiers ? modifiers + 1 : "") < 0
		       ? NULL
		       : name;
}
