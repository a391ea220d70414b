/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/dozers.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu/calls.h"
#include "qemu/guest.h"

#define ALTERED_BITS 1u /* of a word, so that the kernel does not find it as the call says */

static _Atomic bool stopped;

static bool is_private(const uint64_t arguments[6])
{
	return arguments[1] & FUTEX_PRIVATE_FLAG;
}

static bool wakes(int64_t number, const uint64_t arguments[6])
{
	return calls_wake_on(number, arguments) && is_private(arguments) &&
	       ((arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAKE || (uint32_t)arguments[5]);
}

static bool waits(int64_t number, const uint64_t arguments[6])
{
	uint32_t value;

	/* Whoever cannot be told to sleep sleeps at home. */
	return calls_sleep_on(number, arguments) && calls_keep_order(arguments) && !arguments[3] &&
	       !(arguments[0] % sizeof(uint32_t)) &&
	       guest_read(arguments[0], &value, sizeof(value));
}

bool dozers_may_serve(int64_t number, const uint64_t arguments[6])
{
	return !atomic_load(&stopped) && !order.over && carriers_work() &&
	       (waits(number, arguments) || wakes(number, arguments));
}

/* ---- Going to sleep --------------------------------------------------------------------------
 */

/* Whether a thread sleeps in the kernel where another one is to doze, or may do so. */
static bool sleeps_at(const struct thread *thread, uint64_t address)
{
	return thread->state == STATE_SLEEPS && !thread->dozes && thread->call == CALL_FUTEX &&
	       (!thread->futex || thread->futex == address);
}

static bool dozes_at(const struct thread *thread, uint64_t address)
{
	return thread->dozes && thread->futex == address;
}

bool dozers_take(struct thread *thread)
{
	bool alone = order.present > 1 && thread->turn.replaceable &&
		     !atomic_load(&thread->work.signalled) &&
		     dozers_may_serve(thread->call, thread->arguments);

	for (unsigned i = 0; alone && i < order.count; i++)
		alone = !sleeps_at(order.threads[i], thread->futex);
	for (unsigned i = 0; !alone && i < order.count; i++)
		if (dozes_at(order.threads[i], thread->futex))
			dozers_stop(); /* the kernel does not know which of them to wake first */
	if (!alone)
		return false;
	thread->dozes = true;
	thread->woken = false;
	return true;
}

/* ---- Waking ----------------------------------------------------------------------------------
 */

static void wake(struct thread *thread, bool woken)
{
	thread->dozes = false;
	thread->woken = woken;
	order_join(thread);
	order_end_alone();
}

static struct thread *first_at(uint64_t address)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < order.count; i++)
		if (dozes_at(order.threads[i], address) &&
		    (!first || order.threads[i]->asleep < first->asleep))
			first = order.threads[i];
	return first;
}

static struct thread *first_of_all(void)
{
	struct thread *first = NULL;

	for (unsigned i = 0; i < order.count; i++)
		if (order.threads[i]->dozes && (!first || order.threads[i]->asleep < first->asleep))
			first = order.threads[i];
	return first;
}

void dozers_stop(void)
{
	struct thread *next;

	atomic_store(&stopped, true);
	while ((next = first_of_all()))
		wake(next, true);
}

/*
 * Wakes as many as the kernel would: at least one. If the caller cannot be told how many, the
 * kernel's 0 has to be true: all wake without a reason, and from then on the kernel counts.
 */
static void wake_at(struct thread *caller, uint64_t address, int most)
{
	int64_t count = 0;
	struct thread *next;

	if (!caller->turn.replaceable && first_at(address)) {
		dozers_stop();
		return;
	}
	while ((count < most || !count) && (next = first_at(address))) {
		wake(next, true);
		count++;
	}
	if (!count)
		return;
	caller->turn.replaced = true;
	caller->turn.result = count;
}

void dozers_call(struct thread *caller)
{
	const uint64_t *arguments = caller->arguments;

	if (caller->call != CALL_FUTEX || !is_private(arguments))
		return;
	switch (arguments[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		if (wakes(caller->call, arguments))
			wake_at(caller, arguments[0], (int)arguments[2]);
		return;
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return;
	default:
		dozers_stop();
	}
}

/* ---- Being awake -----------------------------------------------------------------------------
 */

static bool has_value(uint64_t address, uint32_t expected)
{
	uint32_t value;

	return guest_read(address, &value, sizeof(value)) && value == expected;
}

bool dozers_awake(struct thread *thread)
{
	const uint32_t slept_for = (uint32_t)thread->arguments[2];

	thread->dozes = false;
	if (!thread->woken && !order.over)
		return false;
	thread->turn.replaced = true;
	thread->turn.result = 0;
	if (!has_value(thread->futex, slept_for))
		return true;
	/* Nobody else executes until the call has returned, so that nobody sees this. */
	thread->altered = !order.over && guest_flip(thread->futex, ALTERED_BITS);
	if (!thread->altered) {
		atomic_store(&thread->strays, true);
		order_call_lookout();
	}
	return true;
}

void dozers_returned(struct thread *thread)
{
	atomic_store(&thread->strays, false);
	if (thread->altered)
		guest_flip(thread->futex, ALTERED_BITS);
	thread->altered = false;
}

void dozers_look_for_signals(void)
{
	order_lock();
	for (unsigned i = 0; i < order.count; i++)
		if (order.threads[i]->dozes && atomic_load(&order.threads[i]->work.signalled))
			wake(order.threads[i], false);
	order_unlock();
}

bool dozers_wake_in_kernel(void)
{
	bool any = false;

	for (unsigned i = 0; i < order.count; i++) {
		struct thread *thread = order.threads[i];

		if (!atomic_load(&thread->strays))
			continue;
		any = true;
		syscall(SYS_futex, thread->futex, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	}
	return any;
}
