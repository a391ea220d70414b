/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of the model in threads of one process: what each counts is what it counts alone. Prints
 * TAP.
 *
 *	concurrent PLUGINS PROGRAM [ARGUMENT...]
 */
#include <fcntl.h>
#include <plumb/model.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS 4

/* Half of them on each of two cores. */
static const char *const cores[] = {"neoverse-n3", "neoverse-v2"};

struct counted {
	const char *core, *plugins;
	char **argv;
	double counts[3]; /* of the three events, in the plan's order */
	int error;
};

static int run(struct counted *c, struct plumb_source *source)
{
	struct plumb_event_options events = {.size = sizeof(events)};
	struct plumb_plan_options how = {.size = sizeof(how)};
	struct plumb_request request = {.size = sizeof(request)};
	struct plumb_count_run done = {.size = sizeof(done)};
	struct plumb_event_list *list = NULL;
	struct plumb_selection *selection = NULL;
	struct plumb_plan *plan = NULL;
	struct plumb_count_job job = {.size = sizeof(job), .program = c->argv[0], .argv = c->argv};
	struct plumb_count counts[3];
	int error;

	plumb_source_fill_event_options(source, &events);
	plumb_source_fill_plan_options(source, &how);
	error = plumb_event_list_new(&events, &list);
	if (!error)
		error = plumb_event_list_add(list, "instructions,cycles,l1d_cache", NULL);
	request.events = list;
	if (!error)
		error = plumb_selection_new(plumb_source_spec(source), &request, &selection);
	if (!error)
		error = plumb_plan_new(selection, &how, &plan, NULL);
	job.plan = plan;
	if (!error)
		error = plumb_source_count(source, &job, counts, &done, NULL);
	for (size_t i = 0; !error && i < 3; i++)
		c->counts[i] = counts[i].count;
	plumb_plan_free(plan);
	plumb_selection_free(selection);
	plumb_event_list_free(list);
	return error;
}

static void *count(void *user)
{
	struct counted *c = user;
	const struct plumb_model_options options = {
		.size = sizeof(options), .core = c->core, .plugin_dir = c->plugins};
	struct plumb_source *source;

	c->error = plumb_model_open(&options, &source, NULL);
	if (!c->error)
		c->error = run(c, source);
	plumb_source_close(source);
	return NULL;
}

static bool same_counts(const struct counted *a, const struct counted *b)
{
	for (size_t i = 0; i < 3; i++)
		if (a->counts[i] != b->counts[i])
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct counted alone[2], together[THREADS];
	pthread_t threads[THREADS];
	int failed = 0, null;
	FILE *out;

	if (argc < 3)
		return 2;
	/* Standard output is the programs', too. */
	out = fdopen(dup(STDOUT_FILENO), "w");
	null = open("/dev/null", O_WRONLY);
	if (!out || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return 1;
	fprintf(out, "1..%d\n", THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		together[i] = (struct counted){cores[i % 2], argv[1], argv + 2, {0}, 0};
	for (int i = 0; i < 2; i++) {
		alone[i] = together[i];
		count(&alone[i]);
	}
	if (alone[0].error == PLUMB_ERR_MACHINE) {
		for (int i = 0; i <= THREADS; i++)
			fprintf(out, "ok %d - runs at once # SKIP no engine\n", i + 1);
		return 0;
	}
	failed += alone[0].error || alone[1].error || same_counts(&alone[0], &alone[1]);
	fprintf(out, "%s 1 - two cores count differently, one after the other\n",
		failed ? "not ok" : "ok");
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count, &together[i]))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		bool same;

		pthread_join(threads[i], NULL);
		same = !together[i].error && same_counts(&together[i], &alone[i % 2]);
		fprintf(out, "%s %d - at once with others, %s counts the same\n",
			same ? "ok" : "not ok", i + 2, together[i].core);
		fprintf(out, "# %.0f, %.0f, %.0f\n", together[i].counts[0], together[i].counts[1],
			together[i].counts[2]);
		failed += !same;
	}
	return failed != 0;
}
