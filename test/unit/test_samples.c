/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stream of samples, on recordings of a few records written here by hand.
 * test/interop/samples_vs_perf.py compares larger ones with perf.
 */
#include "recording/access.h"
#include "recording/tasks.h"
#include "spe/encode.h"
#include "spe/filter.h"
#include "spe/itrace.h"

#include "check.h"

#include <fcntl.h>
#include <plumb/samples.h>
#include <sys/mman.h>
#include <unistd.h>

#include "folder.h"
#include "thorough.h"

#define SPE_ID   101
#define DUMMY_ID 201
#define PMU      11
#define N1       "0x00000000413fd0c1"

/* One tick of SPE's clock is 40 ns; tick 0 is at 1000 ns. */
static const struct plumb_time_conv clock_25mhz = {
	.shift = 10, .mult = 40 << 10, .zero = 1000, .mask = UINT64_MAX};
#define TIME(ticks) (1000 + 40 * (uint64_t)(ticks))

struct fixture {
	struct plumb_recording_writer *writer;
	struct plumb_recording *recording;
	struct plumb_samples *samples;
	const struct plumb_samples_item *item;
	struct plumb_diagnostics *diagnostics;
	bool timeless;
};

static void create(struct fixture *f, bool timeless, const struct plumb_auxtrace_info *info)
{
	static const uint64_t ids[] = {SPE_ID, DUMMY_ID}, values[] = {PMU, 1};
	const struct plumb_auxtrace_info usual = {.type = 4, .values = values, .count = 2};
	const uint64_t type = 1 << 0 | 1 << 1 | 1 << 7 | 1 << 16 | (timeless ? 0 : 1 << 2);
	const struct plumb_recorded_event events[] = {
		{.attr = {.type = PMU,
			  .size = 128,
			  .sample_type = type | 1 << 19,
			  .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL)},
		 .ids = &ids[0],
		 .id_count = 1,
		 .name = "arm_spe_0//"},
		{.attr = {.type = 1,
			  .config = 9,
			  .size = 128,
			  .sample_type = type,
			  .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL)},
		 .ids = &ids[1],
		 .id_count = 1,
		 .name = "dummy:u"},
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.event_count = 2,
		.auxtrace_info = info ? info : &usual,
		.time_conv = timeless ? NULL : &clock_25mhz,
		.cpuid = N1,
		.arch = "aarch64",
		.clockid = -1,
	};

	*f = (struct fixture){.timeless = timeless, .diagnostics = plumb_diagnostics_new()};
	assert_int_equal(plumb_recording_create(path, &setup, &f->writer, f->diagnostics), 0);
}

/* ---- Records ------------------------------------------------------------------------------------
 */

struct draft {
	uint32_t words[64];
	size_t count;
};

static void add32(struct draft *d, uint32_t value)
{
	d->words[d->count++] = value;
}

static void add64(struct draft *d, uint64_t value)
{
	add32(d, (uint32_t)value);
	add32(d, (uint32_t)(value >> 32));
}

static struct draft begun(uint32_t type, uint32_t misc)
{
	struct draft d = {.words = {type, misc}, .count = 2};

	return d;
}

static void put(struct fixture *f, struct draft *d, int32_t pid, int32_t tid, uint32_t cpu,
		uint64_t time)
{
	add32(d, (uint32_t)pid);
	add32(d, (uint32_t)tid);
	if (!f->timeless)
		add64(d, time);
	add32(d, cpu);
	add32(d, 0);
	add64(d, DUMMY_ID);
	d->words[1] |= (uint32_t)d->count * 4 << 16;
	assert_int_equal(plumb_recording_write(f->writer, d->words, d->count * 4), 0);
}

static void put_comm(struct fixture *f, int32_t pid, int32_t tid, uint64_t time)
{
	struct draft d = begun(PLUMB_RECORD_COMM, 0);

	add32(&d, (uint32_t)pid);
	add32(&d, (uint32_t)tid);
	add64(&d, 'a');
	put(f, &d, pid, tid, 0, time);
}

static void put_sample(struct fixture *f, uint64_t ip, int32_t tid, uint32_t cpu, uint64_t time)
{
	struct draft d = begun(PLUMB_RECORD_SAMPLE, 0);

	add64(&d, DUMMY_ID);
	add64(&d, ip);
	add32(&d, 10);
	add32(&d, (uint32_t)tid);
	if (!f->timeless)
		add64(&d, time);
	add32(&d, cpu);
	add32(&d, 0);
	d.words[1] = 2 | (uint32_t)d.count * 4 << 16;
	assert_int_equal(plumb_recording_write(f->writer, d.words, d.count * 4), 0);
}

/*
 * A switch from the record's own `tid` to another thread, or a SWITCH that is not CPU-wide if that
 * is -1.
 */
static void put_switch(struct fixture *f, bool out, int32_t tid, int32_t other, uint32_t cpu,
		       uint64_t time)
{
	struct draft d = begun(other == -1 ? PLUMB_RECORD_SWITCH : PLUMB_RECORD_SWITCH_CPU_WIDE,
			       out ? 1 << 13 : 0);

	if (other != -1) {
		add32(&d, 10);
		add32(&d, (uint32_t)other);
	}
	put(f, &d, 10, tid, cpu, time);
}

static void put_aux(struct fixture *f, uint64_t flags)
{
	struct draft d = begun(PLUMB_RECORD_AUX, 0);

	add64(&d, 0);
	add64(&d, 64);
	add64(&d, flags);
	put(f, &d, 10, 10, 0, TIME(1));
}

static void put_bytes(struct fixture *f, uint32_t ring, const uint8_t *bytes, size_t size)
{
	const struct plumb_aux_chunk chunk = {.index = ring, .tid = -1, .cpu = (int32_t)ring};

	assert_int_equal(plumb_recording_write_aux(f->writer, &chunk, bytes, size, NULL, 0), 0);
}

/* ---- SPE records --------------------------------------------------------------------------------
 */

static struct plumb_spe_record load(uint64_t pc, uint64_t ticks)
{
	return (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_EVENTS |
		       PLUMB_SPE_HAS_TOTAL_LATENCY | PLUMB_SPE_HAS_DATA_VIRTUAL |
		       PLUMB_SPE_HAS_DATA_PHYSICAL | PLUMB_SPE_HAS_DATA_SOURCE |
		       PLUMB_SPE_HAS_TIMESTAMP,
		.addresses = {pc, 0, UINT64_C(0x1200ffff00001000), UINT64_C(0x8000000080002000)},
		.op_class = PLUMB_SPE_LOAD_STORE,
		.events = 0x1e, /* retired, L1D access and refill, TLB access */
		.counters = {77},
		.data_source = 8,
		.timestamp = ticks,
	};
}

static struct plumb_spe_record branch(uint64_t pc, uint64_t target, uint64_t ticks)
{
	return (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_OPERATION | PLUMB_SPE_HAS_EVENTS |
		       PLUMB_SPE_HAS_BRANCH_TARGET | PLUMB_SPE_HAS_TIMESTAMP,
		.addresses = {pc, target},
		.op_class = PLUMB_SPE_BRANCH,
		.events = 0x82, /* retired, mispredicted */
		.timestamp = ticks,
	};
}

#define USER(address)   (UINT64_C(0x8000000000000000) | (address))
#define KERNEL(address) (UINT64_C(0xa0ff000000000000) | (address))

static void put_records(struct fixture *f, uint32_t ring, const struct plumb_spe_record *records,
			size_t count)
{
	uint8_t bytes[64 * 64] = {0};
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		int written = spe_encode_record(&records[i], SPE_LAYOUT_NEOVERSE, bytes + size,
						sizeof(bytes) - size);

		assert_int_equal(written, 64);
		size += (size_t)written;
	}
	put_bytes(f, ring, bytes, size);
}

/* ---- Reading ------------------------------------------------------------------------------------
 */

static void begin(struct fixture *f, const struct plumb_samples_options *options)
{
	if (f->writer)
		assert_int_equal(plumb_recording_finish(f->writer, NULL), 0);
	f->writer = NULL;
	assert_int_equal(plumb_recording_open(path, NULL, &f->recording, f->diagnostics), 0);
	assert_int_equal(plumb_samples_begin(f->recording, options, &f->samples, f->diagnostics),
			 0);
}

/* Returns the next sample; false at the end. */
static bool next(struct fixture *f, struct plumb_samples_item *item)
{
	int status;

	while ((status = plumb_samples_next(f->samples, &f->item)) > 0) {
		*item = *f->item;
		if (item->record->type == PLUMB_RECORD_SAMPLE)
			return true;
	}
	assert_int_equal(status, 0);
	return false;
}

static void end(struct fixture *f)
{
	plumb_samples_end(f->samples);
	plumb_recording_close(f->recording);
	f->samples = NULL;
	f->recording = NULL;
}

static void finish(struct fixture *f)
{
	end(f);
	plumb_diagnostics_free(f->diagnostics);
	unlink(path);
}

static struct plumb_itrace itrace_of(const char *text)
{
	struct plumb_itrace itrace;

	assert_int_equal(itrace_parse(text, PLUMB_PERF_NEWEST, &itrace, NULL), 0);
	return itrace;
}

/* ---- Tests --------------------------------------------------------------------------------------
 */

static void a_sample_has_what_the_record_and_the_recording_say(void **state)
{
	const struct plumb_spe_record record = load(USER(0x401000), 100);
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	put_comm(&f, 10, 11, TIME(1));
	put_switch(&f, true, 5, 11, 3, TIME(2));
	put_records(&f, 3, &record, 1);
	begin(&f, NULL);

	assert_true(next(&f, &item));
	assert_int_equal(item.group, PLUMB_SPE_GROUP_L1D_MISS);
	assert_int_equal(item.groups,
			 1 << PLUMB_SPE_GROUP_L1D_MISS | 1 << PLUMB_SPE_GROUP_L1D_ACCESS |
				 1 << PLUMB_SPE_GROUP_TLB_ACCESS | 1 << PLUMB_SPE_GROUP_MEMORY |
				 1 << PLUMB_SPE_GROUP_INSTRUCTIONS);
	assert_int_equal(item.ring, 3);
	assert_int_equal(item.spe->timestamp, 100);
	assert_int_equal(item.record->pid, 10);
	assert_int_equal(item.record->tid, 11);
	assert_int_equal(item.record->cpu, 3);
	assert_int_equal(item.record->time, TIME(100));
	assert_int_equal(item.record->misc, 2);
	assert_int_equal(item.record->id, SPE_ID + 1000000000);
	assert_string_equal(item.record->event->name, "l1d-miss");
	/* IP, TID, TIME, ADDR, CPU, PERIOD, WEIGHT, DATA_SRC, IDENTIFIER, PHYS_ADDR */
	assert_int_equal(item.record->event->attr.sample_type, 0x9c18f);
	assert_ptr_equal(plumb_samples_group_event(f.samples, PLUMB_SPE_GROUP_L1D_MISS),
			 item.record->event);
	assert_null(plumb_samples_group_event(f.samples, PLUMB_SPE_GROUP_BRANCH_MISS));
	assert_int_equal(item.record->sample.ip, 0x401000);
	assert_int_equal(item.record->sample.address, 0xffff00001000);
	assert_int_equal(item.record->sample.physical_address, 0x80002000);
	assert_int_equal(item.record->sample.period, 1);
	assert_int_equal(item.record->sample.weight, 77);
	/* L2 hit by source 8, TLB walker hit: see test_spe_groups */
	assert_int_equal(item.record->sample.data_source,
			 0x2 | 0x22 << 5 | 2 << 19 | UINT64_C(0x22) << 26 | UINT64_C(2) << 33);

	assert_true(next(&f, &item));
	assert_string_equal(item.record->event->name, "l1d-access");
	assert_int_equal(item.record->id, SPE_ID + 1000000001);
	assert_true(next(&f, &item));
	assert_string_equal(item.record->event->name, "tlb-access");
	assert_true(next(&f, &item));
	assert_string_equal(item.record->event->name, "memory");
	assert_int_equal(item.record->sample.address, 0xffff00001000);
	assert_true(next(&f, &item));
	assert_string_equal(item.record->event->name, "instructions");
	assert_int_equal(item.record->sample.address, 0); /* it is no branch */
	assert_false(next(&f, &item));
	finish(&f);
}

static void all_come_in_order_of_time(void **state)
{
	const struct plumb_spe_record first[] = {load(USER(0x10), 10), load(USER(0x30), 30),
						 load(USER(0x50), 50)};
	const struct plumb_spe_record second[] = {branch(KERNEL(0x20), KERNEL(0x99), 20),
						  branch(USER(0x60), USER(0x98), 60)};
	const uint64_t expected[] = {0x10, UINT64_C(0xffff000000000020), 0x25, 0x30, 0x50, 0x55,
				     0x60};
	const struct plumb_itrace itrace = itrace_of("i1i");
	const struct plumb_samples_options options = {.size = sizeof(options), .itrace = &itrace};
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	put_sample(&f, 0x25, 11, 0, TIME(25));
	put_records(&f, 1, second, 2);
	put_records(&f, 0, first, 3);
	put_sample(&f, 0x55, 11, 0, TIME(55));
	begin(&f, &options);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_true(next(&f, &item));
		assert_int_equal(item.record->sample.ip, expected[i]);
		assert_int_equal(item.spe == NULL, (expected[i] & 0xf) == 5);
		if (i == 1)
			assert_int_equal(item.record->misc, 1);
	}
	assert_false(next(&f, &item));
	finish(&f);
}

/* perf's two ways: the groups "branch" and "instructions", or only mispredicted branches. */
static void a_branch_has_its_target_for_an_address(void **state)
{
	static const struct {
		enum plumb_perf_version version;
		const char *names[3];
	} cases[] = {
		{PLUMB_PERF_NEWEST, {"branch", "instructions"}},
		{PLUMB_PERF_6_1, {"branch-miss"}},
		{PLUMB_PERF_6_12, {"branch-miss"}},
	};
	const struct plumb_spe_record record = branch(USER(0x20), USER(0x98), 20);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct plumb_samples_options options = {.size = sizeof(options),
							      .like_perf = cases[i].version};
		struct plumb_samples_item item;
		struct fixture f;

		create(&f, false, NULL);
		put_records(&f, 1, &record, 1);
		begin(&f, &options);
		for (const char *const *name = cases[i].names; *name; name++) {
			assert_true(next(&f, &item));
			assert_string_equal(item.record->event->name, *name);
			assert_int_equal(item.record->sample.address, 0x98);
			assert_int_equal(item.record->sample.data_source, 0);
			/* A branch, mispredicted. */
			assert_int_equal(item.record->sample.trace_flags,
					 cases[i].version == PLUMB_PERF_NEWEST ? 0x8001 : 0);
			assert_int_equal(item.record->sample.branch_count, 0);
		}
		assert_false(next(&f, &item));
		finish(&f);
	}
}

/* Expected: perf's flags, PERF_IP_FLAG_* and the fields of struct perf_branch_entry. */
static void a_branch_says_what_kind_it_is(void **state)
{
	static const struct {
		uint8_t payload;
		uint64_t events;
		uint32_t trace;
		uint64_t entry; /* without cycles */
	} cases[] = {
		{0x00, 0, 0x1, 1 << 1}, /* no link bits: unknown */
		{0x01, 1 << 6, 0x10009,
		 1 << 1 | 1 << 20 | UINT64_C(1) << 33},            /* B.cond, not taken */
		{0x02, 1 << 7, 0x8005, 1 << 0 | 6 << 20},          /* BR: as a return; missed */
		{0x0a, 0, 0x3, 1 << 1 | 4 << 20},                  /* BLR */
		{0x09, 0, 0xb, 1 << 1 | 9 << 20},                  /* a conditional call */
		{0x12, 1 << 16, 0x405, 1 << 1 | 1 << 2 | 6 << 20}, /* RET, in a transaction */
		{0x11, 0, 0xd, 1 << 1 | 10 << 20},                 /* a conditional return */
		{0x18, 0, 0x1, 1 << 1 | 2 << 20},                  /* B */
	};
	const struct plumb_itrace itrace = itrace_of("bl2");
	const struct plumb_samples_options options = {.size = sizeof(options), .itrace = &itrace};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_spe_record record = branch(USER(0x20), KERNEL(0x98), 20);
		const struct plumb_sample *sample;
		struct plumb_samples_item item;
		struct fixture f;

		record.operation = cases[i].payload;
		record.events = cases[i].events;
		record.has |= PLUMB_SPE_HAS_PREVIOUS_TARGET | PLUMB_SPE_HAS_TOTAL_LATENCY;
		record.addresses[PLUMB_SPE_PREVIOUS_TARGET] = USER(0x10);
		record.counters[PLUMB_SPE_TOTAL_LATENCY] = 0x21;
		create(&f, false, NULL);
		put_records(&f, 1, &record, 1);
		begin(&f, &options);
		assert_true(next(&f, &item));
		sample = &item.record->sample;
		assert_int_equal(sample->trace_flags, cases[i].trace);
		assert_int_equal(sample->branch_hw_index, UINT64_MAX);
		assert_int_equal(sample->branch_count, 2);
		assert_int_equal(sample->branches[0].from, 0x20);
		assert_int_equal(sample->branches[0].to, UINT64_C(0xffff000000000098));
		assert_int_equal(sample->branches[0].flags, cases[i].entry | 0x21 << 4);
		assert_int_equal(sample->branches[1].from, 0);
		assert_int_equal(sample->branches[1].to, 0x10);
		assert_int_equal(sample->branches[1].flags, 0);
		assert_int_equal(item.record->event->attr.sample_type >> 11 & 1, 1);
		assert_int_equal(item.record->event->attr.branch_sample_type, 1 << 17);
		finish(&f);
	}
}

static void records_can_come_once_each(void **state)
{
	const struct plumb_spe_record records[] = {load(USER(0x10), 10), load(USER(0x20), 20)};
	const struct plumb_samples_options options = {.size = sizeof(options),
						      .each_record_once = true};
	const struct plumb_samples_totals *totals;
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	put_records(&f, 1, records, 2);
	begin(&f, &options);
	assert_true(next(&f, &item));
	assert_string_equal(item.record->event->name, "instructions");
	assert_true(item.groups >> PLUMB_SPE_GROUP_L1D_MISS & 1);
	assert_true(next(&f, &item));
	assert_false(next(&f, &item));
	totals = plumb_samples_totals(f.samples);
	assert_int_equal(totals->records, 2);
	assert_int_equal(totals->groups[PLUMB_SPE_GROUP_L1D_MISS], 2);
	assert_int_equal(totals->groups[PLUMB_SPE_GROUP_INSTRUCTIONS], 2);
	finish(&f);
}

static void instructions_are_sampled_down(void **state)
{
	const struct plumb_itrace itrace = itrace_of("i3i");
	const struct plumb_samples_options options = {.size = sizeof(options), .itrace = &itrace};
	struct plumb_spe_record records[10];
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		records[i] = load(USER(i), i);
	create(&f, false, NULL);
	put_records(&f, 0, records, 10);
	begin(&f, &options);
	for (uint64_t i = 2; i < 10; i += 3) {
		assert_true(next(&f, &item));
		assert_int_equal(item.record->sample.ip, i);
		assert_int_equal(item.record->sample.period, 3);
	}
	assert_false(next(&f, &item));
	finish(&f);
}

static void alike_samples_can_be_taken_at_once(void **state)
{
	const struct plumb_spe_record records[] = {load(USER(0x10), 10), load(USER(0x20), 20)};
	struct plumb_samples_item item;
	struct fixture f;
	uint32_t groups;

	(void)state;
	create(&f, false, NULL);
	put_records(&f, 1, records, 2);
	begin(&f, NULL);
	for (size_t i = 0; i < 2; i++) {
		assert_true(next(&f, &item));
		assert_int_equal(item.record->sample.ip, 0x10 + 0x10 * i);
		groups = plumb_samples_take_alike(f.samples);
		assert_int_equal(groups | PLUMB_SPE_GROUP_BIT(item.group), item.groups);
		assert_int_equal(groups & PLUMB_SPE_GROUP_BIT(item.group), 0);
		assert_true(groups >> PLUMB_SPE_GROUP_INSTRUCTIONS & 1);
		assert_int_equal(plumb_samples_take_alike(f.samples), 0);
	}
	assert_false(next(&f, &item));
	/* They are counted, nevertheless. */
	assert_int_equal(plumb_samples_totals(f.samples)->groups[PLUMB_SPE_GROUP_INSTRUCTIONS], 2);
	finish(&f);
}

/* Older versions of perf have the period in samples of "instructions" only. */
static void other_periods_are_not_alike(void **state)
{
	const struct plumb_itrace itrace = itrace_of("i2iM");
	const struct plumb_samples_options options = {
		.size = sizeof(options), .itrace = &itrace, .like_perf = PLUMB_PERF_6_12};
	const struct plumb_spe_record records[] = {load(USER(1), 10), load(USER(2), 20)};
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	put_records(&f, 1, records, 2);
	begin(&f, &options);
	for (uint64_t i = 1; i <= 2; i++) {
		assert_true(next(&f, &item));
		assert_int_equal(item.group, PLUMB_SPE_GROUP_MEMORY);
		assert_int_equal(item.record->sample.period, 1);
		assert_int_equal(plumb_samples_take_alike(f.samples), 0);
	}
	assert_true(next(&f, &item));
	assert_int_equal(item.group, PLUMB_SPE_GROUP_INSTRUCTIONS);
	assert_int_equal(item.record->sample.period, 2);
	assert_false(next(&f, &item));
	finish(&f);
}

/* The thread of each record, in a recording with ITRACE_START and a SWITCH that is not CPU-wide. */
static void check_threads(enum plumb_perf_version like_perf, const int32_t threads[3])
{
	const struct plumb_spe_record records[] = {load(USER(1), 10), load(USER(2), 30),
						   load(USER(3), 50)};
	const struct plumb_samples_options options = {
		.size = sizeof(options), .each_record_once = true, .like_perf = like_perf};
	struct draft start = begun(PLUMB_RECORD_ITRACE_START, 0);
	struct plumb_samples_item item;
	struct fixture f;

	create(&f, false, NULL);
	add32(&start, 10);
	add32(&start, 11);
	put(&f, &start, 10, 11, 1, TIME(5));
	put_switch(&f, true, 11, -1, 1, TIME(20));
	put_switch(&f, false, 12, -1, 1, TIME(21));
	put_switch(&f, true, 12, -1, 1, TIME(40));
	put_switch(&f, false, 13, -1, 1, TIME(41));
	put_records(&f, 1, records, 3);
	begin(&f, &options);
	for (size_t i = 0; i < 3; i++) {
		assert_true(next(&f, &item));
		assert_int_equal(item.record->tid, threads[i]);
	}
	finish(&f);
}

static void threads_are_those_that_run(void **state)
{
	(void)state;
	check_threads(PLUMB_PERF_NEWEST, (const int32_t[]){11, 12, 13});
	/*
	 * Older versions of perf know nothing at first, then confuse the previous thread with the
	 * next.
	 */
	check_threads(PLUMB_PERF_6_1, (const int32_t[]){-1, 11, 12});
	check_threads(PLUMB_PERF_6_12, (const int32_t[]){-1, 11, 12});
}

static void context_packets_name_threads(void **state)
{
	struct plumb_spe_record records[] = {load(USER(1), 10), load(USER(2), 20)};
	const struct plumb_samples_options options = {.size = sizeof(options),
						      .each_record_once = true};
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	records[0].has |= PLUMB_SPE_HAS_CONTEXT_EL1;
	records[0].contexts[0] = 12;
	records[1].has |= PLUMB_SPE_HAS_CONTEXT_EL2;
	records[1].contexts[1] = 99;
	create(&f, false, NULL);
	put_comm(&f, 10, 12, TIME(1));
	put_switch(&f, true, 5, 11, 1, TIME(2));
	put_records(&f, 1, records, 2);
	begin(&f, &options);
	assert_true(next(&f, &item));
	assert_int_equal(item.record->pid, 10);
	assert_int_equal(item.record->tid, 12);
	assert_true(next(&f, &item));
	assert_int_equal(item.record->pid, -1);
	assert_int_equal(item.record->tid, 99);
	finish(&f);
}

static void a_filter_lets_samples_of_both_kinds_pass(void **state)
{
	const struct plumb_spe_record records[] = {load(USER(0x10), 10), load(USER(0x20), 20)};
	static const struct {
		const char *text;
		unsigned spe, pmu;
	} cases[] = {
		{"pc=0x20", 1, 1}, {"cpu=1", 2, 0},       {"cpu=0", 0, 1},
		{"user", 2, 1},    {"kernel", 0, 0},      {"l1d-miss", 2, 0},
		{"tid=11", 0, 1},  {"latency>=78", 0, 0}, {"time=0.0000018-", 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_spe_filter filter;
		const struct plumb_samples_options options = {
			.size = sizeof(options), .each_record_once = true, .filter = &filter};
		unsigned spe = 0, pmu = 0;
		struct plumb_samples_item item;
		struct fixture f;

		assert_int_equal(spe_filter_parse(cases[i].text, 0, &filter, NULL), 0);
		create(&f, false, NULL);
		put_sample(&f, 0x20, 11, 0, TIME(25));
		put_records(&f, 1, records, 2);
		begin(&f, &options);
		while (next(&f, &item)) {
			spe += item.spe != NULL;
			pmu += item.spe == NULL;
		}
		if (spe != cases[i].spe || pmu != cases[i].pmu)
			fail_msg("%s: %u %u", cases[i].text, spe, pmu);
		finish(&f);
	}
}

static void without_times_rings_come_one_after_another(void **state)
{
	const struct plumb_spe_record first[] = {load(USER(1), 90), load(USER(2), 91)};
	const struct plumb_spe_record second = load(USER(3), 10);
	const struct plumb_itrace itrace = itrace_of("i1i");

	(void)state;
	for (int like_perf = 0; like_perf < 2; like_perf++) {
		const struct plumb_samples_options options = {
			.size = sizeof(options),
			.itrace = &itrace,
			.like_perf = like_perf ? PLUMB_PERF_6_1 : PLUMB_PERF_NEWEST,
		};
		/* perf prints an empty sample before each ring's samples. */
		const uint64_t truth[] = {1, 2, 3}, perfs[] = {0, 1, 2, 0, 3};
		size_t count = like_perf ? 5 : 3;
		struct plumb_samples_item item;
		struct fixture f;

		create(&f, true, NULL);
		put_records(&f, 2, &second, 1);
		put_records(&f, 0, first, 2);
		begin(&f, &options);
		for (size_t i = 0; i < count; i++) {
			assert_true(next(&f, &item));
			assert_int_equal(item.record->sample.ip, like_perf ? perfs[i] : truth[i]);
			assert_false(item.record->has & PLUMB_RECORD_HAS_TIME);
		}
		assert_false(next(&f, &item));
		finish(&f);
	}
}

static bool has_finding(const struct plumb_diagnostics *diagnostics, const char *id,
			const char *part)
{
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++) {
		const struct plumb_diagnostic *d = plumb_diagnostics_get(diagnostics, i);

		if (strcmp(d->id, id) == 0 && strstr(d->message, part) &&
		    (d->hint || strcmp(id, "aux-unknown") == 0))
			return true;
	}
	return false;
}

static void losses_are_reported_with_their_hint(void **state)
{
	struct draft lost = begun(PLUMB_RECORD_LOST, 0);
	const struct plumb_samples_totals *totals;
	struct plumb_samples_item item;
	uint8_t bytes[128] = {0};
	struct plumb_spe_record record = load(USER(1), 10);
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	add64(&lost, DUMMY_ID);
	add64(&lost, 7);
	put(&f, &lost, 10, 10, 0, TIME(1));
	put_aux(&f, PLUMB_AUX_TRUNCATED | PLUMB_AUX_COLLISION);
	put_aux(&f, PLUMB_AUX_COLLISION);
	/* A record, three invalid bytes, and a truncated record. */
	assert_int_equal(spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes, 64), 64);
	memset(bytes + 64, 0xff, 3);
	assert_true(spe_encode_record(&record, SPE_LAYOUT_COMPACT, bytes + 72, 56) > 32);
	put_bytes(&f, 0, bytes, 104);
	begin(&f, NULL);
	while (next(&f, &item))
		assert_int_equal(item.record->sample.ip, 1);
	totals = plumb_samples_totals(f.samples);
	assert_int_equal(totals->records, 1);
	assert_int_equal(totals->bytes, 104);
	assert_int_equal(totals->lost->aux_skipped, 3);
	assert_int_equal(totals->lost->aux_first_skipped,
			 recording_aux_chunk(f.recording, 0)->place + 64);
	assert_int_equal(totals->lost->aux_unfinished, 1);
	assert_int_equal(totals->lost->aux_collisions, 2);
	assert_int_equal(totals->lost->aux_truncated, 1);
	assert_int_equal(totals->lost->lost_records, 7);
	plumb_losses_report(totals->lost, "perf.data", f.diagnostics);
	assert_true(has_finding(f.diagnostics, "lost-records", "7 records were lost"));
	assert_true(
		has_finding(f.diagnostics, "aux-truncated", "1 piece of AUX data was cut short"));
	assert_true(has_finding(f.diagnostics, "aux-collisions", "2 pieces"));
	assert_true(has_finding(f.diagnostics, "aux-skipped", "3 bytes"));
	assert_true(has_finding(f.diagnostics, "aux-unfinished", "1 SPE record"));
	assert_false(has_finding(f.diagnostics, "throttled", ""));
	finish(&f);
}

/* A larger buffer is advised, but not for a file that has lost its end. */
static void test_hint_for_unfinished_records(void **state)
{
	struct plumb_recording_losses losses = {.aux_unfinished = 1};

	(void)state;
	for (int cut_off = 0; cut_off <= 1; cut_off++) {
		struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();

		losses.cut_off = cut_off;
		plumb_losses_report(&losses, "perf.data", diagnostics);
		assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
		if (cut_off)
			assert_null(plumb_diagnostics_get(diagnostics, 0)->hint);
		else
			assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->hint,
					    "record with a larger AUX buffer");
		plumb_diagnostics_free(diagnostics);
	}
}

static void a_record_may_straddle_chunks(void **state)
{
	struct plumb_spe_record record = load(USER(0x77), 10);
	struct plumb_samples_item item;
	uint8_t bytes[128];
	struct fixture f;
	int size;

	(void)state;
	create(&f, false, NULL);
	size = spe_encode_record(&record, SPE_LAYOUT_COMPACT, bytes, sizeof(bytes));
	assert_true(size > 24);
	put_bytes(&f, 0, bytes, 16);
	put_bytes(&f, 0, bytes + 16, (size_t)size - 16);
	begin(&f, NULL);
	assert_true(next(&f, &item));
	assert_int_equal(item.record->sample.ip, 0x77);
	assert_int_equal(item.record->sample.weight, 77);
	assert_int_equal(item.record->offset, recording_aux_chunk(f.recording, 0)->place);
	finish(&f);
}

static void aux_data_of_others_is_left_out(void **state)
{
	static const uint64_t values[] = {8, 0};
	const struct plumb_auxtrace_info info = {.type = 1, .values = values, .count = 2};
	const struct plumb_spe_record record = load(USER(1), 10);
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, &info);
	put_records(&f, 0, &record, 1);
	begin(&f, NULL);
	assert_false(next(&f, &item));
	assert_true(has_finding(f.diagnostics, "aux-unknown", "not Arm SPE's"));
	finish(&f);
}

/* Random bytes with records among them, in chunks of every size: splitmix64. */
static uint64_t chance(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void put_noise(struct fixture *f, uint64_t *seed, uint32_t ring)
{
	static uint8_t bytes[1 << 20];
	size_t size = 0, most = chance(seed) % 8 ? 2000 : sizeof(bytes);

	while (size + 200 < most) {
		struct plumb_spe_record record = load(chance(seed), chance(seed) % 1000);

		record.events = chance(seed);
		if (chance(seed) % 4)
			size += (size_t)spe_encode_record(&record, SPE_LAYOUT_COMPACT, bytes + size,
							  128);
		for (uint64_t i = chance(seed) % 64; i < 4; i++)
			bytes[size++] = (uint8_t)chance(seed);
	}
	/* Cut off anywhere; the writer pads to eight bytes. */
	put_bytes(f, ring, bytes, (size - chance(seed) % 60) & ~(size_t)7);
}

struct copied_totals {
	struct plumb_samples_totals totals; /* without its pointer */
	struct plumb_recording_losses lost;
};

/* Digests the stream, read item by item or in batches. */
static struct copied_totals totals_of(struct fixture *f, bool batches,
				      const struct plumb_samples_options *options)
{
	const struct plumb_samples_batch *batch;
	struct copied_totals copy;
	struct plumb_samples_item item;
	uint64_t matched = 0;
	int status;

	begin(f, options);
	if (batches) {
		while ((status = plumb_samples_next_batch(f->samples, &batch)) > 0) {
			assert_int_equal(batch->record == NULL, batch->count > 0);
			matched += batch->count;
		}
		assert_int_equal(status, 0);
	} else {
		while (next(f, &item))
			;
	}
	copy.totals = *plumb_samples_totals(f->samples);
	copy.lost = *copy.totals.lost;
	copy.totals.lost = NULL;
	if (batches && options->like_perf == PLUMB_PERF_NEWEST)
		assert_int_equal(matched, copy.totals.matched);
	end(f);
	return copy;
}

static void check_orders(struct fixture *f, const struct plumb_samples_options *options)
{
	const struct copied_totals expected = totals_of(f, false, options);

	assert_true(expected.totals.records > 0);
	for (enum plumb_samples_order order = PLUMB_ORDER_TIME; order <= PLUMB_ORDER_FILE;
	     order++) {
		for (unsigned batches = 0; batches < 2; batches++) {
			struct plumb_samples_options ordered = *options;
			struct copied_totals copy;

			ordered.order = order;
			copy = totals_of(f, batches, &ordered);
			assert_memory_equal(&copy.totals, &expected.totals, sizeof(copy.totals));
			assert_memory_equal(&copy.lost, &expected.lost, sizeof(copy.lost));
		}
	}
}

static void totals_do_not_depend_on_the_order(void **state)
{
	const struct plumb_itrace itrace = itrace_of("i7ifmtbaM");
	struct plumb_spe_filter filter;

	(void)state;
	assert_int_equal(spe_filter_parse("l1d-miss,latency>5", 0, &filter, NULL), 0);
	for (uint64_t seed = 1; seed <= 6 / ONE_IN(3); seed++) {
		const size_t size = sizeof(struct plumb_samples_options);
		const struct plumb_samples_options plain = {.size = size, .itrace = &itrace},
						   filtered = {.size = size,
							       .itrace = &itrace,
							       .filter = &filter},
						   once = {.size = size, .each_record_once = true},
						   perfs = {.size = size,
							    .like_perf = PLUMB_PERF_6_12};
		uint64_t numbers = seed;
		struct fixture f;

		create(&f, seed % 2, NULL);
		put_comm(&f, 10, 10, TIME(1));
		for (uint32_t i = 0; i < 12; i++)
			put_noise(&f, &numbers, i % 3 * 5);
		check_orders(&f, &plain);
		check_orders(&f, &filtered);
		check_orders(&f, &once);
		check_orders(&f, &perfs);
		finish(&f);
	}
}

/* Runs of one thread, however it is known; the filter keeps the order. */
static void a_batch_is_of_one_thread(void **state)
{
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_TASKS, .each_record_once = true};
	const struct plumb_samples_batch *batch;
	struct plumb_spe_record records[40];
	size_t seen = 0;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		records[i] = load(USER(i), 10 * i + 5);
	create(&f, false, NULL);
	put_switch(&f, true, 1, 11, 1, TIME(1));
	put_sample(&f, 0x99, 12, 0, TIME(55));
	put_switch(&f, true, 11, 12, 1, TIME(100));
	put_switch(&f, true, 12, 13, 1, TIME(300));
	put_records(&f, 1, records, 40);
	begin(&f, &options);
	while (plumb_samples_next_batch(f.samples, &batch) > 0) {
		if (batch->record)
			continue;
		/* Samples of PMU events do not interrupt it. */
		assert_int_equal(batch->count, seen ? seen == 10 ? 20 : 10 : 10);
		assert_int_equal(batch->tid, seen ? seen == 10 ? 12 : 13 : 11);
		assert_int_equal(batch->task->tid, batch->tid);
		assert_int_equal(batch->cpu, 1);
		for (size_t i = 0; i < batch->count; i++) {
			assert_int_equal(batch->spe[i].timestamp, records[seen].timestamp);
			assert_int_equal(batch->spe[i].addresses[0], USER(seen));
			seen++;
		}
	}
	assert_int_equal(seen, 40);
	finish(&f);
}

/* Where code changes, a record that is not the file's says so, between the SPE records before and
 * after that time: once for each time, also at the end, and even if nobody takes it in. */
static void changes_of_code_come_at_their_time(void **state)
{
	static const uint64_t ticks[] = {100, 250, 390, 1000};
	static const size_t before[] = {10, 25, 39, 40};
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_TASKS, .each_record_once = true};
	const struct plumb_samples_batch *batch;
	struct plumb_spe_record records[40];
	size_t seen = 0, changes = 0;
	struct tasks *tasks;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < 40; i++)
		records[i] = load(USER(i), 10 * i + 5);
	create(&f, false, NULL);
	put_switch(&f, true, 1, 11, 1, TIME(1));
	put_sample(&f, 0x99, 12, 0, TIME(55));
	put_switch(&f, true, 11, 12, 1, TIME(200));
	put_records(&f, 1, records, 40);
	begin(&f, &options);
	tasks = recording_tasks(f.recording);
	assert_int_equal(tasks->code_changes, UINT64_MAX);
	tasks->code_changes = TIME(ticks[0]);
	while (plumb_samples_next_batch(f.samples, &batch) > 0) {
		if (!batch->record)
			seen += batch->count;
		if (!batch->record || batch->record->type != PLUMB_RECORD_TEXT_POKE)
			continue;
		assert_true(changes < 4);
		assert_int_equal(batch->record->time, TIME(ticks[changes]));
		assert_int_equal(seen, before[changes]);
		if (++changes < 4)
			tasks->code_changes = TIME(ticks[changes]);
	}
	assert_int_equal(seen, 40);
	assert_int_equal(changes, 4);
	finish(&f);
}

/* Chunk by chunk in the order of the file, whatever the times. */
static void in_file_order_chunks_come_as_they_stand(void **state)
{
	const struct plumb_spe_record late = load(USER(1), 900), early = load(USER(2), 10);
	const struct plumb_samples_options options = {
		.size = sizeof(options), .order = PLUMB_ORDER_FILE, .each_record_once = true};
	const uint32_t rings[] = {5, 2, 5};
	const struct plumb_spe_record *records[] = {&late, &early, &early};
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	for (size_t i = 0; i < 3; i++)
		put_records(&f, rings[i], records[i], 1);
	begin(&f, &options);
	for (size_t i = 0; i < 3; i++) {
		assert_true(next(&f, &item));
		assert_int_equal(item.ring, rings[i]);
		assert_int_equal(item.spe->timestamp, records[i]->timestamp);
	}
	assert_false(next(&f, &item));
	finish(&f);
}

/* The place of the PMU's second sample: the second record of its type and size. */
static off_t second_sample(int descriptor)
{
	uint32_t words[1024];
	const ssize_t size = pread(descriptor, words, sizeof(words), 0);
	unsigned found = 0;

	for (size_t i = 0; i + 1 < (size_t)size / 4; i += 2) {
		if (words[i] == PLUMB_RECORD_SAMPLE && words[i + 1] == (2 | 48 << 16) &&
		    ++found == 2)
			return (off_t)(4 * i);
	}
	fail_msg("no second sample");
	return 0;
}

/*
 * The second of two samples is followed by a record of size 0: in every order, everything readable
 * is returned first, and then the error.
 */
static void damage_costs_only_what_is_damaged(void **state)
{
	const struct plumb_spe_record record = load(USER(1), 10);

	(void)state;
	for (enum plumb_samples_order order = PLUMB_ORDER_TIME; order <= PLUMB_ORDER_FILE;
	     order++) {
		const struct plumb_samples_options options = {
			.size = sizeof(options), .order = order, .each_record_once = true};
		const uint8_t zeros[8] = {0};
		unsigned spe = 0, pmu = 0;
		struct fixture f;
		int status, descriptor;

		create(&f, false, NULL);
		put_records(&f, 0, &record, 1);
		put_sample(&f, 0x10, 11, 0, TIME(25));
		put_sample(&f, 0x20, 11, 0, TIME(26));
		put_records(&f, 1, &record, 1);
		assert_int_equal(plumb_recording_finish(f.writer, NULL), 0);
		f.writer = NULL;
		descriptor = open(path, O_RDWR | O_CLOEXEC);
		assert_true(descriptor >= 0);
		assert_int_equal(pwrite(descriptor, zeros, 8, second_sample(descriptor)), 8);
		close(descriptor);
		begin(&f, &options);
		while ((status = plumb_samples_next(f.samples, &f.item)) > 0) {
			spe += f.item->spe != NULL;
			pmu += f.item->record->type == PLUMB_RECORD_SAMPLE && !f.item->spe;
		}
		assert_int_equal(status, PLUMB_ERR_INVALID);
		assert_int_equal(plumb_samples_next(f.samples, &f.item), 0);
		assert_int_equal(pmu, 1);
		assert_int_equal(spe, 2);
		finish(&f);
	}
}

static void samples_name_their_thread(void **state)
{
	const struct plumb_spe_record record = load(USER(1), 100);
	struct plumb_samples_item item;
	struct fixture f;

	(void)state;
	create(&f, false, NULL);
	put_comm(&f, 10, 11, TIME(1));
	put_sample(&f, 0x10, 11, 0, TIME(20));
	put_sample(&f, 0x20, 12, 0, TIME(30));
	put_switch(&f, true, 5, 11, 3, TIME(40));
	put_records(&f, 3, &record, 1);
	begin(&f, NULL);
	assert_true(next(&f, &item));
	assert_string_equal(item.task->comm, "a");
	assert_true(next(&f, &item));
	assert_string_equal(item.task->comm, ":12");
	assert_true(next(&f, &item));
	assert_string_equal(item.task->comm, "a");
	assert_int_equal(item.task->pid, 10);
	assert_ptr_equal(plumb_samples_task(f.samples, -1, 11), item.task);
	finish(&f);
}

/* ---- SPE data alone -------------------------------------------------------------------------- */

static void bare_data_is_a_recording_of_one_ring(void **state)
{
	const struct plumb_recording_options bare = {.size = sizeof(bare), .bare_spe = true};
	const struct plumb_samples_options options = {.size = sizeof(options),
						      .each_record_once = true};
	struct plumb_spe_record record = load(USER(0x4000), 10);
	uint8_t bytes[3 * 64];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(
			spe_encode_record(&record, SPE_LAYOUT_NEOVERSE, bytes + 64 * i, 64), 64);
	for (unsigned through_pipe = 0; through_pipe < 2; through_pipe++) {
		struct fixture f = {.diagnostics = plumb_diagnostics_new()};
		struct plumb_samples_item item;
		int ends[2];

		if (through_pipe) {
			assert_int_equal(pipe(ends), 0);
		} else {
			ends[0] = memfd_create("bare", 0);
			ends[1] = dup(ends[0]);
		}
		assert_int_equal(write(ends[1], bytes, sizeof(bytes)), sizeof(bytes));
		close(ends[1]);
		assert_int_equal(
			recording_open_fd(ends[0], "bare", &bare, &f.recording, f.diagnostics), 0);
		assert_int_equal(
			plumb_samples_begin(f.recording, &options, &f.samples, f.diagnostics), 0);
		for (size_t i = 0; i < 3; i++) {
			assert_true(next(&f, &item));
			assert_int_equal(item.record->sample.ip, 0x4000);
			assert_int_equal(item.record->offset, 64 * i);
			assert_int_equal(item.record->pid, -1);
			assert_false(item.record->has &
				     (PLUMB_RECORD_HAS_TIME | PLUMB_RECORD_HAS_CPU));
			assert_string_equal(item.record->event->name, "instructions");
		}
		assert_false(next(&f, &item));
		assert_int_equal(plumb_diagnostics_count(f.diagnostics), 0);
		end(&f);
		plumb_diagnostics_free(f.diagnostics);
	}
}

/* Begins a recording of a group; threads may inherit it, and samples then have their ids. */
static void create_group(struct fixture *f, bool inherited)
{
	static const uint64_t ids[] = {301, 302};
	struct plumb_recorded_event events[] = {
		{.ids = &ids[0], .id_count = 1, .name = "leader", .members = 2},
		{.ids = &ids[1], .id_count = 1, .name = "member"},
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(setup), .events = events, .event_count = 2};

	for (size_t i = 0; i < 2; i++)
		events[i].attr = (struct plumb_event_attr){
			.size = 128,
			.sample_type =
				1 << 0 | (inherited ? 1 << 1 : 0) | 1 << 2 | 1 << 4 | 1 << 16,
			.read_format = 1 << 2 | 1 << 3,
			.flags = inherited ? PLUMB_ATTR_BIT(PLUMB_ATTR_INHERIT) : 0,
		};
	assert_int_equal(plumb_recording_create(path, &setup, &f->writer, f->diagnostics), 0);
}

/*
 * Writes a sample of a group whose events 301 and 302 have reached `first` and `second`; in thread
 * `tid` unless that is 0.
 */
static void put_counts(struct fixture *f, uint64_t ip, uint32_t tid, uint64_t first,
		       uint64_t second)
{
	struct draft d = begun(PLUMB_RECORD_SAMPLE, 0);
	const uint64_t members[] = {301,    ip, 1000 | (uint64_t)tid << 32, TIME(ip), 2, first, 301,
				    second, 302};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (tid || i != 2)
			add64(&d, members[i]);
	d.words[1] = 2 | (uint32_t)d.count * 4 << 16;
	assert_int_equal(plumb_recording_write(f->writer, d.words, d.count * 4), 0);
}

static void next_is(struct fixture *f, const char *event, uint64_t ip, uint64_t period)
{
	do
		assert_int_equal(plumb_samples_next(f->samples, &f->item), 1);
	while (f->item->record->type == PLUMB_RECORD_EVENT_UPDATE);
	assert_string_equal(f->item->record->event->name, event);
	assert_int_equal(f->item->record->sample.ip, ip);
	assert_int_equal(f->item->record->sample.period, period);
}

/* Threads that inherit the events count separately, with the same ids. */
static void a_group_is_read_for_each_thread(void **state)
{
	struct fixture f = {.diagnostics = plumb_diagnostics_new()};

	(void)state;
	create_group(&f, true);
	put_counts(&f, 1, 1001, 1000, 70);
	for (uint32_t tid = 1100; tid < 1200; tid++)
		put_counts(&f, 2, tid, tid, 1);
	put_counts(&f, 3, 1001, 1100, 71);
	put_counts(&f, 4, 1150, 1155, 1);
	begin(&f, NULL);
	next_is(&f, "leader", 1, 1000);
	next_is(&f, "member", 1, 70);
	for (uint32_t tid = 1100; tid < 1200; tid++) {
		next_is(&f, "leader", 2, tid);
		assert_int_equal(f.item->record->tid, tid);
		next_is(&f, "member", 2, 1);
	}
	next_is(&f, "leader", 3, 100);
	next_is(&f, "member", 3, 1);
	next_is(&f, "leader", 4, 5);
	assert_int_equal(plumb_samples_next(f.samples, &f.item), 0);
	finish(&f);
}

/* As in perf: one sample for each event whose count grew, with the growth as its period. */
static void a_group_read_at_once_is_a_sample_of_each_event(void **state)
{
	struct fixture f = {.diagnostics = plumb_diagnostics_new()};

	(void)state;
	create_group(&f, false);
	put_counts(&f, 1, 0, 100, 7);
	put_counts(&f, 2, 0, 200, 7);
	put_counts(&f, 3, 0, 200, 7);
	put_counts(&f, 4, 0, 350, 9);
	begin(&f, NULL);
	next_is(&f, "leader", 1, 100);
	next_is(&f, "member", 1, 7);
	next_is(&f, "leader", 2, 100);
	next_is(&f, "leader", 4, 150);
	next_is(&f, "member", 4, 2);
	assert_int_equal(plumb_samples_next(f.samples, &f.item), 0);
	finish(&f);
}

/* A count only grows, so one that is less is damaged: it is reported, and makes no sample. */
static void a_count_that_shrinks_is_damaged(void **state)
{
	struct fixture f = {.diagnostics = plumb_diagnostics_new()};
	const struct plumb_diagnostic *said;

	(void)state;
	create_group(&f, false);
	put_counts(&f, 1, 0, 100, 7);
	put_counts(&f, 2, 0, 1, 8);
	begin(&f, NULL);
	next_is(&f, "leader", 1, 100);
	next_is(&f, "member", 1, 7);
	next_is(&f, "member", 2, 1);
	assert_int_equal(plumb_samples_next(f.samples, &f.item), 0);
	assert_int_equal(plumb_diagnostics_count(f.diagnostics), 1);
	said = plumb_diagnostics_get(f.diagnostics, 0);
	assert_string_equal(said->id, "damaged-record");
	assert_non_null(strstr(said->message, "a count of event leader is less than"));
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_has_what_the_record_and_the_recording_say),
		cmocka_unit_test(all_come_in_order_of_time),
		cmocka_unit_test(a_branch_has_its_target_for_an_address),
		cmocka_unit_test(a_branch_says_what_kind_it_is),
		cmocka_unit_test(records_can_come_once_each),
		cmocka_unit_test(instructions_are_sampled_down),
		cmocka_unit_test(alike_samples_can_be_taken_at_once),
		cmocka_unit_test(other_periods_are_not_alike),
		cmocka_unit_test(threads_are_those_that_run),
		cmocka_unit_test(context_packets_name_threads),
		cmocka_unit_test(a_filter_lets_samples_of_both_kinds_pass),
		cmocka_unit_test(a_group_read_at_once_is_a_sample_of_each_event),
		cmocka_unit_test(a_count_that_shrinks_is_damaged),
		cmocka_unit_test(a_group_is_read_for_each_thread),
		cmocka_unit_test(without_times_rings_come_one_after_another),
		cmocka_unit_test(losses_are_reported_with_their_hint),
		cmocka_unit_test(a_record_may_straddle_chunks),
		cmocka_unit_test(aux_data_of_others_is_left_out),
		cmocka_unit_test(totals_do_not_depend_on_the_order),
		cmocka_unit_test(a_batch_is_of_one_thread),
		cmocka_unit_test(changes_of_code_come_at_their_time),
		cmocka_unit_test(in_file_order_chunks_come_as_they_stand),
		cmocka_unit_test(damage_costs_only_what_is_damaged),
		cmocka_unit_test(samples_name_their_thread),
		cmocka_unit_test(test_hint_for_unfinished_records),
		cmocka_unit_test(bare_data_is_a_recording_of_one_ring),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
