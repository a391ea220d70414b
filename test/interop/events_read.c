/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads texts for -e, a line each, and writes what becomes of each: the events' kinds, configs and
 * modifiers, or the error and its message. With "record" as its argument they are to be sampled.
 */
#include <plumb/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const struct plumb_event_list *list)
{
	const struct plumb_event_config *e;

	for (size_t i = 0; (e = plumb_event_list_get(list, i)); i++)
		printf("%s%d:%llu leader=%u exclude=%d%d%d guest=%d%d idle=%d pinned=%d "
		       "precise=%u read=%d period=%llu freq=%u name=%s",
		       i ? ";" : "", (int)e->kind, (unsigned long long)e->config, e->leader,
		       e->exclude_user, e->exclude_kernel, e->exclude_hv, e->host, e->guest,
		       e->exclude_idle, e->pinned, e->precise, e->sample_read,
		       (unsigned long long)e->period, e->frequency, e->name);
	putchar('\n');
}

int main(int count, char **arguments)
{
	struct plumb_event_options options = {
		.size = sizeof(options),
		.sampling = count > 1 && strcmp(arguments[1], "record") == 0,
	};
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	if (plumb_spec_find("neoverse-n1", &options.spec, NULL) < 0)
		return 1;
	while ((length = getline(&line, &room, stdin)) >= 0) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
		struct plumb_event_list *list;
		int error;

		if (length > 0 && line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (plumb_event_list_new(&options, &list) < 0)
			return 1;
		error = plumb_event_list_add(list, line, diagnostics);
		if (error < 0)
			printf("error %s: %s\n", plumb_error_name(error),
			       plumb_diagnostics_count(diagnostics)
				       ? plumb_diagnostics_get(diagnostics, 0)->message
				       : "");
		else
			print(list);
		plumb_event_list_free(list);
		plumb_diagnostics_free(diagnostics);
	}
	free(line);
	return 0;
}
