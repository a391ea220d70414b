/* SPDX-License-Identifier: Apache-2.0 */
/* Executes operations that are not plain: with several pieces, late operands, or serialising. */
#include "schedule.h"

/*
 * Returns the first cycle from `ready` on from which `port`, or with `extra` its second, is free
 * for `busy` cycles.
 */
static uint64_t find_idle(const struct core *core, unsigned port, bool extra, unsigned busy,
			  uint64_t ready)
{
	const struct busy_port *kept = extra ? &core->extra_ports->busy[port] : &core->busy[port];
	uint64_t start = free_at(core, ready, port, extra);

	for (unsigned i = 0; i < kept->count; i++) {
		if (start + busy <= kept->from[i])
			break;
		if (start < kept->until[i])
			start = free_at(core, kept->until[i], port, extra);
	}
	return start;
}

static void drop_interval(struct busy_port *kept, unsigned i)
{
	kept->count--;
	for (; i < kept->count; i++) {
		kept->from[i] = kept->from[i + 1];
		kept->until[i] = kept->until[i + 1];
	}
}

/* Marks [from, until) as busy; it must be idle. */
static void keep_busy(struct busy_port *kept, uint64_t now, uint64_t from, uint64_t until)
{
	unsigned i = kept->count++;

	for (; i > 0 && kept->from[i - 1] > from; i--) {
		kept->from[i] = kept->from[i - 1];
		kept->until[i] = kept->until[i - 1];
	}
	kept->from[i] = from;
	kept->until[i] = until;
	if (i + 1 < kept->count && kept->from[i + 1] == until) {
		kept->until[i] = kept->until[i + 1];
		drop_interval(kept, i + 1);
	}
	if (i > 0 && kept->until[i - 1] == from) {
		kept->until[i - 1] = kept->until[i];
		drop_interval(kept, i);
	}
	while (kept->count && kept->until[0] <= now)
		drop_interval(kept, 0);
	if (kept->count == BUSY_INTERVALS) { /* closes the first gap */
		kept->from[1] = kept->from[0];
		drop_interval(kept, 0);
	}
}

/* Issues to a port that is not pipelined: it accepts nothing else for `busy` cycles. */
static uint64_t issue_busy(struct core *core, uint32_t ports, unsigned busy, uint64_t ready)
{
	uint64_t now = core->cycle, issue = UINT64_MAX;
	unsigned best = 0;
	const unsigned sets = core->extra_ports ? 2 : 1;
	bool best_extra = false;

	for (unsigned set = 0; set < sets; set++) {
		const bool extra = set > 0;

		for (uint32_t rest = ports & core->bound; rest; rest &= rest - 1) {
			unsigned port = (unsigned)__builtin_ctz(rest);
			uint64_t start = find_idle(core, port, extra, busy, ready);

			if (start < issue) {
				issue = start;
				best = port;
				best_extra = extra;
			}
		}
	}
	for (uint64_t cycle = issue; cycle < issue + busy; cycle++) {
		if (cycle - now >= CALENDAR_CYCLES)
			break;
		if (best_extra)
			take_extra(core, cycle, 1u << best);
		else
			core->taken[cycle % CALENDAR_CYCLES] |= 1u << best;
		mark_cycle(core, cycle);
	}
	keep_busy(best_extra ? &core->extra_ports->busy[best] : &core->busy[best], now, issue,
		  issue + busy);
	return issue;
}

static uint64_t issue_piece(struct core *core, const struct piece_params *piece, uint64_t ready)
{
	uint64_t issue = ready;

	for (unsigned i = 0; i < piece->count; i++) {
		uint64_t at = piece->busy > 1 ? issue_busy(core, piece->ports, piece->busy, ready)
					      : issue_at(core, ready, piece->ports, 0);

		issue = later(issue, at);
	}
	return issue;
}

/* Issues the pieces of `op` from `first` on; returns the cycle at which the last one issues. */
uint64_t issue_pieces(struct core *core, const struct op *op, unsigned first, uint64_t ready)
{
	const struct class_params *class = &core->params->classes[op->class];
	uint64_t issue = ready;

	for (unsigned i = first; i < op->pieces; i++)
		issue = later(issue, issue_piece(core, &class->pieces[i], ready));
	return issue;
}

/* Returns when the accumulator is available: early from an operation of the same class. */
static uint64_t accumulator_ready(const struct core *core, const struct op *op)
{
	const struct early_result *early = &core->early[op->accumulator];
	uint64_t ready = core->ready[op->accumulator];

	return early->class == op->class && early->ready == ready ? early->early : ready;
}

/* No operand is ready before `cycle` for younger operations. */
static void hold_back_younger(struct core *core, uint64_t cycle)
{
	for (int i = 0; i < READY_COUNT; i++)
		core->ready[i] = later(core->ready[i], cycle);
	core->memory_floor = later(core->memory_floor, cycle);
}

/* Notes when the result of an operation is ready, also as an accumulator. */
static inline void finish_early(struct core *core, const struct class_params *class,
				unsigned target, uint64_t begun, uint64_t done)
{
	struct early_result *early = &core->early[target];

	core->ready[target] = done;
	if (class->accumulator_latency) {
		early->ready = done;
		early->early = begun + class->accumulator_latency;
		early->class = class->accumulates;
	}
}

/* Executes an operation that would be plain but for an accumulator, as those of sums are. */
static uint64_t execute_accumulating(struct core *core, const struct op *op)
{
	const struct class_params *class = &core->params->classes[op->class];
	uint64_t ready = later(core->ready[op->sources[0]], core->ready[op->sources[1]]), issue;

	ready = later(later(ready, core->ready[op->sources[2]]), core->cycle + 1);
	issue = issue_at(core, later(ready, accumulator_ready(core, op)), op->ports, core->queued);
	core->seen.issue = issue;
	finish_early(core, class, op->targets[0], issue, issue + op->latency);
	finish_early(core, class, op->targets[1], issue, issue + op->latency);
	return issue + op->latency;
}

uint64_t execute_other(struct core *core, const struct op *op, struct cursor *cursor)
{
	const struct class_params *class = &core->params->classes[op->class];
	const struct insn *insn = &cursor->block->insns[index_of(cursor->block, op)];
	uint64_t ready = core->cycle + 1, issue, begun, done;

	if (op->flags & OP_ACCUMULATES)
		return execute_accumulating(core, op);
	if (op->memory & MEM_ANY)
		return execute_memory(core, op, cursor);
	ready = later(ready, sources_ready(core, op, 0, OP_SOURCES));
	ready = later(ready, accumulator_ready(core, op));
	if (class->serializes)
		ready = later(ready, core->last_retired);
	issue = issue_pieces(core, op, 0, ready);
	depart(core, issue, core->queued);
	begun = latency_from(op, ready, issue);
	done = begun + op->latency;
	core->seen.issue = issue;
	if (insn->kinds & (KIND_DMB | KIND_DSB))
		done = later(done, barrier_done(core, insn));
	for (int i = 0; i < OP_TARGETS; i++)
		finish_early(core, class, op->targets[i], begun, done);
	if (class->serializes)
		hold_back_younger(core, done);
	return done;
}
