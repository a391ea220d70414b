/* SPDX-License-Identifier: Apache-2.0 */
/* What -e of `plumb record` takes: any text, with a CPU's events and without. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "source/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct event_request *request)
{
	for (size_t i = 0; i < request->count; i++) {
		const struct sampled_event *event = &request->events[i];

		require(event->name && event->leader <= i);
		require(request->events[event->leader].leader == event->leader);
		require(!event->period || !event->frequency);
		require(event->precise <= 3 && event->spe.min_latency <= 4095);
		require(event->kind == SAMPLED_SPE || event->config <= UINT16_MAX);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_request request = {0};
	struct plumb_diagnostics *found = plumb_diagnostics_new();
	static const struct plumb_spec *spec;
	char *text = malloc(size + 1);
	size_t before = 0;

	if (!text || !found)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	/* Once with, once without a CPU, into the same request. */
	require(spec || plumb_spec_find("neoverse-n3", &spec, NULL) == 0);
	for (unsigned i = 0; i < 2; i++) {
		int error = request_add(&request, text, i ? NULL : spec, found);

		require(error == 0 || (request.count == before && plumb_diagnostics_errors(found)));
		before = request.count;
		check(&request);
	}
	request_free(&request);
	plumb_diagnostics_free(found);
	free(text);
	return 0;
}
