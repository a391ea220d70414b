/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model as a TCG plugin of qemu-aarch64. Blocks are decoded when QEMU translates them; when
 * one executes, the block before it, whose accesses and successor are known by then, goes through
 * the core model of its thread. Counts are kept in memory shared with the starter (shared.h).
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "qemu/aside.h"
#include "qemu/blocks.h"
#include "qemu/calls.h"
#include "qemu/endings.h"
#include "qemu/exec.h"
#include "qemu/guest.h"
#include "qemu/hooks.h"
#include "qemu/lacking.h"
#include "qemu/mappings.h"
#include "qemu/options.h"
#include "qemu/orphans.h"
#include "qemu/registers.h"
#include "qemu/remap.h"
#include "qemu/repeats.h"
#include "qemu/results.h"
#include "qemu/sampled.h"
#include "qemu/sampler.h"
#include "qemu/share.h"
#include "qemu/slots.h"
#include "qemu/start.h"
#include "qemu/timeline.h"
#include "qemu/turns.h"
#include "qemu/window.h"
#include "shared.h"

#define VCPUS_MAX        (1u << 20)    /* QEMU uses a number again only if all above it are free */
#define REMEMBERING_MAX  9             /* threads whose cores remember blocks */
#define REMEMBERED_FIRST (48u << 20)   /* bytes that the first of them may use for that */
#define REMEMBERED_BYTES (8u << 20)    /* bytes that each other one may use */
#define SETTLE_CYCLES    ASIDE_SETTLES /* how far the shared counts may lag: what a crash may lose */

int qemu_plugin_version = PLUMB_QEMU_API;

/* One guest thread: its core, and the block that it is executing. */
struct vcpu {
	struct core *core;
	uint64_t settled;        /* the cycle up to which the shared counts are correct */
	char apart[ASIDE_APART]; /* another host thread may use what is above, and this one the rest
				  */
	struct sampler *sampler; /* NULL: nothing samples */
	struct turn *turn;
	const struct registers *registers; /* what a callback for its blocks was given */
	bool has_registers;                /* something can be read there */
	uint64_t call[6];                  /* arguments of the last system call */
	uint64_t returns_to;               /* the address behind it; 0: not known */
	const struct block *current;       /* NULL: none whose successor is awaited */
	unsigned slot;                     /* in model_shared.threads */
	struct insn_notes notes;
};

static const struct core_params *params;
static struct model_shared *shared;
static struct memory_system *memory_system;
static bool reference;                  /* blocks are executed, never replayed */
static uint32_t what_if_parts;          /* enum what_if, a bit for each */
static struct what_if_systems *what_if; /* NULL: none */
static struct vcpu *vcpus[VCPUS_MAX];   /* pages that are not used take no memory */
static unsigned vcpus_end;              /* none is set from here on; under `lock` */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static qemu_plugin_id_t plugin_id;
static bool counting;
static bool count_children;
static uint64_t base_cycle;            /* model time when this process began to count */
static int64_t mark_call;              /* 0: none */
static uint64_t begins, program_inode; /* time until the program's own code began; 0: none */
static bool started;                   /* the program's first block has been translated */
static _Atomic bool threaded;          /* the program has made a thread */
/* QEMU executes it next in this thread. Each block asks, so it must not take a call. */
static __thread const struct block *just_translated __attribute__((tls_model("initial-exec")));

/* Gives up, and marks what was counted so far as incomplete. */
static void give_up(enum model_gave_up why)
{
	atomic_store(&shared->gave_up, why);
	counting = false;
	turns_over();
}

/*
 * Returns whether the predicate of every predicated instruction is known. What peeking finds with
 * interface 1 is good enough for addresses, but not for counts, since QEMU promises none of it.
 */
static bool reads_predicates(void)
{
	return !REGISTERS_LATE && registers_have_vectors(NULL);
}

static uint64_t *what_if_cycles(int slot)
{
	return shared->threads[slot].counts + EVENT_COUNT;
}

/* Makes what the cores of this process share. Returns false if out of memory. */
static bool make_systems(void)
{
	memory_system = memory_system_new(params);
	what_if = what_if_parts ? what_if_new(params, what_if_parts) : NULL;
	return memory_system && (what_if || !what_if_parts);
}

/* Whether the core may execute blocks in another thread than the program's, as far as samples go.
 */
static bool goes_aside(const struct vcpu *vcpu)
{
	return !vcpu->sampler ||
	       (sampler_only_charges(vcpu->sampler) && !window_asked() && !sampled_asked());
}

/*
 * Makes a core for a thread that executes its first block. Returns NULL, for good, if that is
 * impossible.
 */
static struct vcpu *vcpu_start(unsigned index, const struct registers *registers)
{
	struct vcpu *vcpu = NULL;
	uint64_t made_at;
	int slot = -1;

	if (index >= VCPUS_MAX || !(vcpu = calloc(1, sizeof(*vcpu))) || (slot = slots_take()) < 0)
		goto fail;
	vcpu->slot = (unsigned)slot;
	vcpu->registers = registers;
	registers_set_zero_block(registers);
	made_at = sampler_made_at();
	pthread_mutex_lock(&lock);
	if (index >= vcpus_end)
		vcpus_end = index + 1;
	vcpu->core = core_new(params, memory_system, shared->threads[slot].counts);
	pthread_mutex_unlock(&lock);
	if (!vcpu->core ||
	    (what_if && !what_if_attach(what_if, vcpu->core, what_if_cycles(slot))) ||
	    !(vcpu->turn = turn_begin(index, vcpu->core)))
		goto fail;
	vcpu->notes.accesses.vector_bytes = params->vector_bytes;
	core_set_moving(vcpu->core, &shared->threads[slot].counts[MODEL_MOVING]);
	core_set_unforwarded(vcpu->core, &shared->threads[slot].counts[MODEL_UNFORWARDED]);
	core_set_conditions(vcpu->core, &shared->threads[slot].counts[MODEL_CONDITIONS]);
	core_set_block_finder(vcpu->core, blocks_find, NULL, blocks_shown());
	if (reads_predicates()) {
		core_set_activity(vcpu->core, vcpu->notes.activity);
		atomic_store(&shared->reads_predicates, 1);
	}
	vcpu->sampler = sampler_begin(vcpu->core, vcpu->slot, made_at ? made_at : base_cycle);
	if ((!vcpu->sampler || sampler_has_profiles()) && sampled_leaves_limits() &&
	    !core_set_limits(vcpu->core, shared->threads[slot].counts + MODEL_LIMITS))
		goto fail;
	/* Other samplers look at each block. */
	if ((!vcpu->sampler || sampler_has_profiles()) && index < REMEMBERING_MAX && !reference)
		core_remember(vcpu->core, index ? REMEMBERED_BYTES : REMEMBERED_FIRST);
	if (window_asked() && !window_thread_begins(&shared->threads[slot]) && vcpu->sampler)
		sampler_pause(vcpu->sampler);
	if (!index && goes_aside(vcpu))
		aside_begin(vcpu->core, vcpu, &vcpu->notes, reads_predicates(), &vcpu->settled,
			    !window_asked() && !slots_have_snapshots());
	atomic_fetch_add(&shared->threads_started, 1);
	vcpus[index] = vcpu;
	sampled_begin(index);
	return vcpu;
fail:
	if (vcpu && vcpu->turn)
		turn_go_home(vcpu->turn);
	if (slot >= 0)
		slots_give_back((unsigned)slot);
	give_up(vcpu && slot < 0 ? GAVE_UP_THREADS : GAVE_UP_MEMORY);
	free(vcpu);
	return NULL;
}

/* The thread has ended: adds its counts to those of the finished threads, and frees its slot. */
static void vcpu_end(unsigned index)
{
	struct vcpu *vcpu = vcpus[index];

	slots_note_longest(base_cycle + core_time(vcpu->core));
	core_counts(vcpu->core);
	sampler_free(vcpu->sampler);
	vcpus[index] = NULL;
	slots_add_to_finished(vcpu->slot);
	pthread_mutex_lock(&lock);
	core_free(vcpu->core);
	pthread_mutex_unlock(&lock);
	slots_give_back(vcpu->slot);
	registers_thread_ended();
	free(vcpu);
}

/*
 * How many of a block's instructions executed, when what followed it is none of its successors:
 * a fault stops it before the first instruction whose access is missing.
 */
static unsigned executed_before_fault(const struct block *block, const struct vcpu *vcpu)
{
	const struct accesses *accesses = &vcpu->notes.accesses;
	size_t next = 0;

	for (unsigned i = 0; i < block->count; i++) {
		const struct insn *insn = &block->insns[i];
		bool seen = false;

		while (next < accesses->count && accesses->list[next].insn == i) {
			seen = true;
			next++;
		}
		if (!seen && (insn->memory & (MEM_LOAD | MEM_STORE)) &&
		    !(insn->memory & (MEM_MAY_SKIP | MEM_HIDDEN | MEM_PREFETCH)))
			return i;
	}
	return block->count;
}

static __attribute__((noinline)) void settle_now(struct vcpu *vcpu, uint64_t cycle)
{
	vcpu->settled = cycle;
	core_counts(vcpu->core);
	if (sampled_sums_are_whole())
		slots_snapshot(base_cycle + core_time(vcpu->core));
}

/* Updates the shared counts often, so that a reader, or a crash, finds them nearly correct. */
static inline void settle(struct vcpu *vcpu)
{
	const uint64_t cycle = core_cycle(vcpu->core);

	if (__builtin_expect(cycle - vcpu->settled >= SETTLE_CYCLES, 0))
		settle_now(vcpu, cycle);
}

/*
 * Calls a function that changes what is executed aside. The program's thread and one that a fatal
 * signal woke take turns at that, if there is a profile: none is called once it has ended. With
 * several threads, nothing is.
 */
static void change_aside(void (*change)(void))
{
	const struct vcpu *first = atomic_load(&threaded) ? NULL : vcpus[0];
	struct sampler *sampler = first ? first->sampler : NULL;

	if (sampler && !sampler_enter(sampler))
		return;
	change();
	if (sampler)
		sampler_leave(sampler);
}

static void begin_aside(void)
{
	aside_start(window_only_ends() ? sampled_room() : 0);
}

/* While blocks are only compared: returns whether this one was the one expected. */
static bool goes_on(struct vcpu *vcpu, const struct block *block)
{
	bool expected;

	if (vcpu->sampler && !sampler_enter(vcpu->sampler))
		return false;
	expected = repeats.compares && repeats_goes_on(vcpu->current, block, &vcpu->notes);
	if (expected) {
		vcpu->current = block;
		vcpu->notes.accesses.count = 0;
	} else {
		repeats_stop();
	}
	if (vcpu->sampler)
		sampler_leave(vcpu->sampler);
	return expected;
}

/* Sends a block through the core. */
static void execute(struct vcpu *vcpu, const struct aside_block *done)
{
	(sampled_asked() ? sampled_execute : core_execute)(vcpu->core, done->block, done->executed,
							   done->accesses, done->access_count,
							   done->next_pc);
	if (!done->follows)
		core_exception(vcpu->core); /* a signal's handler runs, or returns */
	if (vcpu->sampler)
		sampler_block_done(vcpu->sampler);
	settle(vcpu);
}

/* The same, in another thread than the program's: sampled_room(). */
static void execute_aside(void *user, const struct aside_block *done)
{
	struct vcpu *vcpu = user;

	timeline_note(done->block, done->executed, 0);
	core_execute(vcpu->core, done->block, done->executed, done->accesses, done->access_count,
		     done->next_pc);
	if (!done->follows)
		core_exception(vcpu->core);
	if (vcpu->sampler)
		sampler_block_done(vcpu->sampler);
	settle(vcpu);
}

/* Has the block that was executing go through the core, now that `next_pc` is known. */
static void finish_block(struct vcpu *vcpu, uint64_t next_pc)
{
	struct aside_block done = {.block = vcpu->current,
				   .executed = vcpu->current->count,
				   .accesses = vcpu->notes.accesses.list,
				   .access_count = vcpu->notes.accesses.count,
				   .next_pc = next_pc,
				   .follows = blocks_may_follow(vcpu->current, next_pc)};

	if (!done.follows)
		done.executed = executed_before_fault(done.block, vcpu);
	if (window_asked())
		done.executed = window_take(&shared->threads[vcpu->slot], done.executed);
	vcpu->current = NULL;
	if (!aside.runs || !aside_pass(&done))
		execute(vcpu, &done);
	vcpu->notes.accesses.count = 0;
	vcpu->notes.predicated = false;
}

static void note_error(enum accesses_error error)
{
	if (error == ACCESSES_UNKNOWN)
		atomic_fetch_add_explicit(&shared->hidden_accesses, 1, memory_order_relaxed);
	else if (error == ACCESSES_FULL)
		atomic_fetch_add_explicit(&shared->dropped_accesses, 1, memory_order_relaxed);
}

/* The thread reaches `pc`: its counts and samples may begin or end there. */
static void turn_window(struct vcpu *vcpu, uint64_t pc)
{
	struct model_thread_counts *counts = &shared->threads[vcpu->slot];
	uint64_t cycle = base_cycle + core_time(vcpu->core);

	if (!window_reached(vcpu->core, counts, pc, cycle))
		return;
	if (atomic_load(&counts->closed))
		sampled_end(vcpu->core);
	if (!vcpu->sampler)
		return;
	if (atomic_load(&counts->closed))
		sampler_pause(vcpu->sampler);
	else
		sampler_resume(vcpu->sampler, pc, counts->skipped);
}

/* The thread is back from a system call, at `pc`. */
static void replace_result(struct vcpu *vcpu, uint64_t pc)
{
	struct turn *turn = vcpu->turn;

	/* The handler of a signal has registers of its own. */
	if (turn->replaced && pc == vcpu->returns_to)
		results_set(vcpu->registers, turn->returned, turn->result);
	turn->replaced = false;
}

void block_executes(unsigned index, void *user, const struct registers *registers)
{
	const struct block *block = user;
	struct vcpu *vcpu = index < VCPUS_MAX ? vcpus[index] : NULL;

	if (repeats.compares && vcpu && goes_on(vcpu, block))
		return;
	if (sampled_skips(block))
		return;
	if (!counting) {
		/* From here on, nobody else makes the thread's host thread its own again. */
		if (vcpu)
			turn_go_home(vcpu->turn);
		return;
	}
	if (!vcpu && !(vcpu = vcpu_start(index, registers)))
		return;
	if (vcpu->turn->away) {
		turn_back(vcpu->turn, false);
		replace_result(vcpu, block->pc);
		if (!counting)
			return;
	}
	if (!block->shown)
		blocks_show(block);
	if (vcpu->sampler && !sampler_enter(vcpu->sampler)) {
		/* The profile has ended: what the thread still executes belongs to no block. */
		vcpu->current = NULL;
		vcpu->notes.accesses.count = 0;
		return;
	}
	if (sampled_asked())
		sampled_returns(vcpu->core, block);
	if (vcpu->current) {
		/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): used by some interfaces */
		const struct block *before = vcpu->current;

		if (REGISTERS_LATE && before->insns[before->count - 1].memory & MEM_HIDDEN)
			note_error(
				hooks_derive(&vcpu->notes, before, before->count - 1u, registers));
		finish_block(vcpu, block->pc);
	}
	if (sampled_asked() && sampled_is_bare(block)) {
		if (vcpu->sampler)
			sampler_leave(vcpu->sampler);
		return;
	}
	if (aside.runs && !window_only_ends())
		aside_stop();
	if (window_asked() && !aside.runs)
		turn_window(vcpu, block->pc);
	if (block == just_translated) {
		registers_check(registers, block->pc);
		just_translated = NULL;
	}
	if (vcpu->sampler) {
		/* What is told of a mapping comes after what was counted before. */
		if (aside.runs && !sampler_knows(vcpu->sampler, block->pc))
			aside_stop();
		sampler_block_begins(vcpu->sampler, block, registers);
	}
	vcpu->current = block;
	if (vcpu->sampler)
		sampler_leave(vcpu->sampler);
	if (!aside.runs)
		turn_check(vcpu->turn, vcpu->core);
	if (aside_is_due())
		change_aside(begin_aside);
}

void insn_executes(unsigned index, void *user, const struct registers *registers)
{
	struct vcpu *vcpu = index < VCPUS_MAX ? vcpus[index] : NULL;
	unsigned hooks = (unsigned)(uintptr_t)user, number = hooks & 0xffff;

	if (hooks & HOOK_START)
		start_program(registers, params->features);
	if (!counting || !vcpu || !vcpu->current)
		return;
	if (hooks & HOOK_VECTOR)
		hooks_keep_vector(&vcpu->notes, vcpu->current, number, registers);
	if (hooks & HOOK_DERIVE) {
		sampled_unreported++;
		note_error(hooks_derive(&vcpu->notes, vcpu->current, number, registers));
	}
	if (hooks & HOOK_PREDICATE)
		hooks_note_predicate(&vcpu->notes, vcpu->current, number, registers);
}

/* Beside the number of an instruction: it stores; and the log2 of accesses_only(). */
#define STORES     0x10000u
#define ONLY_SHIFT 17

static inline void note_access(unsigned index, uint64_t address, unsigned bytes, unsigned number,
			       bool only)
{
	struct vcpu *vcpu = index < VCPUS_MAX ? vcpus[index] : NULL;
	const unsigned insn = number & (STORES - 1);

	if (sampled_touches)
		memory_touch(sampled_touches, address, number & STORES ? bytes : 0);
	else if (counting && vcpu && vcpu->current)
		note_error(only ? accesses_append(&vcpu->notes.accesses, insn, address, bytes)
				: accesses_add(&vcpu->notes.accesses, insn, address, bytes));
}

static void memory_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	note_access(index, address, 1u << qemu_plugin_mem_size_shift(info),
		    (unsigned)(uintptr_t)user, false);
}

/* Likewise, if it is known to be the instruction's only access, of these bytes. */
static void only_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	const unsigned number = (unsigned)(uintptr_t)user;

	(void)info;
	note_access(index, address, 1u << (number >> ONLY_SHIFT), number, true);
}

static void atomic_accessed(unsigned index, qemu_plugin_meminfo_t info, uint64_t address,
			    void *user)
{
	const unsigned bytes = 1u << qemu_plugin_mem_size_shift(info);

	if (address & (bytes - 1))
		atomic_fetch_or_explicit(&shared->outside, OUTSIDE_UNALIGNED, memory_order_relaxed);
	note_access(index, address, bytes, (unsigned)(uintptr_t)user, false);
}

/* Has QEMU call back when an instruction accesses memory, or registers are needed. */
static void instrument(struct qemu_plugin_insn *insn, const struct block *block, unsigned number)
{
	unsigned memory = block->insns[number].memory;
	uintptr_t hooks = hooks_at(block, number, reads_predicates());
	const unsigned only = accesses_only(&block->insns[number]);
	uintptr_t user = memory & MEM_STORE ? number | STORES : number;

	if (only)
		user |= (uintptr_t)__builtin_ctz(only) << ONLY_SHIFT;
	if (memory & (MEM_LOAD | MEM_STORE) && !(memory & MEM_HIDDEN))
		qemu_plugin_register_vcpu_mem_cb(
			insn,
			only                                    ? only_accessed
			: memory & (MEM_ATOMIC | MEM_EXCLUSIVE) ? atomic_accessed
								: memory_accessed,
			QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, (void *)user);
	if (REGISTERS_LATE && number && block->insns[number - 1].memory & MEM_HIDDEN)
		registers_on_insn(insn, HOOK_DERIVE | (number - 1));
	if (hooks)
		registers_on_insn(insn, hooks);
}

/*
 * Notes when the program's own code begins: what is translated is executed next. Mapped pages are
 * where they are in the file, so that only one block in a thousand has to be looked up.
 */
static void note_beginning(uint64_t pc)
{
	static struct known_mappings known;
	struct mapping mapping;

	if (!begins || ((pc ^ begins) & 0xfff) || !mappings_find(&known, pc, &mapping) ||
	    mapping.inode != program_inode || pc - mapping.from + mapping.offset != begins)
		return;
	begins = 0;
	change_aside(aside_stop);
	atomic_store(&shared->begun_cycle, vcpus[0] ? core_cycle(vcpus[0]->core) : 0);
	atomic_store(&shared->begun, 1);
}

/*
 * Makes a block of `count` instructions from number `first` of a translated block on, and has QEMU
 * call back for it. Returns false if out of memory.
 */
static bool add_block(struct qemu_plugin_tb *tb, size_t first, const uint32_t *words, size_t count)
{
	const struct block *block;
	uint32_t before;
	unsigned unknown;
	bool is_new;

	pthread_mutex_lock(&lock);
	before = blocks_count();
	block = blocks_get(params, qemu_plugin_tb_vaddr(tb) + 4 * first, words, count, &unknown);
	is_new = blocks_count() != before;
	if (block && !atomic_load(&threaded))
		blocks_show(block);
	aside_translated();
	pthread_mutex_unlock(&lock);
	if (!block)
		return false;
	atomic_fetch_add_explicit(&shared->unknown_words, unknown, memory_order_relaxed);
	if (first == 0) {
		just_translated = block;
		if (!sampled_on_block(tb, block))
			registers_on_block(tb, block, sampler_wants_registers());
		if (is_new)
			sampled_translated();
	} else {
		registers_on_inner_block(qemu_plugin_tb_get_insn(tb, first), block,
					 sampler_wants_registers());
	}
	if (!started)
		registers_on_insn(qemu_plugin_tb_get_insn(tb, 0), HOOK_START);
	started = true;
	for (unsigned i = 0; i < count; i++)
		instrument(qemu_plugin_tb_get_insn(tb, first + i), block, i);
	return true;
}

/* Whether a word is wfe or wfet. */
static bool waits_for_event(uint32_t word)
{
	return word == 0xd503205f || (word & 0xffffffe0) == 0xd5031000;
}

static void note_waits(const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (waits_for_event(words[i]))
			atomic_fetch_or_explicit(&shared->outside, OUTSIDE_EVENT,
						 memory_order_relaxed);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), size;
	uint64_t pc = qemu_plugin_tb_vaddr(tb);
	uint32_t words[BLOCK_MAX];

	(void)id;
	if (!counting || count == 0 || count > BLOCK_MAX)
		return;
	if (!atomic_load(&threaded))
		change_aside(repeats_stop);
	for (size_t i = 0; i < count; i++)
		words[i] = qemu_plugin_insn_word(qemu_plugin_tb_get_insn(tb, i));
	note_beginning(pc);
	note_waits(words, count);
	lacking_note(shared, params, pc, words, count);
	for (size_t first = 0; first < count; first += size) {
		size = count - first;
		if (window_asked())
			size = window_piece(pc + 4 * first, size);
		if (!add_block(tb, first, words + first, size)) {
			give_up(GAVE_UP_MEMORY);
			return;
		}
	}
	endings_watch();
}

/* What a system call means for samples. */
static void sample_system_call(struct sampler *sampler, int64_t number, uint64_t a1, uint64_t a2,
			       uint64_t a4)
{
	bool ends = number == CALL_EXIT || number == CALL_EXIT_GROUP;
	bool execs = number == CALL_EXECVE || number == CALL_EXECVEAT;

	/* What other threads still execute is in no profile, and must not be counted either. */
	if ((number == CALL_EXIT_GROUP || execs) && sampler_flush_all(ends))
		counting = false;
	if (ends || execs) {
		if (sampler_enter(sampler)) {
			sampler_flush(sampler, ends);
			sampler_leave(sampler);
		}
	} else {
		sampler_system_call(sampler, number, a1, a2, a4);
	}
}

/* A thread has executed all that it will. */
static void settle_last(unsigned index)
{
	if (vcpus[index])
		core_counts(vcpus[index]->core);
}

static void program_ends(void)
{
	change_aside(aside_end);
	sampler_flush_all(true);
	if (counting)
		turns_visit_quiet(settle_last);
	counting = false;
	turns_over();
}

/* QEMU ends, perhaps by a signal that the program does not survive. */
static void engine_ends(qemu_plugin_id_t id, void *user)
{
	(void)id, (void)user;
	program_ends();
}

/* The thread makes a system call, in which others may have their turn. */
static void leave_for_call(struct vcpu *vcpu, int64_t number, const uint64_t arguments[6])
{
	uint64_t untagged[6];

	atomic_fetch_or_explicit(&shared->outside, calls_outside(number, arguments),
				 memory_order_relaxed);
	memcpy(vcpu->call, arguments, sizeof(vcpu->call));
	if (calls_clones_thread(number, arguments)) {
		change_aside(aside_end);
		atomic_store(&threaded, true);
		sampled_leave(vcpu->core);
	}
	vcpu->turn->replaceable =
		vcpu->returns_to && turn_may_stay(number, arguments) &&
		results_can_be_set(vcpu->registers, &vcpu->has_registers, number, arguments);
	memcpy(untagged, arguments, sizeof(untagged));
	if (number == CALL_FUTEX)
		untagged[0] = guest_untagged(arguments[0]);
	turn_call(vcpu->turn, number, untagged);
	if (number == CALL_EXIT_GROUP) {
		turns_visit_waiting(settle_last);
		counting = false;
		turns_over();
	}
}

/* Notes the cycle of a thread's own time. Marks beyond the last are only counted. */
static void note_mark(const struct core *core)
{
	uint32_t number = atomic_load(&shared->mark_count);

	if (number < MODEL_MARKS)
		shared->marks[number] = core_cycle(core);
	atomic_store(&shared->mark_count, number + 1);
}

static void system_call_returned(qemu_plugin_id_t id, unsigned index, int64_t number,
				 int64_t result)
{
	struct vcpu *vcpu = index < VCPUS_MAX ? vcpus[index] : NULL;

	(void)id;
	if (!vcpu)
		return;
	if (counting && (!vcpu->sampler || sampler_enter(vcpu->sampler))) {
		remap_returned(vcpu->core, number, vcpu->call, result);
		if (vcpu->sampler && number == CALL_MMAP)
			sampler_mapped(vcpu->sampler, vcpu->call[2], vcpu->call[3],
				       (uint64_t)result);
		if (vcpu->sampler)
			sampler_leave(vcpu->sampler);
	}
	turn_returned(vcpu->turn, result);
}

static uint64_t behind(const struct block *block)
{
	return block->pc + 4ull * block->count;
}

static void system_call(qemu_plugin_id_t id, unsigned index, int64_t number, uint64_t a1,
			uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
			uint64_t a7, uint64_t a8)
{
	struct vcpu *vcpu = index < VCPUS_MAX ? vcpus[index] : NULL;
	const uint64_t arguments[6] = {a1, a2, a3, a4, a5, a6};

	(void)id, (void)a7, (void)a8;
	change_aside(aside_stop);
	if (counting && vcpu && vcpu->turn->away)
		turn_back(vcpu->turn, true);
	if (vcpu && !(counting && turn_may_stay(number, arguments)))
		turn_go_home(vcpu->turn); /* its turn may have come elsewhere */
	if (counting && vcpu && (!vcpu->sampler || sampler_enter(vcpu->sampler))) {
		vcpu->returns_to = vcpu->current ? behind(vcpu->current) : 0;
		if (vcpu->current)
			finish_block(vcpu, vcpu->returns_to);
		sampled_settle(vcpu->core);
		if (number == CALL_EXIT || number == CALL_EXIT_GROUP)
			core_finish(vcpu->core);
		core_counts(vcpu->core);
		slots_note_longest(base_cycle + core_time(vcpu->core));
		if (mark_call && number == mark_call)
			note_mark(vcpu->core);
		if (vcpu->sampler) {
			sampler_leave(vcpu->sampler);
			sample_system_call(vcpu->sampler, number, a1, a2, a4);
		}
		leave_for_call(vcpu, number, arguments);
		if (number == CALL_EXIT)
			vcpu_end(index);
	}
	if (endings_kills(number, a2, a3))
		sampler_flush_all(false);
	if (number == CALL_EXECVE)
		exec_under_qemu(a1, a2, a3, counting);
	if (number == CALL_EXECVEAT)
		exec_at_under_qemu((int)a1, a2, a3, a4, (int)a5, counting);
}

/*
 * A forked child, in the thread that forked: its cores are the parent's to report, so it begins
 * with none; or it is not counted at all.
 */
static void child_begins(void)
{
	share_watch_reader(shared);
	aside_forked();
	pthread_mutex_init(&lock, NULL);
	orphans_forked();
	slots_forked();
	for (unsigned i = 0; i < vcpus_end; i++)
		vcpus[i] = NULL;
	turns_forked();
	if (counting && !count_children)
		atomic_fetch_add(&shared->left_out, 1);
	counting = counting && count_children;
	sampler_forked(counting);
	sampled_forked();
	endings_forked();
	if (!counting)
		return;
	base_cycle = atomic_load(&shared->longest_cycles);
	threaded = false;
	blocks_show_all();
	if (!make_systems())
		give_up(GAVE_UP_MEMORY);
	atomic_fetch_add(&shared->processes, 1);
}

/*
 * Returns the core's parameters, with the reader's changes and what the options change; NULL if
 * there is no such core.
 */
static const struct core_params *core_as_asked(const struct options *options)
{
	static struct core_params changed;
	const struct core_params *found = model_core_find(options->core);

	if (!found)
		return NULL;
	changed = *found;
	if (options->page_bytes)
		changed.page_bytes = options->page_bytes;
	if (options->huge_pages)
		changed.is_anonymous = mappings_are_anonymous;
	changed.conditions = options->conditions;
	if (shared && (shared->change_count > CORE_CHANGES_MAX ||
		       !core_change_apply(&changed, shared->changes, shared->change_count)))
		return NULL;
	return &changed;
}

/* Maps the shared memory. Returns false if it is missing or from another version. */
static bool map_shared(const struct share *share)
{
	size_t size = 0;

	shared = share_map(share, &size);
	if (shared && size == sizeof(*shared))
		return true;
	shared = NULL;
	return false;
}

static void register_callbacks(qemu_plugin_id_t id)
{
	registers_set_up(id, params->vector_bytes);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, engine_ends, NULL);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, system_call_returned);
	qemu_plugin_register_vcpu_syscall_cb(id, system_call);
}

static void begin_anew(qemu_plugin_id_t id)
{
	register_callbacks(id);
	sampled_begins_anew();
}

static void translate_anew(void)
{
	qemu_plugin_reset(plugin_id, begin_anew);
}

/* A sampled run has one thread while this is called. */
static void charged(struct core *core, unsigned group, uint64_t weight)
{
	for (unsigned i = 0; i < vcpus_end; i++)
		if (vcpus[i] && vcpus[i]->core == core)
			sampler_charged(vcpus[i]->sampler, group, weight);
}

/* Likewise. */
static void watched(struct core *core, enum sampled_watch what, uint64_t pc)
{
	for (unsigned i = 0; i < vcpus_end; i++)
		if (vcpus[i] && vcpus[i]->core == core && vcpus[i]->sampler)
			sampler_watch(vcpus[i]->sampler, what, pc);
}

/* Prepares to count. Returns false if that is impossible. */
static bool begin_counting(const struct options *options)
{
	struct sampled_request sampled;

	if (!shared)
		return false;
	what_if_parts = options->what_if;
	reference = options->reference;
	if (!make_systems())
		return false;
	if (options->sampling.descriptor >= 0 &&
	    !sampler_set_up(&options->sampling, shared, params, options->prefix))
		return false;
	mark_call = options->mark;
	base_cycle = atomic_load(&shared->longest_cycles);
	slots_set_up(shared, options->interval, base_cycle);
	turns_set_up(params->peer_latency / 2, options->seed);
	count_children = options->children;
	/* This is about the program that was started, not one that it became. */
	if (atomic_load(&shared->processes) == 0)
		begins = options->begins;
	program_inode = options->window.inode;
	window_set_up(shared, &options->window);
	sampled = options->sampled;
	sampled.seed = options->seed;
	sampled.most = options->window.instructions;
	sampled.interval = options->interval;
	sampled.page_faults = options->conditions.page_fault_cycles != 0;
	sampled.in_order = sampler_has_profiles();
	sampled.charged = sampled.in_order ? charged : NULL;
	sampled.unit = sampler_unit();
	sampled.watch = sampled.unit ? watched : NULL;
	sampled.translate_anew = options->resets ? translate_anew : NULL;
	aside_set_up(options->host_threads, execute_aside);
	sampled_set_up(shared, &sampled, slots_sum);
	shared->event_count = EVENT_COUNT;
	shared->struct_size = sizeof(*shared);
	atomic_fetch_add(&shared->processes, 1);
	atomic_store(&shared->magic, MODEL_SHARED_MAGIC);
	return true;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	static struct options options;

	if (strcmp(info->target_name, "aarch64") != 0 || info->system_emulation ||
	    !options_parse(argc, argv, &options))
		return 1;
	plugin_id = id;
	map_shared(&options.shared);
	params = core_as_asked(&options);
	if (!params || params->vector_bytes > REGISTERS_VECTOR_MAX)
		return 1;
	counting = !options.idle;
	if (counting && !begin_counting(&options)) {
		/* The program runs on, uncounted; plumb was told before. */
		if (!options.became)
			return 1;
		counting = false;
	}
	if (counting && options.became)
		atomic_fetch_sub(&shared->uncounted_execs, 1);
	exec_set_up(options.prefix, &options.shared, shared);
	if (getppid() != options.shared.reader)
		share_watch_reader(shared);
	pthread_atfork(NULL, NULL, child_begins);
	if (counting) {
		register_callbacks(id);
		endings_set_up(program_ends, sampler_has_profiles());
	} else {
		qemu_plugin_register_vcpu_syscall_cb(id, system_call);
	}
	return 0;
}
