/* SPDX-License-Identifier: Apache-2.0 */
/* Sources as programs use them: opening, queries, counting, sampling, cancelling, regions. */
#include "check.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <plumb/model.h>
#include <plumb/perf.h>

#define SHELL(script)                                                   \
	((char *[]){(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", \
		    (char *)(uintptr_t)(script), NULL})

static struct plumb_diagnostics *diagnostics;

static double clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct plumb_source *open_software(void)
{
	const struct plumb_perf_options options = {.size = sizeof(options), .software = true};
	struct plumb_source *source;

	assert_int_equal(plumb_perf_open(&options, &source, diagnostics), 0);
	return source;
}

static struct plumb_source *open_model(void)
{
	const struct plumb_model_options options = {.size = sizeof(options)};
	struct plumb_source *source;

	assert_int_equal(plumb_model_open(&options, &source, diagnostics), 0);
	return source;
}

/* From the text of events to a plan. */
struct asked {
	struct plumb_event_list *list;
	struct plumb_selection *selection;
	struct plumb_plan *plan;
};

static void ask(struct asked *asked, const struct plumb_source *source, const char *text)
{
	struct plumb_event_options events = {.size = sizeof(events)};
	struct plumb_plan_options how = {.size = sizeof(how)};
	struct plumb_request request = {.size = sizeof(request)};

	plumb_source_fill_event_options(source, &events);
	plumb_source_fill_plan_options(source, &how);
	assert_int_equal(plumb_event_list_new(&events, &asked->list), 0);
	assert_int_equal(plumb_event_list_add(asked->list, text, diagnostics), 0);
	request.events = asked->list;
	assert_int_equal(
		plumb_selection_new(plumb_source_spec(source), &request, &asked->selection), 0);
	assert_int_equal(plumb_plan_new(asked->selection, &how, &asked->plan, diagnostics), 0);
}

static void release(struct asked *asked)
{
	plumb_plan_free(asked->plan);
	plumb_selection_free(asked->selection);
	plumb_event_list_free(asked->list);
}

static bool cannot(int error)
{
	return error == PLUMB_ERR_PERMISSION || error == PLUMB_ERR_MACHINE;
}

static const char *last_message(void)
{
	const size_t count = plumb_diagnostics_count(diagnostics);

	return count ? plumb_diagnostics_get(diagnostics, count - 1)->message : "";
}

/* ---- opening ------------------------------------------------------------------------------ */

static void the_model_answers(void **state)
{
	struct plumb_model_options options = {.size = sizeof(options), .core = "neoverse-v2"};
	struct plumb_plan_options how = {.size = sizeof(how), .counters = 3};
	struct plumb_event_config event = {.kind = PLUMB_EVENT_SOFTWARE, .name = "cs", .config = 3};
	struct plumb_source *source;

	(void)state;
	assert_int_equal(plumb_model_open(&options, &source, diagnostics), 0);
	assert_string_equal(plumb_source_name(source), "model");
	assert_string_equal(plumb_source_label(source), "model");
	assert_string_equal(plumb_source_spec(source)->id, "neoverse-v2-r0p0");
	assert_int_equal(plumb_source_midr(source), plumb_spec_midr(plumb_source_spec(source)));
	assert_null(plumb_source_pmu(source));
	assert_true(plumb_source_has_spe(source));
	assert_true(plumb_source_counts(source, 0x11));
	assert_false(plumb_source_counts(source, 0xfffe));
	plumb_source_fill_plan_options(source, &how);
	assert_int_equal(how.counters, 0);
	assert_int_equal(plumb_source_check(source, &event, diagnostics), PLUMB_ERR_NOT_FOUND);
	assert_string_equal(last_message(), "the model does not count cs");
	event.config = 1;
	assert_int_equal(plumb_source_check(source, &event, diagnostics), 0);
	plumb_source_close(source);
	options.core = "neoverse-v9";
	assert_int_equal(plumb_model_open(&options, &source, diagnostics), PLUMB_ERR_NOT_FOUND);
	assert_string_equal(last_message(), "the model has no core 'neoverse-v9'");
	assert_null(source);
	options = (struct plumb_model_options){.size = sizeof(options), .page_bytes = 8192};
	assert_int_equal(plumb_model_open(&options, &source, diagnostics), PLUMB_ERR_ARGUMENT);
	assert_string_equal(last_message(), "pages have 4096, 16384 or 65536 bytes, not 8192");
	options = (struct plumb_model_options){0};
	assert_int_equal(plumb_model_open(&options, &source, diagnostics), PLUMB_ERR_ARGUMENT);
	plumb_source_close(NULL);
}

/* Software events need no PMU; without one, nothing else can be counted. */
static void perf_answers(void **state)
{
	struct plumb_perf_options options = {.size = sizeof(options)};
	struct plumb_source *source = open_software();

	(void)state;
	assert_string_equal(plumb_source_name(source), "perf");
	assert_null(plumb_source_label(source));
	assert_null(plumb_source_spec(source));
	assert_null(plumb_source_pmu(source));
	assert_int_equal(plumb_source_midr(source), 0);
	assert_false(plumb_source_counts(source, 0x11));
	plumb_source_close(source);
	if (plumb_perf_has_pmu())
		return;
	assert_int_equal(plumb_perf_open(&options, &source, diagnostics), PLUMB_ERR_MACHINE);
	assert_null(source);
}

/* ---- counting ----------------------------------------------------------------------------- */

static int count(struct plumb_source *source, const struct asked *asked, char *const *argv,
		 struct plumb_count *counts, struct plumb_count_run *run)
{
	const struct plumb_count_job job = {
		.size = sizeof(job),
		.plan = asked->plan,
		.program = strchr(argv[0], '/') ? argv[0] : "/bin/sh",
		.argv = argv,
		.children = true,
	};

	return plumb_source_count(source, &job, counts, run, diagnostics);
}

static void a_command_is_counted(void **state)
{
	struct plumb_source *source = open_software();
	struct plumb_count_run run = {.size = sizeof(run)};
	struct plumb_count counts[2];
	struct asked asked;
	int error;

	(void)state;
	ask(&asked, source, "task-clock,page-faults:u");
	error = count(source, &asked,
		      SHELL("i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done; exit 7"), counts,
		      &run);
	if (!cannot(error)) {
		assert_int_equal(error, 0);
		assert_int_equal(run.exit_status, 7);
		assert_int_equal(run.size, sizeof(run));
		assert_true(counts[0].count > 100000 && counts[0].count < 60e9);
		assert_true(counts[1].count > 10);
		assert_true(run.seconds > 0);
	}
	release(&asked);
	plumb_source_close(source);
	if (cannot(error))
		skip_because("the kernel lets nobody count here");
}

/* A program built before a member was added gets the members it knows. */
static void older_callers_are_served(void **state)
{
	struct plumb_source *source = open_software();
	struct {
		struct plumb_count_run known;
		char more[64];
	} newer = {.known = {.size = sizeof(newer)}};
	struct plumb_count_run older = {.size = offsetof(struct plumb_count_run, exit_status),
					.exit_status = -1};
	struct plumb_count_job bad = {.size = sizeof(bad)};
	struct plumb_count counts[1];
	struct asked asked;
	int error;

	(void)state;
	memset(newer.more, 'x', sizeof(newer.more));
	ask(&asked, source, "task-clock");
	error = count(source, &asked, SHELL("exit 3"), counts, &older);
	if (!cannot(error)) {
		assert_int_equal(older.exit_status, -1);
		assert_int_equal(count(source, &asked, SHELL("exit 3"), counts, &newer.known), 0);
		assert_int_equal(newer.known.exit_status, 3);
		assert_int_equal(newer.more[0], 0);
	}
	assert_int_equal(plumb_source_count(source, &bad, counts, &newer.known, diagnostics),
			 PLUMB_ERR_ARGUMENT);
	release(&asked);
	plumb_source_close(source);
}

static void what_cannot_be_run_is_told_apart(void **state)
{
	struct plumb_source *source = open_software(), *model = open_model();
	char *const nowhere[] = {(char *)(uintptr_t) "/nowhere/program", NULL};
	char *const unfit[] = {(char *)(uintptr_t) "/etc/passwd", NULL};
	struct plumb_count_run run = {.size = sizeof(run)};
	struct plumb_count counts[1];
	struct asked asked;
	int error;

	(void)state;
	ask(&asked, source, "task-clock");
	error = count(source, &asked, nowhere, counts, &run);
	if (!cannot(error)) {
		assert_int_equal(error, PLUMB_ERR_NO_PROGRAM);
		assert_int_equal(count(source, &asked, unfit, counts, &run), PLUMB_ERR_EXEC);
	}
	release(&asked);
	ask(&asked, model, "cycles");
	assert_int_equal(count(model, &asked, nowhere, counts, &run), PLUMB_ERR_NO_PROGRAM);
	assert_int_equal(count(model, &asked, unfit, counts, &run), PLUMB_ERR_EXEC);
	release(&asked);
	plumb_source_close(source);
	plumb_source_close(model);
}

static void *cancel_soon(void *source)
{
	nanosleep(&(struct timespec){0, 200000000}, NULL);
	plumb_source_cancel(source);
	return NULL;
}

/* Even a program that ignores SIGTERM: it gets two seconds. */
static void what_runs_is_cancelled(void **state)
{
	struct plumb_source *source = open_software();
	struct plumb_count_run run = {.size = sizeof(run)};
	char polite[] = "exec sleep 60", stubborn[] = "trap '' TERM; exec sleep 60";
	struct plumb_count counts[1];
	struct asked asked;
	bool able = true;

	(void)state;
	ask(&asked, source, "task-clock");
	for (int i = 0; i < 2 && able; i++) {
		double began = clock_of(CLOCK_MONOTONIC), took;
		pthread_t thread;
		int error;

		assert_int_equal(pthread_create(&thread, NULL, cancel_soon, source), 0);
		error = count(source, &asked, SHELL(i ? stubborn : polite), counts, &run);
		took = clock_of(CLOCK_MONOTONIC) - began;
		pthread_join(thread, NULL);
		able = !cannot(error);
		if (!able)
			break;
		assert_int_equal(error, PLUMB_ERR_INTERRUPTED);
		assert_int_equal(run.signal, i ? SIGKILL : SIGTERM);
		assert_true(counts[0].count > 0);
		assert_true(took >= 0.2 && (i ? took >= 2 && took < 20 : took < 10));
	}
	/* Later runs are not affected. */
	if (able)
		assert_int_equal(count(source, &asked, SHELL("exit 0"), counts, &run), 0);
	release(&asked);
	plumb_source_close(source);
	if (!able)
		skip_because("the kernel lets nobody count here");
}

/* ---- recording ---------------------------------------------------------------------------- */

static int on_begin(void *user, const struct plumb_recording_setup *setup)
{
	(void)user;
	assert_int_equal(setup->event_count, 1);
	assert_string_equal(setup->events[0].name, "cpu-clock");
	return 0;
}

static int on_records(void *user, const void *records, size_t size)
{
	size_t *bytes = user;

	(void)records;
	*bytes += size;
	return 0;
}

static int on_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		  size_t first_size, const void *second, size_t second_size)
{
	(void)user;
	(void)chunk;
	(void)first;
	(void)first_size;
	(void)second;
	(void)second_size;
	fail();
	return 0;
}

static void a_recording_is_cancelled(void **state)
{
	const struct plumb_event_options how = {.size = sizeof(how), .sampling = true};
	struct plumb_source *source = open_software();
	struct plumb_recording_run run = {.size = sizeof(run)};
	size_t bytes = 0;
	struct plumb_recording_job job = {
		.size = sizeof(job),
		.program = "/bin/sh",
		.argv = SHELL("trap '' TERM; while :; do :; done"),
		.begin = on_begin,
		.records = on_records,
		.aux = on_aux,
		.user = &bytes,
	};
	struct plumb_event_list *list;
	pthread_t thread;
	int error;

	(void)state;
	assert_int_equal(plumb_source_record(source, &job, &run, diagnostics), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_event_list_new(&how, &list), 0);
	assert_int_equal(plumb_event_list_add(list, "cpu-clock", diagnostics), 0);
	job.events = list;
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, source), 0);
	error = plumb_source_record(source, &job, &run, diagnostics);
	pthread_join(thread, NULL);
	if (!cannot(error)) {
		assert_int_equal(error, PLUMB_ERR_INTERRUPTED);
		assert_int_equal(run.signal, SIGKILL);
		assert_true(run.samples > 10 && bytes > 100);
	}
	plumb_event_list_free(list);
	plumb_source_close(source);
	if (cannot(error))
		skip_because("the kernel lets nobody sample here");
}

/* ---- regions ------------------------------------------------------------------------------ */

static void work(double seconds)
{
	const double until = clock_of(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

/* task-clock, compared with the thread's own clock, which the kernel keeps separately. */
static void regions_count_what_is_in_them(void **state)
{
	struct plumb_source *source = open_software();
	struct plumb_region *region;
	struct plumb_count counts[2];
	struct asked asked;
	int error;

	(void)state;
	ask(&asked, source, "{task-clock,page-faults}");
	error = plumb_region_open(source, asked.plan, &region, diagnostics);
	for (int i = 0; i < 3 && error == 0; i++) {
		const double seconds = 0.01 * (i + 1);
		uint64_t read;
		double began, inside;

		work(0.02); /* before it, and between */
		began = clock_of(CLOCK_THREAD_CPUTIME_ID);
		plumb_region_begin(region);
		work(seconds);
		plumb_region_end(region, counts);
		inside = clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
		/* Half of what is in it, and of what is before it: on a busy host, the clocks
		 * differ by milliseconds. */
		assert_true(counts[0].count * 1e-9 >= 0.5 * seconds);
		assert_true(counts[0].count * 1e-9 <= inside + 0.01);
		assert_true(counts[0].running_ns == counts[0].enabled_ns);
		/* A single read says the same; software events take a system call. */
		assert_int_equal(plumb_region_read(region, 0, &read), 0);
		assert_true((double)read == counts[0].count);
		assert_false(plumb_region_reads_directly(region, 0));
		assert_int_equal(plumb_region_read(region, 2, &read), PLUMB_ERR_ARGUMENT);
		assert_true(counts[1].count >= 0 && counts[1].count < 100);
	}
	/* New pages cause faults only in the second region. */
	if (error == 0) {
		const size_t pages = 256, shadow = pages / 8,
			     size = pages * (size_t)sysconf(_SC_PAGESIZE);
		char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);

		assert_true(memory != MAP_FAILED);
		plumb_region_begin(region);
		for (size_t i = 0; i < size; i += 512)
			((volatile char *)memory)[i] = 1;
		plumb_region_end(region, counts);
		/* The kernel's large pages may reduce them; ASan's shadow memory adds an eighth. */
		assert_true(counts[1].count >= 1);
		assert_true(counts[1].count <= (double)(pages + shadow + 8));
		munmap(memory, size);
	}
	plumb_region_close(region);
	release(&asked);
	plumb_source_close(source);
	if (cannot(error))
		skip_because("the kernel lets nobody count here");
	assert_int_equal(error, 0);
}

static void the_model_has_no_regions(void **state)
{
	struct plumb_source *source = open_model();
	struct plumb_region *region;
	struct asked asked;

	(void)state;
	ask(&asked, source, "cycles");
	assert_int_equal(plumb_region_open(source, asked.plan, &region, diagnostics),
			 PLUMB_ERR_UNSUPPORTED);
	assert_string_equal(last_message(),
			    "the model counts programs that it runs itself, not this thread");
	assert_null(region);
	plumb_region_close(region);
	release(&asked);
	plumb_source_close(source);
}

static int set_up(void **state)
{
	(void)state;
	diagnostics = plumb_diagnostics_new();
	return diagnostics ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	plumb_diagnostics_free(diagnostics);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_answers),
		cmocka_unit_test(perf_answers),
		cmocka_unit_test(a_command_is_counted),
		cmocka_unit_test(older_callers_are_served),
		cmocka_unit_test(what_cannot_be_run_is_told_apart),
		cmocka_unit_test(what_runs_is_cancelled),
		cmocka_unit_test(a_recording_is_cancelled),
		cmocka_unit_test(regions_count_what_is_in_them),
		cmocka_unit_test(the_model_has_no_regions),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
