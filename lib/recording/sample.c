/* SPDX-License-Identifier: Apache-2.0 */
/* PERF_RECORD_SAMPLE: the members that sample_type says, in the order of <linux/perf_event.h>. */
#include "recording/reader.h"

/* A bit-field of branch flags: its width, in the order of struct perf_branch_entry. */
static const uint8_t branch_fields[] = {1, 1, 1, 1, 16, 4, 2, 4, 3, 1};

/* As a big-endian machine has them the first field is the topmost. */
static uint64_t convert_branch_flags(uint64_t flags)
{
	uint64_t converted = 0;
	unsigned at = 0;

	for (size_t i = 0; i < sizeof(branch_fields); i++) {
		const unsigned width = branch_fields[i];
		const uint64_t field = flags >> (64 - at - width) & ((UINT64_C(1) << width) - 1);

		converted |= field << at;
		at += width;
	}
	return converted;
}

static bool take_branches(struct plumb_recording *r, struct cursor *in, uint64_t kinds,
			  struct plumb_sample *sample)
{
	const uint64_t count = take64(in);
	const uint64_t *numbers;

	_Static_assert(sizeof(struct plumb_branch_entry) == 24, "as in the record");
	if (kinds & PLUMB_BRANCH_HW_INDEX)
		sample->branch_hw_index = take64(in);
	if (count > cursor_left(in) / 24)
		return false;
	numbers = numbers_parse(r, in, 3 * count);
	if (!numbers)
		return false;
	if (r->big_endian) {
		uint64_t *converted = scratch_take(r, 24 * count);

		for (size_t i = 0; converted && i < 3 * count; i++)
			converted[i] = i % 3 == 2 ? convert_branch_flags(numbers[i]) : numbers[i];
		numbers = converted;
	}
	sample->branches = (const struct plumb_branch_entry *)numbers;
	sample->branch_count = count;
	if (kinds & PLUMB_BRANCH_COUNTERS)
		(void)numbers_parse(r, in, count);
	return numbers && !in->short_of;
}

struct registers {
	uint64_t abi;
	const uint64_t *values;
	size_t count;
};

static bool take_registers(struct plumb_recording *r, struct cursor *in, uint64_t mask,
			   struct registers *taken)
{
	*taken = (struct registers){.abi = take64(in)};
	if (taken->abi == 0)
		return !in->short_of;
	taken->count = (size_t)__builtin_popcountll(mask);
	taken->values = numbers_parse(r, in, taken->count);
	return taken->values;
}

static bool take_user_stack(struct cursor *in, struct plumb_sample *sample)
{
	const uint64_t size = take64(in);
	uint64_t used;

	if (size == 0)
		return !in->short_of;
	sample->user_stack = take_bytes(in, size);
	used = take64(in);
	/* The rest of it was not used. */
	sample->user_stack_size = used;
	return !in->short_of && used <= size;
}

static void take_weight(struct cursor *in, uint64_t type, struct plumb_sample *sample)
{
	const uint64_t weight = take64(in);

	sample->weight = weight;
	if (type & PLUMB_SAMPLE_WEIGHT_STRUCT) {
		sample->weight = weight & UINT32_MAX;
		sample->weight2 = (uint16_t)(weight >> 32);
		sample->weight3 = (uint16_t)(weight >> 48);
	}
}

/* What other records have too, at their end and in another order. */
static void take_place(struct cursor *in, uint64_t type, struct plumb_record *record)
{
	if (type & PLUMB_SAMPLE_IDENTIFIER) {
		record->id = take64(in);
		record->has |= PLUMB_RECORD_HAS_ID;
	}
	if (type & PLUMB_SAMPLE_IP)
		record->sample.ip = take64(in);
	if (type & PLUMB_SAMPLE_TID) {
		record->pid = (int32_t)take32(in);
		record->tid = (int32_t)take32(in);
		record->has |= PLUMB_RECORD_HAS_PID;
	}
	if (type & PLUMB_SAMPLE_TIME) {
		record->time = take64(in);
		record->has |= PLUMB_RECORD_HAS_TIME;
	}
	if (type & PLUMB_SAMPLE_ADDR)
		record->sample.address = take64(in);
	if (type & PLUMB_SAMPLE_ID) {
		record->id = take64(in);
		record->has |= PLUMB_RECORD_HAS_ID;
	}
	if (type & PLUMB_SAMPLE_STREAM_ID) {
		record->stream_id = take64(in);
		record->has |= PLUMB_RECORD_HAS_STREAM;
	}
	if (type & PLUMB_SAMPLE_CPU) {
		record->cpu = take32(in);
		(void)take32(in);
		record->has |= PLUMB_RECORD_HAS_CPU;
	}
	if (type & PLUMB_SAMPLE_PERIOD)
		record->sample.period = take64(in);
}

static bool take_reads(struct plumb_recording *r, struct cursor *in, uint64_t format,
		       struct plumb_sample *sample)
{
	struct read_values read;

	if (!read_values_parse(r, in, format, &read))
		return false;
	sample->reads = read.values;
	sample->read_count = read.count;
	sample->time_enabled = read.time_enabled;
	sample->time_running = read.time_running;
	return true;
}

static bool take_callchain(struct plumb_recording *r, struct cursor *in,
			   struct plumb_sample *sample)
{
	const uint64_t count = take64(in);

	sample->callchain = numbers_parse(r, in, count);
	sample->callchain_length = count;
	return !in->short_of && sample->callchain;
}

/* What varies in size, before the weight. */
static bool take_lists(struct plumb_recording *r, struct cursor *in,
		       const struct plumb_event_attr *attr, struct plumb_sample *sample)
{
	const uint64_t type = attr->sample_type;
	struct registers registers;

	if (type & PLUMB_SAMPLE_READ && !take_reads(r, in, attr->read_format, sample))
		return false;
	if (type & PLUMB_SAMPLE_CALLCHAIN && !take_callchain(r, in, sample))
		return false;
	if (type & PLUMB_SAMPLE_RAW) {
		sample->raw_size = take32(in);
		sample->raw = take_bytes(in, sample->raw_size);
	}
	if (type & PLUMB_SAMPLE_BRANCH_STACK &&
	    !take_branches(r, in, attr->branch_sample_type, sample))
		return false;
	if (type & PLUMB_SAMPLE_REGS_USER) {
		if (!take_registers(r, in, attr->sample_regs_user, &registers))
			return false;
		sample->user_abi = registers.abi;
		sample->user_registers = registers.values;
		sample->user_register_count = registers.count;
	}
	return !(type & PLUMB_SAMPLE_STACK_USER) || take_user_stack(in, sample);
}

/* From the weight on. */
static bool take_rest(struct plumb_recording *r, struct cursor *in,
		      const struct plumb_event_attr *attr, struct plumb_sample *sample)
{
	const uint64_t type = attr->sample_type;
	struct registers registers;

	if (type & (PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_WEIGHT_STRUCT))
		take_weight(in, type, sample);
	if (type & PLUMB_SAMPLE_DATA_SRC)
		sample->data_source = take64(in);
	if (type & PLUMB_SAMPLE_TRANSACTION)
		sample->transaction = take64(in);
	if (type & PLUMB_SAMPLE_REGS_INTR) {
		if (!take_registers(r, in, attr->sample_regs_intr, &registers))
			return false;
		sample->intr_abi = registers.abi;
		sample->intr_registers = registers.values;
		sample->intr_register_count = registers.count;
	}
	if (type & PLUMB_SAMPLE_PHYS_ADDR)
		sample->physical_address = take64(in);
	if (type & PLUMB_SAMPLE_CGROUP)
		sample->cgroup = take64(in);
	if (type & PLUMB_SAMPLE_DATA_PAGE_SIZE)
		sample->data_page_size = take64(in);
	if (type & PLUMB_SAMPLE_CODE_PAGE_SIZE)
		sample->code_page_size = take64(in);
	if (type & PLUMB_SAMPLE_AUX) {
		sample->aux_size = take64(in);
		sample->aux = take_bytes(in, sample->aux_size);
	}
	return !in->short_of;
}

bool sample_parse(struct plumb_recording *r, struct cursor *in, const struct known_event *layout,
		  struct plumb_record *record)
{
	const struct plumb_event_attr *attr = &layout->event.attr;

	/* Every sample then has the same, which the kernel leaves out. */
	if (!(attr->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ)))
		record->sample.period = attr->sample_period;
	take_place(in, attr->sample_type, record);
	return take_lists(r, in, attr, &record->sample) && take_rest(r, in, attr, &record->sample);
}
