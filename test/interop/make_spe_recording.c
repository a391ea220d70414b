/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_spe_recording OUT SEED RECORDS RINGS [OPTION...]: a recording of SPE records by chance, as
 * `perf record -e arm_spe//` on a machine would leave it, made with Plumb's writer and encoder.
 *
 *	thread     rings of threads, not of CPUs
 *	timeless   no times at all
 *	contexts   records have context packets
 *	switches   SWITCH_CPU_WIDE records tell which thread a CPU runs
 *	plain      SWITCH records do, as where no CPU-wide event is
 *	odd        records that older perfs take for others: SVE operations, a hypervisor's code
 *	new        operations, events and packets of any version of SPE
 *	compact    records without padding
 *	midr=HEX   the core's, in CPUID
 *	cores=HEX,...  those of CPU 0, 1, ... and again, in AUXTRACE_INFO; no CPUID
 *	chunk=N    bytes of AUX data to a chunk
 *	clock      samples of cpu-clock in between
 *	physical   physical addresses
 *	collisions AUX records with flags
 *	every      fewer loads, stores and branches; some packets are left out
 *	layouts=N  records of N layouts by chance: which packets, in which order, of which sizes
 *	gaps       padding of any length between packets and between records
 *	code=N     instructions at N addresses, rather than anywhere
 *	program=FILE  that the code is of, rather than one that is not there
 *	text=HEX   where code begins in the program's file; all of it is the program's then
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/recording.h>
#include <plumb/spe.h>

#include "spe/encode.h"

#define RINGS_MAX   64
#define THREADS     5
#define FIRST_TID   1000
#define PMU_TYPE    11
#define NS_OF_TICK  40
#define TIME_ZERO   UINT64_C(1000000)
#define FIRST_TIME  UINT64_C(5000000000)
#define SAMPLE_TYPE (1 << 0 | 1 << 1 | 1 << 16) /* IP, TID, IDENTIFIER */
#define SAMPLE_TIME (1 << 2)
#define SAMPLE_CPU  (1 << 7)
#define SAMPLE_PHYS (1 << 19)

enum { SPE_ID = 101, DUMMY_ID = 201, CLOCK_ID = 301 };

struct ring {
	uint8_t *bytes;
	size_t size;
	uint64_t offset;
	uint64_t time;
	int thread; /* that runs */
};

static struct {
	bool thread, timeless, contexts, switches, plain, odd, new, clock, physical, collisions,
		gaps, every;
	enum spe_layout layout;
	const char *midr;
	char *cores;
	size_t chunk;
	unsigned rings, layouts;
	uint64_t code, text;
	const char *program;
} options = {.layout = SPE_LAYOUT_NEOVERSE,
	     .midr = "0x00000000413fd0c1",
	     .chunk = 4096,
	     .program = "/no/such/program"};

static struct ring rings[RINGS_MAX];
static struct plumb_recording_writer *writer;
static struct plumb_diagnostics *diagnostics;
static uint64_t state, now = FIRST_TIME;

static void check(int error)
{
	if (error >= 0)
		return;
	fprintf(stderr, "make_spe_recording: %s\n", plumb_error_name(error));
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		fprintf(stderr, "%s\n", plumb_diagnostics_get(diagnostics, i)->message);
	exit(1);
}

/* splitmix64 */
static uint64_t chance(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t below(uint64_t limit)
{
	return chance() % limit;
}

/* ---- Records of the kernel ----------------------------------------------------------------------
 */

struct draft {
	uint8_t bytes[4096];
	size_t size;
};

static void put(struct draft *draft, const void *bytes, size_t size)
{
	memcpy(draft->bytes + draft->size, bytes, size);
	draft->size += size;
}

static void put32(struct draft *draft, uint32_t value)
{
	put(draft, &value, sizeof(value));
}

static void put64(struct draft *draft, uint64_t value)
{
	put(draft, &value, sizeof(value));
}

static void put_text(struct draft *draft, const char *text)
{
	static const char zeros[8];
	size_t size = strlen(text) + 1;

	put(draft, text, size);
	put(draft, zeros, (8 - size % 8) % 8);
}

static void begin(struct draft *draft, uint32_t type, uint16_t misc)
{
	*draft = (struct draft){0};
	put32(draft, type);
	put32(draft, misc);
}

static void finish(struct draft *draft)
{
	uint16_t size = (uint16_t)draft->size;

	memcpy(draft->bytes + 6, &size, sizeof(size));
	check(plumb_recording_write(writer, draft->bytes, draft->size));
}

/* The trailer of all records but samples. */
static void finish_with_id(struct draft *draft, int tid, uint32_t cpu)
{
	put32(draft, tid ? FIRST_TID : 0);
	put32(draft, (uint32_t)tid);
	if (!options.timeless)
		put64(draft, now);
	if (!options.thread) {
		put32(draft, cpu);
		put32(draft, 0);
	}
	put64(draft, DUMMY_ID);
	finish(draft);
}

static void write_comm(int tid, const char *comm)
{
	struct draft draft;

	begin(&draft, PLUMB_RECORD_COMM, 0);
	put32(&draft, FIRST_TID);
	put32(&draft, (uint32_t)tid);
	put_text(&draft, comm);
	finish_with_id(&draft, tid, 0);
}

static void write_mmap(void)
{
	struct draft draft;

	begin(&draft, PLUMB_RECORD_MMAP, 2);
	put32(&draft, FIRST_TID);
	put32(&draft, FIRST_TID);
	put64(&draft, 0x400000);
	put64(&draft, options.text ? 0x10000000 : 0x100000);
	put64(&draft, 0);
	put_text(&draft, options.program);
	finish_with_id(&draft, FIRST_TID, 0);
}

static void write_task(uint32_t type, int tid)
{
	struct draft draft;

	begin(&draft, type, 0);
	put32(&draft, FIRST_TID);
	put32(&draft, FIRST_TID);
	put32(&draft, (uint32_t)tid);
	put32(&draft, FIRST_TID);
	put64(&draft, now);
	finish_with_id(&draft, tid, 0);
}

static void write_switch(unsigned cpu, int from, int to)
{
	struct draft draft;

	if (options.plain) {
		begin(&draft, PLUMB_RECORD_SWITCH, 1 << 13);
		finish_with_id(&draft, from, cpu);
		begin(&draft, PLUMB_RECORD_SWITCH, 0);
		finish_with_id(&draft, to, cpu);
		return;
	}

	begin(&draft, PLUMB_RECORD_SWITCH_CPU_WIDE, 1 << 13);
	put32(&draft, to ? FIRST_TID : 0);
	put32(&draft, (uint32_t)to);
	finish_with_id(&draft, from, cpu);
	begin(&draft, PLUMB_RECORD_SWITCH_CPU_WIDE, 0);
	put32(&draft, from ? FIRST_TID : 0);
	put32(&draft, (uint32_t)from);
	finish_with_id(&draft, to, cpu);
}

static void write_clock_sample(unsigned cpu, int tid)
{
	struct draft draft;

	begin(&draft, PLUMB_RECORD_SAMPLE, 2);
	put64(&draft, CLOCK_ID);
	put64(&draft, 0x400000 + below(0x1000) * 4);
	put32(&draft, tid ? FIRST_TID : 0);
	put32(&draft, (uint32_t)tid);
	if (!options.timeless)
		put64(&draft, now);
	if (!options.thread) {
		put32(&draft, cpu);
		put32(&draft, 0);
	}
	finish(&draft);
}

/* ---- SPE records --------------------------------------------------------------------------------
 */

static uint64_t code(bool kernel)
{
	if (kernel && !options.text)
		return UINT64_C(0xa0ff800008000000) +
		       below(options.code ? options.code : 0x10000) * 4;
	return UINT64_C(0x8000000000400000) + options.text +
	       below(options.code ? options.code : 0x4000) * 4;
}

/* A load's or store's payload that Arm's description lists. */
static uint8_t new_access(void)
{
	static const uint8_t fixed[] = {0x00, 0x04, 0x10, 0x14, 0x20, 0x30, 0x40, 0x44};
	const uint8_t store = below(2);

	switch (below(4)) {
	case 0: /* extended: atomic, exclusive, acquire or release */
		return (uint8_t)(store | 0x02 | (chance() & 0x1c));
	case 1: /* SVE or SME: length, predicated, gather or scatter */
		return (uint8_t)(store | 0x08 | (chance() & 0xf4));
	case 2:
		return store ? 0x25 : 0x20;
	default:
		return (uint8_t)(store | fixed[below(sizeof(fixed))]);
	}
}

static uint8_t new_other(void)
{
	switch (below(3)) {
	case 0:
		return (uint8_t)below(8);
	case 1: /* SVE: length, predicated, floating point */
		return (uint8_t)(0x08 | (chance() & 0x76));
	default: /* SME: tile size, floating point */
		return (uint8_t)(0x88 | (chance() & 0x76));
	}
}

static void make_new(struct plumb_spe_record *record, bool kernel)
{
	record->events |= chance() & UINT64_C(0x3ff0fff);
	if (below(2)) {
		record->has |= PLUMB_SPE_HAS_PREVIOUS_TARGET;
		record->addresses[PLUMB_SPE_PREVIOUS_TARGET] = code(kernel);
	}
	if (record->op_class == PLUMB_SPE_LOAD_STORE) {
		record->operation = new_access();
		record->has &= ~(uint32_t)PLUMB_SPE_HAS_DATA_SOURCE;
		if (!(record->operation & 1))
			record->has |= PLUMB_SPE_HAS_DATA_SOURCE;
		record->data_source = below(20);
	} else if (record->op_class == PLUMB_SPE_BRANCH) {
		record->operation = (uint8_t)below(32);
		if (below(8) == 0)
			record->counters[PLUMB_SPE_TOTAL_LATENCY] = UINT16_MAX;
	} else {
		record->operation = new_other();
	}
}

static void load_or_store(struct plumb_spe_record *record)
{
	static const uint8_t operations[] = {0, 1, 0, 1, 4, 5, 0x10, 0x16, 0x1e, 0x0a, 0x2b};
	static const uint8_t sources[] = {0, 0, 0, 8, 9, 10, 11, 12, 13, 14, 3};

	record->has |= PLUMB_SPE_HAS_DATA_VIRTUAL | PLUMB_SPE_HAS_TRANSLATION_LATENCY;
	record->op_class = PLUMB_SPE_LOAD_STORE;
	record->operation = operations[below(sizeof(operations))];
	record->events = 2 | (chance() & 0xf3c);
	record->counters[PLUMB_SPE_TRANSLATION_LATENCY] = (uint16_t)below(100);
	record->addresses[PLUMB_SPE_DATA_VIRTUAL] =
		below(4) ? UINT64_C(0x0000ffff80000000) + below(1 << 20)
			 : UINT64_C(0x05ff000012345678) + below(1 << 20);
	if (options.physical) {
		record->has |= PLUMB_SPE_HAS_DATA_PHYSICAL;
		record->addresses[PLUMB_SPE_DATA_PHYSICAL] =
			UINT64_C(0x8000000080000000) + below(1 << 30);
	}
	if (!(record->operation & 1)) {
		record->has |= PLUMB_SPE_HAS_DATA_SOURCE;
		record->data_source = sources[below(sizeof(sources))];
	}
}

/* As the model does: branches that are not taken have no target. */
static void leave_out(struct plumb_spe_record *record)
{
	if (record->op_class == PLUMB_SPE_BRANCH && record->events & 0x40)
		record->has &= ~(uint32_t)PLUMB_SPE_HAS_BRANCH_TARGET;
	if (below(2))
		record->has &= ~(uint32_t)PLUMB_SPE_HAS_ISSUE_LATENCY;
}

static void make_record(struct plumb_spe_record *record, const struct ring *ring)
{
	bool kernel = below(5) == 0;
	/* Of ten operations, five access memory and three branch; of every operation, fewer. */
	uint64_t kind = options.every ? 3 + below(12) : below(10);

	*record = (struct plumb_spe_record){
		.has = PLUMB_SPE_HAS_PC | PLUMB_SPE_HAS_EVENTS | PLUMB_SPE_HAS_OPERATION |
		       PLUMB_SPE_HAS_TOTAL_LATENCY | PLUMB_SPE_HAS_ISSUE_LATENCY,
		.events = 2,
	};
	record->addresses[PLUMB_SPE_PC] = code(kernel);
	record->counters[PLUMB_SPE_TOTAL_LATENCY] = (uint16_t)below(4096);
	record->counters[PLUMB_SPE_ISSUE_LATENCY] = (uint16_t)below(50);
	if (kind < 5) {
		load_or_store(record);
	} else if (kind < 8) {
		record->op_class = PLUMB_SPE_BRANCH;
		record->operation = (uint8_t)below(4);
		record->events = 2 | (chance() & 0xc0);
		record->has |= PLUMB_SPE_HAS_BRANCH_TARGET;
		record->addresses[PLUMB_SPE_BRANCH_TARGET] = code(kernel);
	} else {
		record->op_class = PLUMB_SPE_OTHER;
		record->operation = (uint8_t)below(2);
	}
	if (options.every)
		leave_out(record);
	if (options.odd && below(3) == 0) {
		record->addresses[PLUMB_SPE_PC] = UINT64_C(0xc000000000010000) + below(100) * 4;
		if (record->op_class == PLUMB_SPE_OTHER)
			record->operation = (uint8_t)(0x08 | (chance() & 0x76));
	}
	if (options.new)
		make_new(record, kernel);
	if (options.contexts) {
		record->has |= PLUMB_SPE_HAS_CONTEXT_EL1;
		record->contexts[0] = (uint32_t)(ring->thread);
	}
	if (!options.timeless) {
		record->has |= PLUMB_SPE_HAS_TIMESTAMP;
		record->timestamp = (now - TIME_ZERO) / NS_OF_TICK;
	}
}

/* ---- Records of other layouts -------------------------------------------------------------------
 */

#define LAYOUTS_MAX  256
#define LAYOUT_STEPS 12
#define ENCODED_MAX  512

/* The packets of a record but the last, in their order; sizes of payloads where these vary. */
struct layout {
	struct plumb_spe_packet packets[LAYOUT_STEPS];
	size_t count;
};

static struct layout layouts[LAYOUTS_MAX];

static void add_packet(struct layout *layout, uint8_t type, uint8_t index, uint8_t payload_bytes)
{
	const size_t place = (size_t)below(layout->count + 1);

	layout->packets[layout->count++] = layout->packets[place];
	layout->packets[place] = (struct plumb_spe_packet){
		.type = type, .index = index, .payload_bytes = payload_bytes};
}

static void make_layout(struct layout *layout)
{
	const uint8_t class = (uint8_t)below(3);

	add_packet(layout, PLUMB_SPE_ADDRESS, PLUMB_SPE_PC, 8);
	add_packet(layout, PLUMB_SPE_OPERATION, class, 1);
	add_packet(layout, PLUMB_SPE_EVENTS, 0, (uint8_t)(2 << below(3)));
	for (uint8_t counter = 0; counter < 2; counter++)
		if (below(4))
			add_packet(layout, PLUMB_SPE_COUNTER, counter, 2);
	if (options.contexts)
		add_packet(layout, PLUMB_SPE_CONTEXT, (uint8_t)below(2), 4);
	if (class == PLUMB_SPE_BRANCH)
		add_packet(layout, PLUMB_SPE_ADDRESS, PLUMB_SPE_BRANCH_TARGET, 8);
	if (class != PLUMB_SPE_LOAD_STORE)
		return;
	add_packet(layout, PLUMB_SPE_ADDRESS, PLUMB_SPE_DATA_VIRTUAL, 8);
	if (below(2))
		add_packet(layout, PLUMB_SPE_ADDRESS, PLUMB_SPE_DATA_PHYSICAL, 8);
	if (below(2))
		add_packet(layout, PLUMB_SPE_COUNTER, PLUMB_SPE_TRANSLATION_LATENCY, 2);
	if (below(2))
		add_packet(layout, PLUMB_SPE_DATA_SOURCE, 0, (uint8_t)(1 << below(2)));
}

/* A value for the packet, as a record of its class has. */
static uint64_t make_payload(const struct plumb_spe_packet *packet, const struct ring *ring,
			     bool kernel)
{
	static const uint8_t sources[] = {0, 0, 0, 8, 9, 10, 11, 12, 13, 14, 3};

	switch (packet->type) {
	case PLUMB_SPE_ADDRESS:
		if (packet->index <= PLUMB_SPE_BRANCH_TARGET)
			return code(kernel);
		return packet->index == PLUMB_SPE_DATA_VIRTUAL
			       ? UINT64_C(0x0000ffff80000000) + below(1 << 20)
			       : UINT64_C(0x8000000080000000) + below(1 << 30);
	case PLUMB_SPE_OPERATION:
		return below(2);
	case PLUMB_SPE_EVENTS:
		return 2 | (chance() & 0xffc);
	case PLUMB_SPE_COUNTER:
		return below(4096);
	case PLUMB_SPE_CONTEXT:
		return (uint32_t)ring->thread;
	default:
		return sources[below(sizeof(sources))];
	}
}

static size_t gap(size_t most)
{
	return options.gaps && below(4) == 0 ? (size_t)below(most) : 0;
}

/* Room for ENCODED_MAX bytes is there, which are all zero. Returns how many it has written. */
static size_t write_record(const struct layout *layout, const struct ring *ring, uint8_t *bytes)
{
	struct plumb_spe_packet last = {.type = PLUMB_SPE_END};
	const bool kernel = below(5) == 0;
	size_t size = gap(64);

	for (size_t i = 0; i < layout->count; i++) {
		struct plumb_spe_packet packet = layout->packets[i];
		int written;

		packet.payload = make_payload(&packet, ring, kernel);
		written = spe_encode_packet(&packet, bytes + size, PLUMB_SPE_PACKET_MAX);
		check(written);
		size += (size_t)written + gap(12);
	}
	if (!options.timeless)
		last = (struct plumb_spe_packet){.type = PLUMB_SPE_TIMESTAMP,
						 .payload = (now - TIME_ZERO) / NS_OF_TICK,
						 .payload_bytes = 8};
	size += (size_t)spe_encode_packet(&last, bytes + size, PLUMB_SPE_PACKET_MAX);
	return options.layout == SPE_LAYOUT_NEOVERSE ? (size + 63) & ~(size_t)63 : size;
}

static void flush(unsigned number)
{
	struct ring *ring = &rings[number];
	struct plumb_aux_chunk chunk = {
		.offset = ring->offset,
		.reference = 0x1234567,
		.index = number,
		.tid = options.thread ? FIRST_TID + (int)number % THREADS : -1,
		.cpu = options.thread ? -1 : (int)number,
	};
	struct draft draft;

	if (!ring->size)
		return;
	begin(&draft, PLUMB_RECORD_AUX, 0);
	put64(&draft, ring->offset);
	put64(&draft, ring->size);
	put64(&draft, options.collisions ? below(2) * PLUMB_AUX_COLLISION + below(2) : 0);
	finish_with_id(&draft, ring->thread, number);
	check(plumb_recording_write_aux(writer, &chunk, ring->bytes, ring->size, NULL, 0));
	ring->offset += ring->size;
	ring->size = 0;
}

static void add_record(unsigned number)
{
	struct ring *ring = &rings[number];
	struct plumb_spe_record record;
	int size;

	if (ring->size + (options.layouts ? ENCODED_MAX : SPE_RECORD_MAX) > options.chunk)
		flush(number);
	if (options.layouts) {
		memset(ring->bytes + ring->size, 0, ENCODED_MAX);
		ring->size += write_record(&layouts[below(options.layouts)], ring,
					   ring->bytes + ring->size);
		return;
	}
	make_record(&record, ring);
	size = spe_encode_record(&record, options.layout, ring->bytes + ring->size,
				 options.chunk - ring->size);
	check(size);
	ring->size += (size_t)size;
}

/* ---- The recording ------------------------------------------------------------------------------
 */

/* What perf says of each CPU since 6.13: its MIDR, PMU, interval and the events that it can tell.
 */
static size_t describe_cores(uint64_t *values)
{
	const uint64_t head[] = {2, 4, PMU_TYPE, options.rings};
	char *core = options.cores;
	size_t count = 0;

	memcpy(values, head, sizeof(head));
	count += 4;
	for (unsigned cpu = 0; cpu < options.rings; cpu++) {
		const uint64_t midr = strtoul(core, &core, 16);
		const uint64_t cpu_values[] = {
			UINT64_C(0x1010101010101010), cpu, 4, midr, PMU_TYPE, 256,
			cpu % 2 ? 0 : 0xfeffff};

		memcpy(values + count, cpu_values, sizeof(cpu_values));
		count += 7;
		core = *core == ',' ? core + 1 : options.cores;
	}
	return count;
}

static void create(const char *path)
{
	const uint64_t ids[] = {SPE_ID, DUMMY_ID, CLOCK_ID};
	uint64_t values[4 + 7 * RINGS_MAX] = {PMU_TYPE, !options.thread};
	const struct plumb_auxtrace_info info = {
		.type = 4,
		.values = values,
		.count = options.cores ? describe_cores(values) : 2,
	};
	const struct plumb_time_conv clock = {.shift = 24,
					      .mult = (uint64_t)NS_OF_TICK << 24,
					      .zero = TIME_ZERO,
					      .mask = UINT64_MAX,
					      .cap_user_time_zero = true};
	uint64_t type = SAMPLE_TYPE | (options.timeless ? 0 : SAMPLE_TIME) |
			(options.thread ? 0 : SAMPLE_CPU);
	struct plumb_recorded_event events[] = {
		{.attr = {.type = PMU_TYPE, .sample_period = 1024}, .name = "arm_spe_0//"},
		{.attr = {.type = 1, .config = 9}, .name = "dummy:u"},
		{.attr = {.type = 1, .config = 0}, .name = "cpu-clock"},
	};
	struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.event_count = 3,
		.auxtrace_info = &info,
		.time_conv = options.timeless ? NULL : &clock,
		.hostname = "arm",
		.osrelease = "6.1.0",
		.version = "6.1",
		.arch = "aarch64",
		.cpuid = options.cores ? NULL : options.midr,
		.cpus_available = options.rings,
		.cpus_online = options.rings,
		.pmus = {{PMU_TYPE, "arm_spe_0"}, {1, "software"}},
		.pmu_count = 2,
		.clockid = -1,
	};

	for (size_t i = 0; i < 3; i++) {
		events[i].attr.size = 128;
		events[i].attr.sample_type = type;
		events[i].attr.flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL) |
				       PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED);
		events[i].ids = &ids[i];
		events[i].id_count = 1;
	}
	if (options.physical)
		events[0].attr.sample_type |= SAMPLE_PHYS;
	events[1].attr.flags |= PLUMB_ATTR_BIT(PLUMB_ATTR_MMAP) | PLUMB_ATTR_BIT(PLUMB_ATTR_COMM) |
				PLUMB_ATTR_BIT(PLUMB_ATTR_TASK);
	if (options.switches || options.plain)
		events[1].attr.flags |= PLUMB_ATTR_BIT(PLUMB_ATTR_CONTEXT_SWITCH);
	check(plumb_recording_create(path, &setup, &writer, diagnostics));
}

static void parse(char *word)
{
	if (strcmp(word, "thread") == 0)
		options.thread = true;
	else if (strcmp(word, "timeless") == 0)
		options.timeless = true;
	else if (strcmp(word, "contexts") == 0)
		options.contexts = true;
	else if (strcmp(word, "switches") == 0)
		options.switches = true;
	else if (strcmp(word, "plain") == 0)
		options.plain = true;
	else if (strcmp(word, "odd") == 0)
		options.odd = true;
	else if (strcmp(word, "clock") == 0)
		options.clock = true;
	else if (strcmp(word, "physical") == 0)
		options.physical = true;
	else if (strcmp(word, "collisions") == 0)
		options.collisions = true;
	else if (strcmp(word, "compact") == 0)
		options.layout = SPE_LAYOUT_COMPACT;
	else if (strcmp(word, "new") == 0)
		options.new = true;
	else if (strcmp(word, "every") == 0)
		options.every = true;
	else if (strncmp(word, "cores=", 6) == 0)
		options.cores = word + 6;
	else if (strncmp(word, "midr=", 5) == 0)
		options.midr = word + 5;
	else if (strncmp(word, "chunk=", 6) == 0)
		options.chunk = strtoul(word + 6, NULL, 10);
	else if (strcmp(word, "gaps") == 0)
		options.gaps = true;
	else if (strncmp(word, "layouts=", 8) == 0)
		options.layouts = (unsigned)strtoul(word + 8, NULL, 10);
	else if (strncmp(word, "code=", 5) == 0)
		options.code = strtoul(word + 5, NULL, 10);
	else if (strncmp(word, "program=", 8) == 0)
		options.program = word + 8;
	else if (strncmp(word, "text=", 5) == 0)
		options.text = strtoul(word + 5, NULL, 16);
	else
		exit(2);
}

static void step(unsigned number)
{
	struct ring *ring = &rings[number];
	uint64_t what = below(100);

	now += below(400);
	if (what < 3 && !options.thread) {
		/* 0 is the idle task, which runs none of the program's code. */
		int next = options.text || below(4) ? FIRST_TID + (int)below(THREADS) : 0;

		if (options.switches || options.plain)
			write_switch(number, ring->thread, next);
		ring->thread = next;
	} else if (what < 6 && options.clock) {
		write_clock_sample(number, ring->thread);
	}
	add_record(number);
}

int main(int argc, char **argv)
{
	uint64_t records;

	if (argc < 5)
		return 2;
	state = strtoull(argv[2], NULL, 10);
	records = strtoull(argv[3], NULL, 10);
	options.rings = (unsigned)strtoul(argv[4], NULL, 10);
	for (int i = 5; i < argc; i++)
		parse(argv[i]);
	diagnostics = plumb_diagnostics_new();
	if (!diagnostics || !options.rings || options.rings > RINGS_MAX ||
	    options.layouts > LAYOUTS_MAX || options.chunk < (options.layouts ? ENCODED_MAX : 256))
		return 2;
	for (unsigned i = 0; i < options.layouts; i++)
		make_layout(&layouts[i]);
	for (unsigned i = 0; i < options.rings; i++) {
		rings[i].bytes = malloc(options.chunk);
		rings[i].thread = FIRST_TID + (int)i % THREADS;
		if (!rings[i].bytes)
			return 1;
	}

	create(argv[1]);
	write_comm(FIRST_TID, "program");
	write_mmap();
	for (int i = 1; i < THREADS; i++) {
		write_task(PLUMB_RECORD_FORK, FIRST_TID + i);
		write_comm(FIRST_TID + i, "worker");
	}
	for (uint64_t i = 0; i < records; i++) {
		step((unsigned)below(options.rings));
		if (i % 1000 == 999)
			check(plumb_recording_finish_round(writer));
	}
	for (unsigned i = 0; i < options.rings; i++)
		flush(i);
	for (int i = THREADS; i-- > 0;)
		write_task(PLUMB_RECORD_EXIT, FIRST_TID + i);
	check(plumb_recording_finish(writer, NULL));
	for (unsigned i = 0; i < options.rings; i++)
		free(rings[i].bytes);
	plumb_diagnostics_free(diagnostics);
	return 0;
}
