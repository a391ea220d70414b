/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans for every machine of test/machines, with few counters and many: what its PMUs have is
 * counted, metric by metric where there are counters enough; what they lack is named. What a PMU
 * has is read from its files here, and what a metric needs from the specification.
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "counting.h"
#include "cpu/machine.h"
#include "folder.h"
#include "spec/lookup.h"

#define MACHINES 24
#define CYCLES   0x11
#define COMMON   0x40 /* events below are shown if the PMU has them */

/* What was found on all machines, so that no check is one of nothing. */
static struct {
	unsigned machines, pmus, plans, together, split, missing;
} found;

/* The events that a PMU's files show, by code. */
struct shown {
	bool known;
	bool has[0x10000];
};

static void read_events(const char *root, const char *pmu, struct shown *shown)
{
	char name[1024], text[64];
	struct dirent *entry;
	DIR *events;

	*shown = (struct shown){0};
	snprintf(name, sizeof(name), "%s/sys/bus/event_source/devices/%s/events", root, pmu);
	events = opendir(name);
	while (events && (entry = readdir(events))) {
		char file[2048];
		unsigned long code;
		FILE *from;

		snprintf(file, sizeof(file), "%s/%s", name, entry->d_name);
		from = *entry->d_name == '.' ? NULL : fopen(file, "r");
		if (!from)
			continue;
		if (fgets(text, sizeof(text), from) &&
		    strncmp(text, "event=", strlen("event=")) == 0) {
			code = strtoul(text + strlen("event="), NULL, 16);
			assert_true(code < 0x10000);
			shown->has[code] = shown->known = true;
		}
		fclose(from);
	}
	if (events)
		closedir(events);
}

/* Tells whether the files rule an event out: a common one that is not among those shown. */
static bool lacks(const struct shown *shown, uint16_t code)
{
	return shown->known && code < COMMON && !shown->has[code];
}

/* Tells whether they show an event, or would not show it. */
static bool has(const struct shown *shown, uint16_t code)
{
	return !shown->known || shown->has[code] || (code >= COMMON && (code & 0xffc0) != 0x4000);
}

static bool may_count(const void *pmu, uint16_t code)
{
	return cpu_pmu_may_count(pmu, code);
}

static uint16_t code_at(const struct plumb_plan *plan, const struct plumb_plan_group *group,
			uint16_t i)
{
	return (uint16_t)plan->events[group->events[i]]->config;
}

static bool is_in(const struct plumb_plan *plan, const struct plumb_plan_group *group,
		  uint16_t code)
{
	for (uint16_t i = 0; i < group->count; i++)
		if (code_at(plan, group, i) == code)
			return true;
	return false;
}

/* Returns how many of a metric's events are in a group. */
static uint16_t count_in(const struct plumb_plan *plan, const struct plumb_plan_group *group,
			 struct plumb_indexes events)
{
	uint16_t count = 0;

	for (uint16_t i = 0; i < events.count; i++)
		count += is_in(plan, group, plan->selection->spec->events[events.at[i]].code);
	return count;
}

static void check_groups(const struct plumb_plan *plan, const struct shown *shown,
			 const struct plumb_plan_options *options)
{
	unsigned *taken = calloc(plan->pass_count, sizeof(*taken));

	assert_non_null(taken);
	for (uint16_t g = 0; g < plan->group_count; g++) {
		const struct plumb_plan_group *group = &plan->groups[g];

		assert_true(group->pass < plan->pass_count);
		for (uint16_t i = 0; i < group->count; i++) {
			const uint16_t code = code_at(plan, group, i);

			assert_false(lacks(shown, code));
			taken[group->pass] += !options->cycle_counter || code != CYCLES;
		}
		assert_true(taken[group->pass] <= options->counters);
	}
	free(taken);
}

static void check_metric(const struct plumb_plan *plan, uint16_t m, const struct shown *shown,
			 const struct plumb_plan_options *options)
{
	const struct plumb_spec *spec = plan->selection->spec;
	const struct plumb_indexes events = spec->metrics[m].events;
	unsigned wanted = 0, without = 0, all = 0;
	uint16_t missing = PLUMB_NONE, most = 0;

	for (uint16_t i = 0; i < events.count; i++) {
		const uint16_t code = spec->events[events.at[i]].code;

		wanted += !options->cycle_counter || code != CYCLES;
		without += lacks(shown, code);
		all += has(shown, code);
	}
	if (!plumb_plan_computes(plan, m, &missing)) {
		/* The event that is named is one of the metric's, and not shown. */
		assert_true(missing < spec->event_count);
		assert_false(has(shown, spec->events[missing].code));
		for (uint16_t i = 0; i < events.count; i++)
			without += events.at[i] == missing;
		assert_true(without > 0 && all < events.count);
		found.missing++;
		return;
	}
	assert_int_equal(without, 0);
	for (uint16_t g = 0; g < plan->group_count; g++) {
		const uint16_t in = count_in(plan, &plan->groups[g], events);

		most = in > most ? in : most;
	}
	if (wanted <= options->counters) {
		assert_int_equal(most, events.count);
		found.together++;
		return;
	}
	/* Too many for the counters: each is somewhere. */
	assert_true(most < events.count);
	for (uint16_t i = 0; i < events.count; i++)
		assert_int_not_equal(plumb_plan_event(plan, spec->events[events.at[i]].code),
				     PLUMB_NONE);
	found.split++;
}

static void check_plans(const struct cpu_pmu *pmu, const struct plumb_spec *spec,
			const struct shown *shown)
{
	static const struct plumb_plan_options machines[] = {
		PLAN_OPTIONS(.counters = 2),
		PLAN_OPTIONS(.counters = 2, .cycle_counter = true),
		PLAN_OPTIONS(.counters = 3, .cycle_counter = true),
		PLAN_OPTIONS(.counters = 4, .cycle_counter = true),
		PLAN_OPTIONS(.counters = 6),
		PLAN_OPTIONS(.counters = 6, .cycle_counter = true),
	};
	uint16_t *metrics = calloc(spec->metric_count + 1u, sizeof(*metrics));
	struct plumb_selection *selection;

	assert_non_null(metrics);
	for (uint16_t m = 0; m < spec->metric_count; m++)
		metrics[m] = m;
	assert_int_equal(plumb_selection_new(spec,
					     &REQUEST(.metrics = {metrics, spec->metric_count}),
					     &selection),
			 0);
	assert_int_equal(selection->metric_count, spec->metric_count);
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct plumb_plan_options options = machines[i];
		struct plumb_plan *plan;

		options.counts = may_count;
		options.user = pmu;
		assert_int_equal(plumb_plan_new(selection, &options, &plan, NULL), 0);
		check_groups(plan, shown, &options);
		for (uint16_t m = 0; m < spec->metric_count; m++) {
			assert_int_equal(selection->metrics[m].metric, m);
			check_metric(plan, m, shown, &options);
		}
		found.plans++;
		plumb_plan_free(plan);
	}
	plumb_selection_free(selection);
	free(metrics);
}

static void check_machine(const char *root)
{
	struct cpu_machine *machine = malloc(sizeof(*machine));
	struct shown *shown = malloc(sizeof(*shown));

	assert_non_null(machine);
	assert_non_null(shown);
	assert_int_equal(cpu_machine_read(root, machine), 0);
	for (size_t i = 0; i < machine->pmu_count; i++) {
		const struct cpu_pmu *pmu = &machine->pmus[i];
		const struct plumb_spec *spec = plumb_spec_for_midr(pmu->midr);

		found.pmus++;
		read_events(root, pmu->name, shown);
		if (spec)
			check_plans(pmu, spec, shown);
	}
	free(machine);
	free(shown);
}

/* Writes all machines below the test's folder. */
static void write_machines(void)
{
	static char python[] = "/usr/bin/python3";
	char *const arguments[] = {python, getenv("PLUMB_MACHINES"), folder, NULL};
	posix_spawn_file_actions_t actions;
	int status;
	pid_t pid;

	assert_non_null(arguments[1]);
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&pid, *arguments, &actions, NULL, arguments, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void plans_for_each(void **state)
{
	struct dirent *entry;
	DIR *machines;

	(void)state;
	write_machines();
	machines = opendir(folder);
	assert_non_null(machines);
	while ((entry = readdir(machines))) {
		char root[512];

		if (*entry->d_name == '.')
			continue;
		print_message("# %s\n", entry->d_name);
		snprintf(root, sizeof(root), "%s/%s", folder, entry->d_name);
		check_machine(root);
		found.machines++;
	}
	closedir(machines);
	print_message("# %u machines, %u PMUs, %u plans; metrics: %u together, %u split, %u "
		      "without an event\n",
		      found.machines, found.pmus, found.plans, found.together, found.split,
		      found.missing);
	assert_int_equal(found.machines, MACHINES);
	assert_true(found.pmus >= MACHINES && found.plans > 0);
	assert_true(found.together > 0 && found.split > 0 && found.missing > 0);
}

static int remove_one(const char *name, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(name);
}

static int remove_machines(void **state)
{
	(void)state;
	return nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(plans_for_each)};

	return cmocka_run_group_tests(tests, make_folder, remove_machines);
}
