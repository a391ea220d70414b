/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <pthread.h>
#include <sched.h>

#include "base/threads.h"

static void *note_cpus(void *user)
{
	cpu_set_t *cpus = user;

	CPU_ZERO(cpus);
	return cpus;
}

static void a_thread_runs_and_may_use_all_cpus(void **state)
{
	cpu_set_t all, found;
	pthread_t thread;
	void *result;

	(void)state;
	memset(&found, 0xff, sizeof(found));
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_true(threads_start(&thread, note_cpus, &found));
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, &found);
	assert_int_equal(CPU_COUNT(&found), 0);
	/* This thread's own CPUs are as before. */
	assert_int_equal(sched_getaffinity(0, sizeof(found), &found), 0);
	assert_true(CPU_EQUAL(&found, &all));
}

static pthread_barrier_t started;

static void *find_cpus(void *user)
{
	cpu_set_t *cpus = user;

	pthread_barrier_wait(&started);
	assert_int_equal(sched_getaffinity(0, sizeof(*cpus), cpus), 0);
	return NULL;
}

static void it_stays_on_no_cpu(void **state)
{
	cpu_set_t all, found;
	pthread_t thread;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(pthread_barrier_init(&started, NULL, 2), 0);
	assert_true(threads_start(&thread, find_cpus, &found));
	pthread_barrier_wait(&started);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(CPU_EQUAL(&found, &all));
	pthread_barrier_destroy(&started);
}

/* With one CPU there is no other one. */
static void it_starts_where_there_is_one_cpu(void **state)
{
	cpu_set_t all, one, found;
	pthread_t thread;
	unsigned cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(threads_to_use(0), 1);
	assert_true(threads_start(&thread, note_cpus, &found));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(CPU_COUNT(&found), 0);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_and_may_use_all_cpus),
		cmocka_unit_test(it_stays_on_no_cpu),
		cmocka_unit_test(it_starts_where_there_is_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
