/* SPDX-License-Identifier: Apache-2.0 */
/* Records that go from one thread to another one. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#include "qemu/belt.h"

#define RECORDS    200000
#define WORDS_MOST 40

/* Only the thread that takes changes these; others read them after a drain. */
static uint64_t taken, wrong;
static bool slow;
static cpu_set_t used; /* processors, when the first record was taken */

static void sleep_a_little(void)
{
	const struct timespec time = {.tv_nsec = 50000};

	nanosleep(&time, NULL);
}

/* A record has its length, its number, and then that again. */
static size_t take(const uint64_t *record)
{
	const size_t words = (size_t)record[0];

	if (!taken)
		assert_false(sched_getaffinity(0, sizeof(used), &used));
	for (size_t i = 1; i < words; i++)
		wrong += record[i] != taken;
	taken++;
	if (slow && taken % 1024 == 0)
		sleep_a_little();
	return words;
}

static void put(uint64_t number, size_t words, size_t room)
{
	uint64_t *record = belt_room(room);

	record[0] = words;
	for (size_t i = 1; i < words; i++)
		record[i] = number;
	belt_put(words);
}

/* Puts records of all lengths; drains now and then, and waits before some. */
static void put_all(bool slowly, unsigned drain_each)
{
	const uint64_t first = taken;

	for (uint64_t i = 0; i < RECORDS; i++) {
		const size_t words =
			i % 9973 ? 1 + (size_t)(i * 7919 % WORDS_MOST) : BELT_RECORD_MAX;

		put(first + i, words, words + i % 3 < BELT_RECORD_MAX ? words + i % 3 : words);
		if (slowly && i % 1024 == 0)
			sleep_a_little();
		if (drain_each && i % drain_each == 0) {
			belt_drain();
			assert_int_equal(taken, first + i + 1);
		}
	}
	belt_drain();
	assert_int_equal(taken, first + RECORDS);
	assert_int_equal(wrong, 0);
}

/* The program's thread may use one processor, the other one all. */
static void all_arrive_in_order(void **state)
{
	cpu_set_t all, one;
	int first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	belt_allow(&all);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_true(belt_start(take));
	belt_drain(); /* nothing */
	put_all(false, 0);
	assert_true(CPU_EQUAL(&used, &all));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void a_slow_side_is_waited_for(void **state)
{
	(void)state;
	slow = true;
	put_all(false, 0);
	slow = false;
	put_all(true, 0);
}

static void drains_leave_nothing(void **state)
{
	(void)state;
	put_all(false, 37);
	put_all(false, 1000);
}

static void a_forked_child_has_its_own(void **state)
{
	int status;
	pid_t child;

	(void)state;
	/* QEMU, which a cross-built test runs in, fails after forks of programs with threads. */
	if (getenv("MESON_EXE_WRAPPER"))
		skip();
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		alarm(60);
		belt_forked();
		if (!belt_start(take))
			_exit(2);
		put(taken, 3, 3);
		belt_drain();
		_exit(wrong || taken % RECORDS != 1);
	}
	put(taken, 5, 5);
	belt_drain();
	assert_int_equal(taken % RECORDS, 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive_in_order),
		cmocka_unit_test(a_slow_side_is_waited_for),
		cmocka_unit_test(drains_leave_nothing),
		cmocka_unit_test(a_forked_child_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
