/* SPDX-License-Identifier: Apache-2.0 */
/* The language of -e: any text, for counting and for sampling, with and without a CPU's events. */
#include <plumb/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct plumb_event_list *list, const struct plumb_event_options *options)
{
	for (size_t i = 0; i < plumb_event_list_count(list); i++) {
		const struct plumb_event_config *event = plumb_event_list_get(list, i);
		const struct plumb_event_config *leader;

		require(event->name && *event->name && event->leader <= i);
		leader = plumb_event_list_get(list, event->leader);
		require(leader->leader == event->leader);
		require(leader == event || (!event->pinned && !event->exclusive));
		require(leader == event || event->kind == PLUMB_EVENT_PMU ||
			event->kind == PLUMB_EVENT_SOFTWARE);
		require(!event->period || !event->frequency);
		require(event->precise <= 3 && event->spe.min_latency <= 4095);
		require(!event->exclude_user || !event->exclude_kernel || !event->exclude_hv);
		require(event->kind == PLUMB_EVENT_SPE || event->config <= UINT16_MAX);
		require(event->kind != PLUMB_EVENT_SPE || (options->sampling && !event->frequency));
		require(event->kind != PLUMB_EVENT_METRIC || !options->sampling);
		require(event->kind == PLUMB_EVENT_SOFTWARE || event->kind == PLUMB_EVENT_SPE ||
			options->spec);
	}
	require(!plumb_event_list_get(list, plumb_event_list_count(list)));
}

/* Twice into one list: refused text changes nothing, and accepted text is accepted again. */
static void read_list(const char *text, const struct plumb_event_options *options)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_event_list *list;
	size_t before = 0;

	require(diagnostics && plumb_event_list_new(options, &list) == 0);
	for (unsigned i = 0; i < 2; i++) {
		int error = plumb_event_list_add(list, text, diagnostics);

		require(error == 0 || (plumb_event_list_count(list) == before &&
				       plumb_diagnostics_errors(diagnostics)));
		check(list, options);
		before = plumb_event_list_count(list);
	}
	plumb_event_list_free(list);
	plumb_diagnostics_free(diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_event_options options = {.size = sizeof(options)};
	const struct plumb_spec *spec;
	char *text = malloc(size + 1);

	if (!text || plumb_spec_find("neoverse-n3", &spec, NULL) < 0)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	for (unsigned i = 0; i < 4; i++) {
		options.spec = i & 1 ? spec : NULL;
		options.sampling = i & 2;
		read_list(text, &options);
	}
	free(text);
	return 0;
}
