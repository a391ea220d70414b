/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/window.h"

#include <signal.h>
#include <unistd.h>

#include "qemu/mappings.h"

/* An end of the window, and where it is once its code is mapped; 0: not yet. */
struct end {
	struct window_place place;
	_Atomic uint64_t address;
};

static struct model_window *window;
static struct window_request asked;
static struct end from, to;
static bool active;

static void set_end(struct end *end, struct window_place place)
{
	end->place = place;
	atomic_store(&end->address, place.in_file ? 0 : place.value);
}

void window_set_up(struct model_shared *shared, const struct window_request *request)
{
	asked = *request;
	active = asked.from.value || asked.to.value || asked.delay || asked.timeout ||
		 asked.instructions;
	window = &shared->window;
	set_end(&from, asked.from);
	set_end(&to, asked.to);
}

bool window_asked(void)
{
	return active;
}

/* ---- places ------------------------------------------------------------------------------- */

static void find_end(struct end *end, const struct mapping *mapping)
{
	uint64_t offset = end->place.value;

	if (offset && end->place.in_file && offset >= mapping->offset &&
	    offset - mapping->offset < mapping->to - mapping->from)
		atomic_store(&end->address, mapping->from + (offset - mapping->offset));
}

/* Finds where the program's file is mapped, once for each mapping with code. */
static void find_ends(uint64_t pc)
{
	static __thread struct known_mappings known;
	struct mapping mapping;

	if (!from.place.in_file && !to.place.in_file)
		return;
	if (mappings_know(&known, pc) || !mappings_find(&known, pc, &mapping) ||
	    mapping.inode != asked.inode)
		return;
	find_end(&from, &mapping);
	find_end(&to, &mapping);
}

/* Shortens `count` so that the block ends before `end`. */
static size_t end_before(const struct end *end, uint64_t pc, size_t count)
{
	uint64_t distance = atomic_load_explicit(&end->address, memory_order_relaxed) - pc;

	return distance && distance < 4 * count ? (distance + 3) / 4 : count;
}

size_t window_piece(uint64_t pc, size_t count)
{
	find_ends(pc);
	return end_before(&from, pc, end_before(&to, pc, count));
}

static bool is_at(const struct end *end, uint64_t pc)
{
	return pc && atomic_load_explicit(&end->address, memory_order_relaxed) == pc;
}

/* ---- open and closed ---------------------------------------------------------------------- */

static bool is_open(uint32_t phase)
{
	return phase & 1;
}

/* The window is closed for good: asks the program to end. The starter enforces it. */
static void end_program(void)
{
	static atomic_flag asked_to_end = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&asked_to_end))
		kill(getpid(), SIGTERM);
}

static void open_window(uint32_t phase, uint64_t cycle)
{
	if (phase == 0)
		atomic_store(&window->ends, asked.timeout ? cycle + asked.timeout : UINT64_MAX);
	if (atomic_compare_exchange_strong(&window->phase, &phase, phase + 1))
		atomic_store(&window->opened, cycle);
}

static void close_window(uint32_t phase, uint64_t cycle)
{
	uint64_t opened = atomic_load(&window->opened);

	/* Threads' clocks differ a little. */
	if (atomic_compare_exchange_strong(&window->phase, &phase, phase + 1) && cycle > opened)
		atomic_fetch_add(&window->cycles, cycle - opened);
}

/* Opens or closes the window when it is time. */
static void turn(uint64_t pc, uint64_t cycle)
{
	uint32_t phase = atomic_load(&window->phase);
	bool over = atomic_load(&window->over);

	if (!is_open(phase)) {
		bool begins = asked.from.value ? is_at(&from, pc) : phase == 0;

		if (begins && !over && cycle >= asked.delay)
			open_window(phase, cycle);
		return;
	}
	if (cycle >= atomic_load_explicit(&window->ends, memory_order_relaxed)) {
		atomic_store(&window->over, 1);
		over = true;
	}
	if (over || is_at(&to, pc))
		close_window(phase, cycle);
}

/* ---- each thread's counts ----------------------------------------------------------------- */

bool window_thread_begins(struct model_thread_counts *counts)
{
	bool open = is_open(atomic_load(&window->phase));

	atomic_store(&counts->closed, !open);
	return open;
}

/* What was counted since it was closed is not counted. Each count is right at any moment. */
static void enter(struct model_thread_counts *counts)
{
	for (unsigned e = 0; e < MODEL_COUNTS; e++) {
		counts->skipped[e] += counts->counts[e] - counts->at_close[e];
		counts->at_close[e] = counts->counts[e];
	}
	atomic_store(&counts->closed, 0);
}

static void leave(struct model_thread_counts *counts)
{
	for (unsigned e = 0; e < MODEL_COUNTS; e++)
		counts->at_close[e] = counts->counts[e];
	atomic_store(&counts->closed, 1);
}

bool window_reached(struct core *core, struct model_thread_counts *counts, uint64_t pc,
		    uint64_t cycle)
{
	bool open;

	turn(pc, cycle);
	open = is_open(atomic_load_explicit(&window->phase, memory_order_relaxed));
	if (open != (atomic_load_explicit(&counts->closed, memory_order_relaxed) != 0))
		return false;
	core_counts(core);
	if (open)
		enter(counts);
	else
		leave(counts);
	/* This comes after the counts are there, because the starter may end it at once. */
	if (!open && atomic_load(&window->over))
		end_program();
	return true;
}

bool window_only_ends(void)
{
	return !active || (is_open(atomic_load_explicit(&window->phase, memory_order_relaxed)) &&
			   !asked.from.value && !asked.to.value && !asked.delay && !asked.timeout &&
			   !atomic_load_explicit(&window->over, memory_order_relaxed));
}

void window_pass(uint64_t executed)
{
	if (asked.instructions)
		atomic_fetch_add(&window->instructions, executed);
}

unsigned window_take(const struct model_thread_counts *counts, unsigned executed)
{
	uint64_t before;

	if (!asked.instructions || atomic_load_explicit(&counts->closed, memory_order_relaxed))
		return executed;
	before = atomic_fetch_add(&window->instructions, executed);
	if (before + executed < asked.instructions)
		return executed;
	atomic_store(&window->over, 1);
	return before < asked.instructions ? (unsigned)(asked.instructions - before) : 0;
}
