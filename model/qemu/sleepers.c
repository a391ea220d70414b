/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/sleepers.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "qemu/calls.h"
#include "qemu/guest.h"
#include "qemu/pause.h"

#define POLL_NS 20000
#define PAUSES  40 /* between two looks, where the host has enough processors */

/* Looks at whether a thread sleeps on a futex, before it is found out what it does instead. */
#define ENTERS_LOOKS 16
/* Looks at a thread that is kept from it, before it is taken for stuck. */
#define STUCK_LOOKS 1000
/* Looks at whether those that a call has woken are back, before it is found out who sleeps. */
#define COUNTED_LOOKS 500

static uint64_t falls; /* asleep */

bool sleepers_falls_asleep(struct thread *thread)
{
	const uint64_t address = calls_sleep_on(thread->call, thread->arguments);
	uint32_t value;

	if (!address || !guest_read(address, &value, sizeof(value)) ||
	    value != (uint32_t)thread->arguments[2])
		return false;
	thread->futex = address;
	thread->asleep = ++falls;
	return true;
}

static bool sleeps_on(const struct thread *thread, uint64_t address)
{
	return thread->state == STATE_SLEEPS && !thread->dozes && thread->futex == address;
}

/* Returns how many sleep on a private futex: the kernel counts those that it moves to itself. */
static long sleepers_on(uint64_t address)
{
	return syscall(SYS_futex, address, FUTEX_REQUEUE_PRIVATE, 0, INT_MAX, address, 0);
}

/* Whether the kernel has the one that enters among those that sleep. With the lock held. */
static bool has_entered(unsigned *looks)
{
	struct thread *entering = order.entering;
	enum host_state host;
	long expected = 0;

	if (entering->state != STATE_SLEEPS || atomic_load(&entering->here))
		return true;
	for (unsigned i = 0; i < order.count; i++)
		expected += sleeps_on(order.threads[i], entering->futex);
	if (calls_keep_order(entering->arguments) && sleepers_on(entering->futex) >= expected)
		return true;
	if (++*looks < ENTERS_LOOKS)
		return false;
	/* However long the host takes to run it; but QEMU may keep it until others have stopped. */
	host = order_host_state(entering);
	*looks -= host == HOST_BUSY;
	return host == HOST_ASLEEP || host == HOST_GONE || *looks >= STUCK_LOOKS;
}

void sleepers_await_entered(void)
{
	const struct timespec pause = {.tv_nsec = POLL_NS / 4};
	unsigned looks = 0;

	order_lock();
	while (order.entering && !order.over && !has_entered(&looks)) {
		if (looks < ENTERS_LOOKS / 2 && order.processors > 1)
			for (unsigned i = 0; i < PAUSES; i++)
				host_pause();
		else
			nanosleep(&pause, NULL);
	}
	order.entering = NULL;
	order_unlock();
}

/* Marks whom the call may wake. */
static void prepare_to_wake(const struct thread *caller)
{
	const uint64_t address = calls_wake_on(caller->call, caller->arguments);

	for (unsigned i = 0; address && i < order.count; i++)
		order.threads[i]->awaited = sleeps_on(order.threads[i], address);
}

/* The call may move those that sleep on a futex to another one. */
static void move_sleepers(const struct thread *caller)
{
	const uint64_t address = calls_move_from(caller->call, caller->arguments);

	for (unsigned i = 0; address && i < order.count; i++)
		if (order.threads[i]->futex == address)
			order.threads[i]->futex = 0;
}

void sleepers_call(const struct thread *caller)
{
	prepare_to_wake(caller);
	move_sleepers(caller);
}

/* Counts those that the call may have woken, and how many of them are back. With the lock held. */
static int64_t count_awaited(int64_t *back)
{
	int64_t count = 0;

	*back = 0;
	for (unsigned i = 0; i < order.count; i++) {
		const struct thread *thread = order.threads[i];

		count += thread->awaited;
		*back += thread->awaited && thread->state != STATE_SLEEPS;
	}
	return count;
}

bool sleepers_await_counted(const struct thread *caller)
{
	if (!calls_wake_on(caller->call, caller->arguments))
		return false;
	for (unsigned looks = 0; !order.over && looks < COUNTED_LOOKS; looks++) {
		const uint32_t seen = order_news();
		int64_t count, back;

		order_lock();
		count = count_awaited(&back);
		order_unlock();
		if (count < caller->result)
			return false; /* others came from elsewhere */
		if (back >= caller->result)
			return true;
		order_listen(seen, POLL_NS);
	}
	return order.over;
}

/* Whether it is known who sleeps on a futex, and in which order. */
static bool knows_sleepers(uint64_t address)
{
	for (unsigned i = 0; i < order.count; i++) {
		const struct thread *thread = order.threads[i];

		if (thread->state != STATE_SLEEPS || thread->dozes || thread->call != CALL_FUTEX)
			continue;
		if (!thread->futex ||
		    (thread->futex == address && !calls_keep_order(thread->arguments)))
			return false;
	}
	return true;
}

static struct thread *first_asleep(uint64_t address)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < order.count; i++)
		if (sleeps_on(order.threads[i], address) &&
		    (!first || order.threads[i]->asleep < first->asleep))
			first = order.threads[i];
	return first;
}

bool sleepers_put_back(const struct thread *caller)
{
	const uint64_t address = calls_wake_on(caller->call, caller->arguments);
	int64_t back;

	if (!address || !calls_keep_order(caller->arguments) || !knows_sleepers(address))
		return false;
	count_awaited(&back); /* some may have been quicker than the caller */
	for (int64_t left = caller->result - back; left > 0; left--) {
		struct thread *woken = first_asleep(address);

		if (!woken)
			return false;
		woken->coming = true;
		order_join(woken);
	}
	return true;
}

bool sleepers_left_alone(const struct thread *sleeper, const struct thread *caller)
{
	return sleeper->futex && calls_keep_order(sleeper->arguments) &&
	       calls_leave_futexes(caller->call);
}
