/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of events: parses the grammar down to an event's parts, and holds the result. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/near.h"
#include "base/quote.h"
#include "base/sized.h"
#include "base/text.h"
#include "event/config.h"
#include "event/parse.h"

struct plumb_event_list {
	struct plumb_event_options options;
	struct arena arena;
	struct plumb_event_config *events[PLUMB_EVENTS_MAX];
	size_t count;
};

int event_refuse(const struct event_reader *reader, int error, struct event_word word,
		 const char *format, ...)
{
	char quoted[QUOTE_ROOM], text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	quote_bytes(quoted, word.at, word.length);
	plumb_diagnostics_add(reader->diagnostics, PLUMB_ERROR, "bad-event", NULL, "'%s': %s",
			      quoted, text);
	return error;
}

char *event_copy(const struct event_reader *reader, struct event_word word)
{
	return arena_copy(reader->arena, word.at, word.length);
}

void event_lower(char *text)
{
	for (; *text; text++)
		*text = text_lower(*text);
}

static struct event_word trimmed(struct event_word word)
{
	while (word.length && strchr(" \t\n", word.at[0])) {
		word.at++;
		word.length--;
	}
	while (word.length && strchr(" \t\n", word.at[word.length - 1]))
		word.length--;
	return word;
}

/* Return the first `length` bytes of a word, and what follows the byte after them. */
static struct event_word before(struct event_word word, size_t length)
{
	return trimmed((struct event_word){word.at, length});
}

static struct event_word behind(struct event_word word, size_t length)
{
	return trimmed((struct event_word){word.at + length + 1, word.length - length - 1});
}

/* Returns the index of a character, or the word's length. */
static size_t find(struct event_word word, char what)
{
	const char *at = memchr(word.at, what, word.length);

	return at ? (size_t)(at - word.at) : word.length;
}

/* ---- an event ----------------------------------------------------------------------------- */

static int no_such_pmu(const struct event_reader *reader, struct event_word word, const char *pmu)
{
	struct near near = near_to(pmu);

	near_offer(&near, "arm_spe", "arm_spe");
	near_offer(&near, "armv8_pmuv3", "armv8_pmuv3");
	event_refuse(reader, PLUMB_ERR_NOT_FOUND, word, "unknown event or PMU");
	if (near.best)
		plumb_diagnostics_hint(reader->diagnostics, "did you mean %s?", near.best);
	else
		plumb_diagnostics_hint(reader->diagnostics,
				       "use the PMU cpu, armv8_pmuv3_0, spe or arm_spe_0");
	return PLUMB_ERR_NOT_FOUND;
}

static void use_spe(struct plumb_event_config *config)
{
	config->kind = PLUMB_EVENT_SPE;
	config->spe = event_spe_default();
}

/* Without discard, an SPE unit writes records, which nothing that counts takes. */
static int check_spe(const struct event_reader *reader, struct event_word word,
		     const struct plumb_event_config *config)
{
	if (config->kind != PLUMB_EVENT_SPE || reader->options->sampling || config->spe.discard)
		return 0;
	event_refuse(reader, PLUMB_ERR_INVALID, word, "SPE can be sampled, but not counted");
	diagnostics_remedy(reader->diagnostics, "sample-spe", NULL, "sample it instead");
	return PLUMB_ERR_INVALID;
}

/* Reads the word before the slashes: a PMU, whose name goes into config->pmu, or an event. */
static int find_before_terms(const struct event_reader *reader, struct event_word word,
			     struct plumb_event_config *config)
{
	char *name = event_copy(reader, word);
	int error;

	if (!name)
		return PLUMB_ERR_NO_MEMORY;
	event_lower(name);
	if (event_is_spe(name)) {
		config->pmu = name;
		use_spe(config);
		return 0;
	}
	if (event_is_core_pmu(name)) {
		config->pmu = name;
		config->kind = PLUMB_EVENT_PMU;
		return 0;
	}
	error = event_find(reader, word, config);
	if (error != EVENT_UNKNOWN)
		return error;
	if (!reader->options->other)
		return no_such_pmu(reader, word, name);
	config->pmu = name;
	config->kind = PLUMB_EVENT_OTHER;
	return 0;
}

/* Rejects what only an event of a core can be. */
static int check_other(const struct event_reader *reader, struct event_word text)
{
	const struct plumb_event_options *options = reader->options;

	if (options->sampling)
		return event_refuse(reader, PLUMB_ERR_INVALID, text,
				    "only cores can be sampled; this PMU can be counted");
	if (options->all_user || options->all_kernel)
		return event_refuse(reader, PLUMB_ERR_INVALID, text,
				    "this PMU cannot tell user code from the kernel");
	return 0;
}

/* Reads WORD '/' TERMS '/' MODIFIERS; `slash` is the index of the first '/'. */
static int read_with_terms(const struct event_reader *reader, struct event_word text, size_t slash,
			   struct plumb_event_config *config)
{
	struct event_word terms = behind(text, slash), modifiers;
	size_t last = find(terms, '/');
	int error;

	if (last == terms.length)
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text, "missing second '/'");
	if (!before(text, slash).length)
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text,
				    "missing event or PMU before '/'");
	error = find_before_terms(reader, before(text, slash), config);
	if (error == 0)
		error = event_read_terms(reader, before(terms, last), config->pmu, config);
	if (error == EVENT_UNKNOWN)
		error = no_such_pmu(reader, before(text, slash), config->pmu);
	if (error == 0 && config->kind == PLUMB_EVENT_OTHER)
		error = check_other(reader, text);
	if (error == 0)
		error = check_spe(reader, before(text, slash), config);
	if (error == 0 && config->kind == PLUMB_EVENT_PMU && !reader->options->spec)
		error = event_needs_pmu(reader, text);
	modifiers = behind(terms, last);
	if (modifiers.length && modifiers.at[0] == ':')
		modifiers = behind(modifiers, 0);
	if (error == 0 && modifiers.length)
		error = event_modify(reader, modifiers, false, config);
	return error;
}

/* Rejects a kind of events that perf has. */
static int refuse_kind(const struct event_reader *reader, struct event_word text, const char *kind)
{
	event_refuse(reader, PLUMB_ERR_UNSUPPORTED, text, "%s are not supported", kind);
	diagnostics_remedy(reader->diagnostics, "list-all-events", NULL,
			   "use a PMU event or a software event");
	return PLUMB_ERR_UNSUPPORTED;
}

/* Reports a WORD that is not ours: a tracepoint of perf's, or unknown. */
static int refuse_unknown(const struct event_reader *reader, struct event_word text, size_t colon)
{
	if (colon + 1 >= text.length || event_are_modifiers(behind(text, colon)))
		return event_unknown(reader, before(text, colon));
	return refuse_kind(reader, text, "tracepoints");
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns where an event's modifiers begin: at the first ':', or the second in "4:0x1b:u". */
static size_t find_modifiers(struct event_word text)
{
	const size_t first = find(text, ':');

	if (first + 1 >= text.length || !is_digit(text.at[0]) || !is_digit(text.at[first + 1]))
		return first;
	return first + 1 +
	       find((struct event_word){text.at + first + 1, text.length - first - 1}, ':');
}

/* Reads WORD [':' MODIFIERS]. */
static int read_word(const struct event_reader *reader, struct event_word text,
		     struct plumb_event_config *config)
{
	const size_t colon = find_modifiers(text);
	struct event_word word = before(text, colon);
	char *name = event_copy(reader, word);
	int error = 0;

	if (!name)
		return PLUMB_ERR_NO_MEMORY;
	if (!*name)
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text, "missing event before ':'");
	event_lower(name);
	if (strcmp(name, "mem") == 0 && colon < text.length)
		return refuse_kind(reader, text, "breakpoints");
	if (event_is_spe(name))
		use_spe(config);
	else
		error = event_find(reader, word, config);
	if (error == EVENT_UNKNOWN)
		return refuse_unknown(reader, text, colon);
	if (error == 0)
		error = check_spe(reader, word, config);
	/* Accept "cycles:", as perf does. */
	if (error == 0 && colon + 1 < text.length)
		error = event_modify(reader, behind(text, colon), false, config);
	return error;
}

/* ---- defaults of all events --------------------------------------------------------------- */

static void apply_options(const struct plumb_event_options *options,
			  struct plumb_event_config *config)
{
	if (options->all_user || options->all_kernel) {
		config->exclude_user = options->all_kernel;
		config->exclude_kernel = options->all_user;
		config->exclude_hv = true;
	}
	if (config->period || config->frequency)
		return;
	config->period = options->period;
	if (config->kind != PLUMB_EVENT_SPE)
		config->frequency = options->frequency;
}

static int refuse_metric(const struct event_reader *reader, struct event_word text,
			 const char *what)
{
	event_refuse(reader, PLUMB_ERR_INVALID, text, "metrics take no %s", what);
	plumb_diagnostics_hint(reader->diagnostics, "use them on the metric's events instead");
	return PLUMB_ERR_INVALID;
}

/* Rejects terms and modifiers of a metric, because its formula defines how its events count. */
static int check_metric(const struct event_reader *reader, struct event_word text)
{
	if (find(text, '/') < text.length)
		return refuse_metric(reader, text, "terms");
	if (find(text, ':') < text.length)
		return refuse_metric(reader, text, "modifiers");
	return 0;
}

/* ---- lists -------------------------------------------------------------------------------- */

/* Returns the index of the first brace outside slashes, or the word's length. */
static size_t find_brace(struct event_word word)
{
	bool slashes = false, quotes = false;
	size_t i;

	for (i = 0; i < word.length; i++) {
		const char c = word.at[i];

		quotes ^= slashes && c == '\'';
		slashes ^= !quotes && c == '/';
		if (!slashes && (c == '{' || c == '}'))
			break;
	}
	return i;
}

static int refuse_brace(const struct event_reader *reader, struct event_word text, size_t brace)
{
	if (text.at[brace] == '}')
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text, "no '{' before the '}' at %zu",
				    brace + 1);
	event_refuse(reader, PLUMB_ERR_SYNTAX, text, "a group within a group: '{' at %zu",
		     brace + 1);
	plumb_diagnostics_hint(reader->diagnostics, "list all events of a group between one '{' "
						    "and one '}'");
	return PLUMB_ERR_SYNTAX;
}

static int read_event(const struct event_reader *reader, struct event_word text,
		      struct plumb_event_list *list)
{
	const size_t slash = find(text, '/'), brace = find_brace(text);
	struct plumb_event_config *config;
	int error;

	if (!text.length) {
		event_refuse(reader, PLUMB_ERR_SYNTAX, text, "missing event");
		plumb_diagnostics_hint(reader->diagnostics,
				       "name an event before and after each comma");
		return PLUMB_ERR_SYNTAX;
	}
	if (brace < text.length)
		return refuse_brace(reader, text, brace);
	if (list->count == PLUMB_EVENTS_MAX)
		return event_refuse(reader, PLUMB_ERR_LIMIT, text, "more than %d events",
				    PLUMB_EVENTS_MAX);
	config = arena_alloc(reader->arena, sizeof(*config));
	if (!config)
		return PLUMB_ERR_NO_MEMORY;
	config->leader = (unsigned)list->count;
	error = slash < text.length ? read_with_terms(reader, text, slash, config)
				    : read_word(reader, text, config);
	if (error == 0 && config->kind == PLUMB_EVENT_METRIC)
		error = check_metric(reader, text);
	if (error < 0)
		return error;
	apply_options(reader->options, config);
	if (!config->name)
		config->name = event_copy(reader, text);
	list->events[list->count++] = config;
	return config->name ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* Returns the length of the first item: up to a ',' outside '/' and '{'. */
static size_t item_length(struct event_word text)
{
	bool slashes = false, group = false, quotes = false;
	size_t i;

	for (i = 0; i < text.length; i++) {
		const char c = text.at[i];

		quotes ^= slashes && c == '\'';
		if (quotes)
			continue;
		slashes ^= c == '/';
		if (slashes)
			continue;
		if (c == '{' || c == '}')
			group = c == '{';
		else if (c == ',' && !group)
			break;
	}
	return i;
}

/* Calls `read` for each item between commas, also for empty ones. */
static int read_each(const struct event_reader *reader, struct event_word text,
		     struct plumb_event_list *list,
		     int (*read)(const struct event_reader *reader, struct event_word text,
				 struct plumb_event_list *list))
{
	for (;;) {
		size_t length = item_length(text);
		int error = read(reader, before(text, length), list);

		if (error < 0 || length == text.length)
			return error;
		text.at += length + 1;
		text.length -= length + 1;
	}
}

static int check_member(const struct event_reader *reader, struct event_word text,
			const struct plumb_event_config *leader,
			const struct plumb_event_config *config)
{
	const bool leads = config == leader;

	if (!leads && (config->pinned || config->exclusive))
		return event_refuse(
			reader, PLUMB_ERR_INVALID, text,
			"only the first event of a group may have the modifiers D and e");
	if (config->kind == PLUMB_EVENT_SPE)
		return event_refuse(reader, PLUMB_ERR_INVALID, text, "SPE cannot be in a group");
	if ((config->kind == PLUMB_EVENT_OTHER || leader->kind == PLUMB_EVENT_OTHER) &&
	    (config->kind != leader->kind || strcmp(config->pmu, leader->pmu) != 0))
		return event_refuse(reader, PLUMB_ERR_INVALID, text,
				    "an event of this PMU cannot be in a group with others");
	if (config->kind == PLUMB_EVENT_METRIC)
		return event_refuse(reader, PLUMB_ERR_INVALID, text,
				    "metrics cannot be in a group");
	return 0;
}

/* Returns the index where modifiers begin in the name of an event, or its length. */
static size_t name_length(struct event_word name)
{
	const char *slash = memrchr(name.at, '/', name.length);

	return slash ? (size_t)(slash + 1 - name.at) : find_modifiers(name);
}

/* Appends letters to `*end` that `from` does not have yet, except those in `skipped`. */
static void append_letters(const char *from, char **end, struct event_word letters,
			   const char *skipped)
{
	for (size_t i = 0; i < letters.length; i++) {
		const char letter = letters.at[i];

		if (strchr(skipped, letter) || (letter != 'p' && strchr(from, letter)))
			continue;
		*(*end)++ = letter;
		**end = '\0';
	}
}

/*
 * Writes a group's modifiers into the name of one of its events: "cycles:u" in {cycles}:u, and in
 * {cycles:uS}:k "cycles:ukS". When sampling, names stay as they are in perf's recordings. False if
 * out of memory.
 */
static bool add_to_name(const struct event_reader *reader, struct event_word modifiers, bool member,
			struct plumb_event_config *config)
{
	const struct event_word name = {config->name, strlen(config->name)};
	const size_t length = name_length(name);
	const bool slashes = length && name.at[length - 1] == '/';
	const bool modes = config->exclude_user || config->exclude_kernel || config->exclude_hv;
	const size_t size = name.length + modifiers.length + sizeof(":ukh");
	char *whole, *letters, *end;

	if (config->named || reader->options->sampling)
		return true;
	whole = arena_alloc(reader->arena, size);
	if (!whole)
		return false;
	letters = whole + length;
	end = whole + snprintf(whole, size, "%.*s%s%s%s%s", (int)length, name.at,
			       slashes ? "" : ":", modes && !config->exclude_user ? "u" : "",
			       modes && !config->exclude_kernel ? "k" : "",
			       modes && !config->exclude_hv ? "h" : "");
	append_letters(letters, &end, (struct event_word){name.at + length, name.length - length},
		       ":ukh");
	/* D and e are the leader's; W is about the group alone. */
	append_letters(letters, &end, modifiers, member ? "ukhWDe" : "ukhW");
	if (strcmp(letters, ":") == 0)
		*letters = '\0';
	config->name = whole;
	return true;
}

/* Reads [NAME] '{' EVENTS '}' [':' MODIFIERS]; `open` is the index of the '{'. Ignores NAME, which
 * perf only displays. */
static int read_group(const struct event_reader *reader, struct event_word text, size_t open,
		      struct plumb_event_list *list)
{
	const char *close = memrchr(text.at, '}', text.length);
	const size_t first = list->count;
	struct event_word modifiers;
	int error;

	if (!close || close < text.at + open)
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text, "missing '}'");
	modifiers = behind(text, (size_t)(close - text.at));
	if (modifiers.length && modifiers.at[0] != ':')
		return event_refuse(reader, PLUMB_ERR_SYNTAX, text,
				    "only ':' and modifiers may follow a '}'");
	error = read_each(
		reader,
		(struct event_word){text.at + open + 1, (size_t)(close - text.at) - open - 1}, list,
		read_event);
	for (size_t i = first; i < list->count && error == 0; i++) {
		struct plumb_event_config *config = list->events[i];

		config->leader = (unsigned)first;
		error = check_member(reader, text, list->events[first], config);
		if (error == 0 && modifiers.length > 1) {
			error = event_modify(reader, behind(modifiers, 0), i > first, config);
			if (error == 0 &&
			    !add_to_name(reader, behind(modifiers, 0), i > first, config))
				error = PLUMB_ERR_NO_MEMORY;
		}
		apply_options(reader->options, config);
	}
	return error;
}

static int read_item(const struct event_reader *reader, struct event_word text,
		     struct plumb_event_list *list)
{
	const size_t open = find(text, '{');

	/* A brace between slashes is part of a term. */
	if (open < text.length && open < find(text, '/'))
		return read_group(reader, text, open, list);
	return read_event(reader, text, list);
}

/*
 * Checks an event that samples after its group's leader, and gives it the leader's period, so that
 * the two stay as far apart as they begin.
 */
static int check_strobe(const struct event_reader *reader, const struct plumb_event_list *list,
			size_t i)
{
	struct plumb_event_config *config = list->events[i];
	const struct plumb_event_config *leader = list->events[config->leader];
	const struct event_word word = {config->name, strlen(config->name)};

	if (!config->strobe)
		return 0;
	if (!reader->options->sampling)
		return event_refuse(reader, PLUMB_ERR_INVALID, word,
				    "strobe is a term of sampled events");
	if (leader == config || !config->sample_read || !event_counts_same(config, leader)) {
		event_refuse(reader, PLUMB_ERR_INVALID, word,
			     "strobe requires a group whose first event counts the same, and "
			     "which has the modifier S");
		plumb_diagnostics_hint(reader->diagnostics,
				       "for instance {cycles,inst_retired,cycles/strobe=300/}:uS");
		return PLUMB_ERR_INVALID;
	}
	if (leader->period / 2 < config->strobe)
		return event_refuse(reader, PLUMB_ERR_INVALID, word,
				    "strobe requires a period at least twice as long");
	config->period = leader->period;
	config->frequency = 0;
	return 0;
}

int plumb_event_list_add(struct plumb_event_list *list, const char *text,
			 struct plumb_diagnostics *diagnostics)
{
	const struct event_reader reader = {&list->options, diagnostics, &list->arena};
	const struct event_word all = {text, strlen(text)};
	const size_t before_all = list->count;
	int error;

	if (all.length > PLUMB_EVENT_TEXT_MAX)
		return event_refuse(&reader, PLUMB_ERR_LIMIT, all, "too long");
	error = read_each(&reader, all, list, read_item);
	for (size_t i = before_all; i < list->count && error == 0; i++)
		error = check_strobe(&reader, list, i);
	if (error < 0)
		list->count = before_all;
	return error;
}

int plumb_event_list_new(const struct plumb_event_options *options, struct plumb_event_list **list)
{
	struct plumb_event_list *made;

	*list = NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	if (!sized_read(&made->options, sizeof(made->options), options) ||
	    (made->options.all_user && made->options.all_kernel) ||
	    (made->options.period && made->options.frequency)) {
		free(made);
		return PLUMB_ERR_ARGUMENT;
	}
	*list = made;
	return 0;
}

void plumb_event_list_free(struct plumb_event_list *list)
{
	if (!list)
		return;
	arena_free(&list->arena);
	free(list);
}

size_t plumb_event_list_count(const struct plumb_event_list *list)
{
	return list->count;
}

const struct plumb_event_config *plumb_event_list_get(const struct plumb_event_list *list, size_t i)
{
	return i < list->count ? list->events[i] : NULL;
}
