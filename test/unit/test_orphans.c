/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of threads that a fork left behind, in the child. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#include "qemu/orphans.h"

#define SECONDS 20 /* until a child that waits for ever is ended */

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t imported = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive;
static sem_t locked, done;
static _Atomic bool has;

static void *hold_all(void *user)
{
	pthread_mutex_lock(&normal);
	pthread_mutex_lock(&imported);
	pthread_mutex_lock(&recursive);
	pthread_mutex_lock(&recursive);
	sem_post(&locked);
	sem_wait(&done);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&recursive);
	pthread_mutex_unlock(&imported);
	pthread_mutex_unlock(&normal);
	return user;
}

static void *try_normal(void *user)
{
	*(int *)user = pthread_mutex_trylock(&normal);
	return user;
}

/* Returns the number of the first thing that is wrong, or 0. */
static int take_over(void)
{
	pthread_t other;
	int error = 0;

	if (orphans_lock(&normal))
		return 1;
	for (unsigned i = 0; i < 2; i++)
		if (orphans_lock(&recursive))
			return 1;
	/* Both are held by a thread of this process now. */
	if (pthread_create(&other, NULL, try_normal, &error) || pthread_join(other, NULL) ||
	    error != EBUSY)
		return 2;
	for (unsigned i = 0; i < 2; i++)
		if (pthread_mutex_unlock(&recursive))
			return 3;
	if (pthread_mutex_unlock(&recursive) != EPERM)
		return 3;
	if (pthread_mutex_unlock(&normal) || orphans_lock(&normal))
		return 4;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	/* As QEMU calls it. Sanitizers have a function of that name in the program itself. */
	orphans_forked();
	if (pthread_mutex_lock(&imported))
		return 5;
#endif
	return 0;
}

static void child_takes_over(void **state)
{
	pthread_mutexattr_t attributes;
	pthread_t holder;
	int status;
	pid_t child;

	(void)state;
#ifndef __GLIBC__
	skip();
#endif
	/* QEMU, which a cross-built test runs in, fails after forks of programs with threads. */
	if (getenv("MESON_EXE_WRAPPER"))
		skip();
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attributes);
	assert_int_equal(sem_init(&locked, 0, 0), 0);
	assert_int_equal(sem_init(&done, 0, 0), 0);
	assert_int_equal(pthread_create(&holder, NULL, hold_all, NULL), 0);
	assert_int_equal(sem_wait(&locked), 0);
	child = fork();
	if (child == 0) {
		alarm(SECONDS);
		_exit(take_over());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	sem_post(&done);
	assert_int_equal(pthread_join(holder, NULL), 0);
}

static void *lock_normal(void *user)
{
	sem_post(&locked);
	if (orphans_lock(&normal))
		return NULL;
	has = true;
	pthread_mutex_unlock(&normal);
	(void)user;
	return &normal;
}

/* A thread of this process that holds a lock is waited for. */
static void waits_for_the_living(void **state)
{
	const struct timespec while_it_waits = {.tv_nsec = 20000000};
	pthread_t other;
	void *result;

	(void)state;
	assert_int_equal(sem_init(&locked, 0, 0), 0);
	assert_int_equal(orphans_lock(&normal), 0);
	assert_int_equal(pthread_create(&other, NULL, lock_normal, NULL), 0);
	assert_int_equal(sem_wait(&locked), 0);
	nanosleep(&while_it_waits, NULL);
	assert_false(has);
	assert_int_equal(pthread_mutex_unlock(&normal), 0);
	assert_int_equal(pthread_join(other, &result), 0);
	assert_non_null(result);
	assert_true(has);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_takes_over),
		cmocka_unit_test(waits_for_the_living),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
