/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of what is to be sampled: lists, groups, terms and modifiers. */
#include "source/request.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/quote.h"
#include "base/text.h"

#define FREQUENCY_MAX 1000000

/* A list that is being read; what it adds is the request's only when all of it was right. */
struct parse {
	struct event_request *request;
	const struct plumb_spec *spec;
	struct plumb_diagnostics *found;
	struct sampled_event events[REQUEST_EVENTS_MAX];
	size_t count;
};

int request_wrong(struct plumb_diagnostics *found, int error, const char *word, size_t length,
		  const char *format, ...)
{
	char quoted[QUOTE_ROOM], text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	quote_bytes(quoted, word, length);
	plumb_diagnostics_add(found, PLUMB_ERROR, "bad-event", NULL, "'%s': %s", quoted, text);
	return error;
}

static int no_memory(void)
{
	return PLUMB_ERR_NO_MEMORY;
}

/* ---- modifiers ---------------------------------------------------------------------------- */

static int read_modifiers(struct parse *parse, const char *text, size_t length,
			  struct sampled_event *event)
{
	bool user = false, kernel = false, hypervisor = false;

	for (size_t i = 0; i < length; i++) {
		if (text[i] == 'u') {
			user = true;
		} else if (text[i] == 'k') {
			kernel = true;
		} else if (text[i] == 'h') {
			hypervisor = true;
		} else if (text[i] == 'p' && event->precise < 3) {
			event->precise++;
		} else if (text[i] == 'P') {
			event->precise = 3;
		} else {
			request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				      "modifiers that cannot be");
			plumb_diagnostics_hint(
				parse->found,
				"u (user), k (kernel), h (hypervisor), and p, pp, ppp "
				"or P (precise) are allowed");
			return PLUMB_ERR_SYNTAX;
		}
	}
	/* Those that are named are sampled, and no others. */
	if (user || kernel || hypervisor) {
		event->exclude_user = !user;
		event->exclude_kernel = !kernel;
		event->exclude_hv = !hypervisor;
	}
	return 0;
}

/* ---- terms -------------------------------------------------------------------------------- */

/* One that any event takes. Returns 1, 0 if it is another, or an error. */
static int common_term(struct parse *parse, const char *key, const char *value,
		       struct sampled_event *event)
{
	uint64_t number;
	int error;

	if (strcmp(key, "period") == 0) {
		error = request_number(key, value, 1, UINT64_MAX, &event->period, parse->found);
		event->frequency = 0;
		return error < 0 ? error : 1;
	}
	if (strcmp(key, "freq") == 0 && event->kind == SAMPLED_SPE) {
		request_wrong(parse->found, PLUMB_ERR_INVALID, key, strlen(key),
			      "SPE samples every so many operations, not so often a second");
		plumb_diagnostics_hint(parse->found, "period=N, or -c N");
		return PLUMB_ERR_INVALID;
	}
	if (strcmp(key, "freq") == 0) {
		error = request_number(key, value, 1, FREQUENCY_MAX, &number, parse->found);
		if (error < 0)
			return error;
		event->frequency = (unsigned)number;
		event->period = 0;
		return 1;
	}
	if (strcmp(key, "name") == 0) {
		if (!value || !*value)
			return request_wrong(parse->found, PLUMB_ERR_INVALID, key, strlen(key),
					     "a value is needed");
		event->name = arena_strdup(&parse->request->arena, value);
		return event->name ? 1 : no_memory();
	}
	return 0;
}

/* Of a core's PMU: a code, or an event's name. */
static int pmu_term(struct parse *parse, const char *key, const char *value,
		    struct sampled_event *event, bool *named)
{
	struct near near = near_to(key);
	uint64_t number;
	uint16_t code;
	int error;

	if (strcmp(key, "event") == 0 || strcmp(key, "config") == 0) {
		error = request_number(key, value, 0, UINT16_MAX, &number, parse->found);
		event->config = number;
		*named = true;
		return error;
	}
	if (value) {
		near_offer(&near, "event", "event");
		near_offer(&near, "period", "period");
		near_offer(&near, "freq", "freq");
		near_offer(&near, "name", "name");
		request_wrong(parse->found, PLUMB_ERR_NOT_FOUND, key, strlen(key),
			      "a PMU event has no such parameter");
		if (near.best)
			plumb_diagnostics_hint(parse->found, "did you mean %s?", near.best);
		else
			plumb_diagnostics_hint(parse->found,
					       "event, period, freq and name are allowed");
		return PLUMB_ERR_NOT_FOUND;
	}
	*named = true;
	if (request_code(key, &code)) {
		event->config = code;
		return 0;
	}
	error = request_name(key, parse->spec, event, parse->found);
	if (error == 0 && event->kind != SAMPLED_PMU)
		return request_wrong(parse->found, PLUMB_ERR_NOT_FOUND, key, strlen(key),
				     "a software event is none of a PMU's");
	return error;
}

static int read_term(struct parse *parse, const char *text, size_t length,
		     struct sampled_event *event, bool *named)
{
	char *key = arena_copy(&parse->request->arena, text, length), *value;
	int error;

	if (!key)
		return no_memory();
	if (!*key)
		return request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				     "a parameter is missing between commas");
	value = strchr(key, '=');
	if (value)
		*value++ = '\0';
	error = common_term(parse, key, value, event);
	if (error)
		return error < 0 ? error : 0;
	if (event->kind == SAMPLED_SPE)
		return request_spe_term(key, value, &event->spe, parse->found);
	return pmu_term(parse, key, value, event, named);
}

static int read_terms(struct parse *parse, const char *text, size_t length,
		      struct sampled_event *event, bool *named)
{
	size_t at = 0;

	while (at < length) {
		const char *comma = memchr(text + at, ',', length - at);
		size_t end = comma ? (size_t)(comma - text) : length;
		int error = read_term(parse, text + at, end - at, event, named);

		if (error < 0)
			return error;
		at = end + 1;
	}
	return 0;
}

/* ---- events ------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

static bool is_spe(const char *name)
{
	if (begins(name, "arm_spe_"))
		return name[8] && strspn(name + 8, "0123456789") == strlen(name + 8);
	return text_compare(name, "spe") == 0 || strcmp(name, "arm_spe") == 0;
}

static bool is_core_pmu(const char *name)
{
	return begins(name, "armv8_") || begins(name, "armv9_") || begins(name, "apple_") ||
	       strcmp(name, "cpu") == 0;
}

static int no_pmu(struct parse *parse, const char *name)
{
	struct near near = near_to(name);

	near_offer(&near, "arm_spe", "arm_spe");
	near_offer(&near, "armv8_pmuv3", "armv8_pmuv3");
	request_wrong(parse->found, PLUMB_ERR_NOT_FOUND, name, strlen(name),
		      "there is no such PMU");
	if (near.best)
		plumb_diagnostics_hint(parse->found, "did you mean %s?", near.best);
	else
		plumb_diagnostics_hint(parse->found,
				       "spe, arm_spe_0, armv8_pmuv3_0 and cpu are PMUs");
	return PLUMB_ERR_NOT_FOUND;
}

/* `pmu` '/' TERMS '/' [MODIFIERS]; `slash` is the first one's place. */
static int read_pmu(struct parse *parse, const char *text, size_t length, size_t slash,
		    struct sampled_event *event)
{
	const char *terms = text + slash + 1;
	const char *last = memchr(terms, '/', length - slash - 1);
	char *pmu = arena_copy(&parse->request->arena, text, slash);
	const char *modifiers;
	bool named = false;
	int error;

	if (!pmu)
		return no_memory();
	if (!last)
		return request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				     "the second '/' is missing");
	modifiers = last + 1;
	if (modifiers < text + length && *modifiers == ':')
		modifiers++;
	if (is_spe(pmu))
		event->kind = SAMPLED_SPE;
	else if (is_core_pmu(pmu))
		event->kind = SAMPLED_PMU;
	else
		return no_pmu(parse, pmu);
	error = read_terms(parse, terms, (size_t)(last - terms), event, &named);
	if (error == 0 && event->kind == SAMPLED_PMU && !named)
		error = request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				      "which event is not said: event=0x3");
	if (error == 0 && event->kind == SAMPLED_PMU && !parse->spec)
		error = request_name("r0", NULL, event, parse->found);
	if (error == 0)
		error = read_modifiers(parse, modifiers, (size_t)(text + length - modifiers),
				       event);
	return error;
}

/* NAME [':' MODIFIERS] */
static int read_named(struct parse *parse, const char *text, size_t length,
		      struct sampled_event *event)
{
	const char *colon = memchr(text, ':', length);
	size_t name_length = colon ? (size_t)(colon - text) : length;
	char *name = arena_copy(&parse->request->arena, text, name_length);
	int error = 0;

	if (!name)
		return no_memory();
	if (is_spe(name))
		event->kind = SAMPLED_SPE;
	else
		error = request_name(name, parse->spec, event, parse->found);
	if (error == 0 && colon)
		error = read_modifiers(parse, colon + 1, length - name_length - 1, event);
	return error;
}

static int read_event(struct parse *parse, const char *text, size_t length)
{
	struct sampled_event *event = &parse->events[parse->count];
	const char *slash = memchr(text, '/', length);
	int error;

	if (!length)
		return request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				     "an event is missing between commas");
	if (parse->request->count + parse->count == REQUEST_EVENTS_MAX)
		return request_wrong(parse->found, PLUMB_ERR_LIMIT, text, length,
				     "more than %d events", REQUEST_EVENTS_MAX);
	*event = (struct sampled_event){
		.spe = request_spe_default(),
		.leader = (unsigned)(parse->request->count + parse->count),
	};
	error = slash ? read_pmu(parse, text, length, (size_t)(slash - text), event)
		      : read_named(parse, text, length, event);
	if (error < 0)
		return error;
	if (!event->name)
		event->name = arena_copy(&parse->request->arena, text, length);
	parse->count++;
	return event->name ? 0 : no_memory();
}

/* The place of the ',' that ends what begins at `text`, or of the end: none within slashes counts.
 */
static size_t item_length(const char *text, size_t length, bool braces)
{
	bool slashes = false, group = false;
	size_t i;

	for (i = 0; i < length; i++) {
		if (text[i] == '/')
			slashes = !slashes;
		else if (slashes)
			continue;
		else if (braces && text[i] == '{')
			group = true;
		else if (braces && text[i] == '}')
			group = false;
		else if (text[i] == ',' && !group)
			break;
	}
	return i;
}

/* '{' EVENTS '}' [':' MODIFIERS] */
static int read_group(struct parse *parse, const char *text, size_t length)
{
	const char *close = memrchr(text, '}', length);
	size_t first = parse->count, at = 1, end;
	int error = 0;

	if (!close)
		return request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				     "the '}' is missing");
	end = (size_t)(close - text);
	do {
		size_t item = item_length(text + at, end - at, false);

		error = read_event(parse, text + at, item);
		at += item + 1;
	} while (error == 0 && at <= end);
	if (error < 0)
		return error;
	if (end + 1 < length && text[end + 1] != ':')
		return request_wrong(parse->found, PLUMB_ERR_SYNTAX, text, length,
				     "only ':' and modifiers may follow a '}'");
	for (size_t i = first; i < parse->count && error == 0; i++) {
		if (parse->events[i].kind == SAMPLED_SPE)
			return request_wrong(parse->found, PLUMB_ERR_INVALID, text, length,
					     "SPE cannot be in a group");
		parse->events[i].leader = (unsigned)(parse->request->count + first);
		if (end + 2 <= length)
			error = read_modifiers(parse, text + end + 2, length - end - 2,
					       &parse->events[i]);
	}
	return error;
}

static int keep(struct parse *parse)
{
	struct event_request *request = parse->request;
	size_t count = request->count + parse->count;
	struct sampled_event *events = arena_alloc_array(&request->arena, count, sizeof(*events));

	if (!events)
		return no_memory();
	if (request->count)
		memcpy(events, request->events, request->count * sizeof(*events));
	memcpy(events + request->count, parse->events, parse->count * sizeof(*events));
	request->events = events;
	request->count = count;
	return 0;
}

int request_add(struct event_request *request, const char *text, const struct plumb_spec *spec,
		struct plumb_diagnostics *found)
{
	struct parse *parse = arena_alloc(&request->arena, sizeof(*parse));
	size_t length = strlen(text), at = 0;
	int error = 0;

	if (!parse)
		return no_memory();
	parse->request = request;
	parse->spec = spec;
	parse->found = found;
	if (length > REQUEST_TEXT_MAX)
		return request_wrong(found, PLUMB_ERR_LIMIT, text, length, "it is too long");
	do {
		size_t item = item_length(text + at, length - at, true);

		error = item && text[at] == '{' ? read_group(parse, text + at, item)
						: read_event(parse, text + at, item);
		at += item + 1;
	} while (error == 0 && at <= length);
	return error < 0 ? error : keep(parse);
}

void request_free(struct event_request *request)
{
	arena_free(&request->arena);
	*request = (struct event_request){0};
}
