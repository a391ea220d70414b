/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what the names in imported counts stand for. */
#include "importing.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tool/complain.h"
#include "tool/join.h"
#include "tool/memory.h"

#define MODIFIERS "ukhHGpPSDWIe"

struct finder {
	const struct import *import;
	const struct plumb_spec *spec;
	struct import_names *names;
	char **base;  /* of each name: without its modifiers */
	char **modes; /* of each name: which modes were counted, "uk"; "": the default */
	char **pmus;  /* of each name: the core's PMU that it names, or NULL */
};

/* Splits "cycles:u" and "armv8_pmuv3_0/cycles/u". */
static void split(struct finder *f, size_t i)
{
	const char *text = f->import->names[i].text;
	const char *slash = strrchr(text, '/'), *first = strchr(text, '/');
	const char *colon = strrchr(text, ':');
	size_t length = strlen(text), modes = 0;
	const char *after = NULL;

	if (slash && slash != first && strspn(slash + 1, ":" MODIFIERS) == strlen(slash + 1))
		after = slash + 1;
	else if (!slash && colon && colon[1] && strspn(colon + 1, MODIFIERS) == strlen(colon + 1))
		after = colon;
	if (after)
		length = (size_t)(after - text);
	f->base[i] = memory_copy(text, length);
	f->modes[i] = memory_copy("uk", 3);
	for (const char *mode = "ukh"; after && *mode; mode++)
		if (strchr(after, *mode))
			f->modes[i][modes++] = *mode;
	f->modes[i][modes] = '\0';
	f->pmus[i] = first && slash != first ? memory_copy(text, (size_t)(first - text)) : NULL;
}

/* Tells whether the text would be several events or a group: "a,b" but not "cpu/event=1,long/". */
static bool is_list(const char *text)
{
	bool terms = false;

	for (; *text; text++) {
		terms ^= *text == '/';
		if (strchr("{}", *text) || (!terms && *text == ','))
			return true;
	}
	return false;
}

/* Adds an event to the list; returns its index, or NAME_UNKNOWN. */
static size_t add(struct finder *f, const char *text)
{
	struct plumb_event_list *list = f->names->events;
	const size_t before = plumb_event_list_count(list);

	/* The list takes metrics, too. */
	if (plumb_spec_metric(f->spec, text) != PLUMB_NONE &&
	    plumb_spec_event(f->spec, text) == PLUMB_NONE)
		return NAME_UNKNOWN;
	if (before == PLUMB_EVENTS_MAX || is_list(text) ||
	    plumb_event_list_add(list, text, NULL) < 0)
		return NAME_UNKNOWN;
	return before;
}

/* Returns an earlier event of the list that is the same as the last, or the last. */
static size_t earlier(const struct finder *f, size_t last)
{
	const struct plumb_event_config *event = plumb_event_list_get(f->names->events, last);

	for (size_t i = 0; i < last; i++) {
		const struct plumb_event_config *other = plumb_event_list_get(f->names->events, i);

		if (other->kind == event->kind && other->config == event->config)
			return i;
	}
	return last;
}

/* Finds the event of the CPU with this title, as Streamline and topdown-tool print it. */
static const char *by_title(const struct plumb_spec *spec, const char *title)
{
	for (uint16_t i = 0; i < spec->event_count; i++)
		if (text_compare(spec->events[i].title, title) == 0)
			return spec->events[i].name;
	return NULL;
}

static size_t find_event(struct finder *f, size_t i)
{
	const char *text = f->base[i], *slash = strchr(text, '/'), *title, *colon;
	size_t found = add(f, text);
	char *other;

	/* A core's PMU may be called anything: armv8_cortex_a72. */
	if (found == NAME_UNKNOWN && slash && strncmp(text, "arm", 3) == 0) {
		other = memory_format("cpu%s", slash);
		found = add(f, other);
		free(other);
	}
	title = found == NAME_UNKNOWN ? by_title(f->spec, text) : NULL;
	if (title)
		found = add(f, title);
	/* "Metrics: L1D_CACHE" */
	colon = found == NAME_UNKNOWN && f->import->names[i].column ? strrchr(text, ':') : NULL;
	if (colon)
		found = add(f, colon + 1 + strspn(colon + 1, " "));
	return found;
}

static uint16_t find_metric(const struct plumb_spec *spec, const char *text)
{
	uint16_t metric = plumb_spec_metric(spec, text);

	for (uint16_t i = 0; metric == PLUMB_NONE && i < spec->metric_count; i++)
		if (text_compare(spec->metrics[i].title, text) == 0)
			metric = i;
	return metric;
}

/* Returns the modes in which most events were counted. */
static const char *usual_modes(const struct finder *f)
{
	const char *usual = "";
	size_t most = 0;

	for (size_t i = 0; i < f->import->name_count; i++) {
		size_t count = 0;

		for (size_t k = 0; k < f->import->name_count; k++)
			count += f->names->event[k] != NAME_UNKNOWN && !f->import->names[k].msec &&
				 strcmp(f->modes[k], f->modes[i]) == 0;
		if (count > most && f->names->event[i] != NAME_UNKNOWN) {
			most = count;
			usual = f->modes[i];
		}
	}
	return usual;
}

/* Leaves out events that were counted in other modes: no metric of both would be right. */
static void leave_out_modes(struct finder *f, struct plumb_diagnostics *diagnostics)
{
	const char *usual = usual_modes(f);
	struct join others = {0};
	char *text;

	for (size_t i = 0; i < f->import->name_count; i++) {
		const size_t event = f->names->event[i];

		if (event == NAME_UNKNOWN || strcmp(f->modes[i], usual) == 0 ||
		    plumb_event_list_get(f->names->events, event)->kind != PLUMB_EVENT_PMU)
			continue;
		f->names->event[i] = NAME_UNKNOWN;
		join_add(&others, f->import->names[i].text);
	}
	text = join_take(&others);
	if (*text)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "other-modes", NULL,
				      "left out, because the other events were counted in %s: %s",
				      !*usual                   ? "all modes"
				      : strcmp(usual, "u") == 0 ? "user code"
				      : strcmp(usual, "k") == 0 ? "the kernel"
								: "other modes",
				      text);
	else if (strcmp(usual, "u") == 0 || strcmp(usual, "k") == 0)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "only-modes", NULL,
				      "only %s was counted",
				      *usual == 'u' ? "user code" : "the kernel");
	free(text);
}

static void warn_of_unknown(const struct finder *f, struct plumb_diagnostics *diagnostics)
{
	struct join events = {0}, metrics = {0};
	char *text;

	for (size_t i = 0; i < f->import->name_count; i++) {
		const struct import_name *name = &f->import->names[i];

		if (name->column || i == f->names->elapsed)
			continue;
		if (name->metric && f->names->metric[i] == PLUMB_NONE)
			join_add(&metrics, name->text);
		if (!name->metric && f->names->event[i] == NAME_UNKNOWN)
			join_add(&events, name->text);
	}
	text = join_take(&events);
	if (*text)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-events", NULL,
				      "%s does not have these events, which are left out: %s",
				      f->spec->product.name, text);
	free(text);
	text = join_take(&metrics);
	if (*text)
		plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "unknown-metrics", NULL,
				      "%s does not have these metrics, which are left out: %s",
				      f->spec->product.name, text);
	free(text);
}

/* Rejects counts of two kinds of cores, which one specification cannot describe. */
static bool check_pmus(const struct finder *f)
{
	const char *first = NULL;

	for (size_t i = 0; i < f->import->name_count; i++) {
		const char *pmu = f->names->event[i] != NAME_UNKNOWN ? f->pmus[i] : NULL;

		if (pmu && first && strcmp(pmu, first) != 0) {
			complain("these are counts of two PMUs, %s and %s, but --cpu names one CPU",
				 first, pmu);
			advise("import the lines of one PMU at a time: grep %s", first);
			return false;
		}
		first = pmu ? pmu : first;
	}
	return true;
}

static bool knows_any(const struct finder *f)
{
	for (size_t i = 0; i < f->import->name_count; i++)
		if (f->names->event[i] != NAME_UNKNOWN || f->names->metric[i] != PLUMB_NONE)
			return true;
	complain("%s has none of the events in the input", f->spec->id);
	advise("name another CPU with --cpu; see plumb spec list cpus");
	return false;
}

static void find_all(struct finder *f)
{
	const struct import *import = f->import;

	for (size_t i = 0; i < import->name_count; i++) {
		const struct import_name *name = &import->names[i];

		f->names->event[i] = NAME_UNKNOWN;
		f->names->metric[i] = PLUMB_NONE;
		split(f, i);
		if (name->metric)
			f->names->metric[i] = find_metric(f->spec, name->text);
		else if (strcmp(name->text, "duration_time") == 0)
			f->names->elapsed = i;
		else
			f->names->event[i] = find_event(f, i);
		if (f->names->event[i] != NAME_UNKNOWN)
			f->names->event[i] = earlier(f, f->names->event[i]);
	}
}

int import_names_find(const struct import *import, const struct plumb_spec *spec,
		      struct import_names *names, struct plumb_diagnostics *diagnostics)
{
	const struct plumb_event_options how = {.size = sizeof(how), .spec = spec};
	const size_t count = import->name_count;
	struct finder f = {.import = import, .spec = spec, .names = names};
	int status = EXIT_USAGE;

	*names = (struct import_names){.elapsed = NAME_UNKNOWN};
	if (plumb_event_list_new(&how, &names->events) < 0)
		memory_given(NULL);
	names->event = memory_resize(NULL, count + 1, sizeof(*names->event));
	names->metric = memory_resize(NULL, count + 1, sizeof(*names->metric));
	f.base = memory_resize(NULL, count + 1, sizeof(*f.base));
	f.modes = memory_resize(NULL, count + 1, sizeof(*f.modes));
	f.pmus = memory_resize(NULL, count + 1, sizeof(*f.pmus));
	find_all(&f);
	if (knows_any(&f) && check_pmus(&f))
		status = EXIT_FINE;
	warn_of_unknown(&f, diagnostics);
	leave_out_modes(&f, diagnostics);
	for (size_t i = 0; i < count; i++) {
		free(f.base[i]);
		free(f.modes[i]);
		free(f.pmus[i]);
	}
	free(f.base);
	free(f.modes);
	free(f.pmus);
	return status;
}

void import_names_free(struct import_names *names)
{
	plumb_event_list_free(names->events);
	free(names->event);
	free(names->metric);
}
