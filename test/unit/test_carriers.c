/* SPDX-License-Identifier: Apache-2.0 */
/* Host threads that execute each other's work: registers, stacks, and thread-local variables. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"

#include "qemu/carriers.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct work first, second;
static __thread unsigned mine;
static _Atomic bool second_waits;
static pid_t second_goes_on_at, second_is_home_at;
static unsigned second_has;
static int second_errno;

static pid_t host_thread(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* Leaves the host thread to `next`, or to nothing. */
static void suspend(struct work *self, struct work *next)
{
	struct carrier *carrier;

	pthread_mutex_lock(&lock);
	carrier = work_suspend(self, next, false);
	pthread_mutex_unlock(&lock);
	work_leave(self, carrier, next);
}

static void resume(struct work *work)
{
	struct carrier *carrier;

	pthread_mutex_lock(&lock);
	carrier = work_resume(work);
	pthread_mutex_unlock(&lock);
	assert_non_null(carrier);
	carrier_wake(carrier);
}

static void go_home(struct work *self)
{
	struct carrier *carrier, *woken;

	pthread_mutex_lock(&lock);
	carrier = work_go_home(self, &woken);
	pthread_mutex_unlock(&lock);
	if (woken)
		carrier_wake(woken);
	work_leave(self, carrier, NULL);
}

static void *do_second(void *user)
{
	unsigned here = 22;

	mine = 2;
	errno = ERANGE;
	work_begin(&second);
	atomic_store(&second_waits, true);
	suspend(&second, NULL);
	second_errno = errno;
	second_goes_on_at = host_thread();
	second_has = mine * 100 + here;
	resume(&first); /* on the host thread that this one has left */
	go_home(&second);
	second_is_home_at = host_thread();
	return user;
}

/* Waits until a thread is suspended, so that others can go on with it. */
static void await_suspended(struct work *work, const _Atomic bool *begun)
{
	bool done = false;

	while (!done) {
		pthread_mutex_lock(&lock);
		done = atomic_load(begun) && work_can_follow(work, &first);
		pthread_mutex_unlock(&lock);
	}
}

/* A work goes on only where the same signals are blocked as at home. */
static void check_blocked(void)
{
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &one, NULL);
	work_note_blocked(&first);
	assert_false(work_can_follow(&second, &first));
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	work_note_blocked(&first);
	assert_true(work_can_follow(&second, &first));
}

static void goes_on_elsewhere(void **state)
{
	pthread_t other;
	pid_t second_home;

	(void)state;
	if (!carriers_work())
		skip();
	mine = 1;
	work_begin(&first);
	assert_true(work_is_at_home(&first));
	assert_int_equal(pthread_create(&other, NULL, do_second, NULL), 0);
	await_suspended(&second, &second_waits);
	check_blocked();
	second_home = second.home.tid;
	assert_int_not_equal(second_home, host_thread());
	suspend(&first, &second);
	go_home(&first);
	assert_int_equal(host_thread(), first.home.tid);
	assert_int_equal(mine, 1);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(second_goes_on_at, first.home.tid);
	assert_int_equal(second_errno, ERANGE);
	assert_int_equal(second_has, 222);
	assert_int_equal(second_is_home_at, second_home);
	assert_int_equal(work_tid(&second), second_home);
}

static void stays_off(void **state)
{
	(void)state;
	carriers_stop();
	assert_false(carriers_work());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_on_elsewhere),
		cmocka_unit_test(stays_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
