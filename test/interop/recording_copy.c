/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording_copy IN OUT LEVEL: writes a recording of perf's anew with Plumb's writer, compressed
 * if LEVEL is not 0. perf must find the same in both. A round ends after every 50 records, at
 * perf's own ends of rounds: and where OUT is a file, with a fifth argument, this is killed there.
 *
 * recording_copy --spe OUT: a recording of two SPE records, laid out by hand.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <plumb/recording.h>

#include "base/file.h"

#define EVENTS_MAX 8

static struct plumb_diagnostics *diagnostics;

static void check(int error, const char *what)
{
	if (error >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, plumb_error_name(error));
	for (size_t i = 0; i < plumb_diagnostics_count(diagnostics); i++)
		fprintf(stderr, "%s\n", plumb_diagnostics_get(diagnostics, i)->message);
	exit(1);
}

static uint64_t u64(const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t u32(const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* What perf wrote is trusted here: it is made by the test. */
static void read_attr(struct plumb_event_attr *attr, const char *at)
{
	attr->type = u32(at);
	attr->config = u64(at + 8);
	attr->sample_period = u64(at + 16);
	attr->sample_type = u64(at + 24);
	attr->read_format = u64(at + 32);
	attr->flags = u64(at + 40);
	attr->wakeup = u32(at + 48);
	attr->config1 = u64(at + 56);
	attr->config2 = u64(at + 64);
	attr->branch_sample_type = u64(at + 72);
	attr->sample_max_stack = (uint16_t)u32(at + 108);
}

/* A feature's content; NULL: it has none. */
static const char *feature(const char *file, unsigned number)
{
	const char *table = file + u64(file + 40) + u64(file + 48);
	uint64_t bits = u64(file + 72);

	if (!(bits >> number & 1))
		return NULL;
	for (unsigned i = 0; i < number; i++)
		table += (bits >> i & 1) * 16;
	return file + u64(table);
}

static void copy_records(struct plumb_recording_writer *writer, const char *file, bool kill_it)
{
	const char *at = file + u64(file + 40), *end = at + u64(file + 48);

	for (size_t i = 1; at < end; i++) {
		uint16_t size = (uint16_t)(u32(at + 4) >> 16);

		if (u32(at) == PLUMB_RECORD_FINISHED_ROUND)
			check(plumb_recording_finish_round(writer), "round");
		else
			check(plumb_recording_write(writer, at, size), "write");
		if (kill_it && i > 100 && at > file + u64(file + 40) + u64(file + 48) / 2) {
			check(plumb_recording_finish_round(writer), "round");
			printf("%zu\n", i);
			fflush(stdout);
			kill(getpid(), SIGKILL);
		}
		at += size;
	}
}

static void copy(const char *from, const char *to, int level, bool kill_it)
{
	struct plumb_recorded_event events[EVENTS_MAX] = {0};
	struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.clockid = -1,
		.compress_level = level,
		.hostname = "copy",
		.osrelease = "6.1",
		.version = "1",
		.arch = "x86_64",
		.cpus_available = 2,
		.cpus_online = 2,
		.total_memory_kb = 4096,
		.command = (const char *const[]){"plumb", "record", "a b", NULL},
		.pmus = {{1, "software"}},
		.pmu_count = 1,
	};
	struct plumb_recording_writer *writer;
	const char *desc;
	uint64_t size;
	char *file;
	size_t length, row, count;

	check(file_read(from, 1u << 30, &file, &length), from);
	row = u64(file + 16);
	count = u64(file + 32) / row;
	desc = feature(file, PLUMB_FEATURE_EVENT_DESC) + 8;
	for (size_t i = 0; i < count && i < EVENTS_MAX; i++) {
		const char *attr = file + u64(file + 24) + i * row;

		read_attr(&events[i].attr, attr);
		/* Both are aligned in the file. */
		events[i].ids = (const void *)(file + u64(attr + row - 16));
		events[i].id_count = u64(attr + row - 8) / 8;
		desc += row - 16;
		events[i].name = desc + 8;
		desc += 8 + u32(desc + 4) + 8 * events[i].id_count;
		setup.event_count++;
	}
	check(plumb_recording_create(to, &setup, &writer, diagnostics), to);
	copy_records(writer, file, kill_it);
	check(plumb_recording_finish(writer, &size), "finish");
	fprintf(stderr, "%llu bytes\n", (unsigned long long)size);
	free(file);
}

/* ---- SPE ---------------------------------------------------------------------------------- */

#define SPE_TYPE 9

static const uint8_t spe_records[] = {
	/* A load: PC, operation, latencies, address, source, events, timestamp. */
	0xb0, 0xd0, 0x05, 0x40, 0, 0, 0, 0, 0x80, /* PC 0x4005d0 el0 ns */
	0x49, 0x00,                               /* LD GP-REG */
	0x65, 7, 0, 0, 0,                         /* CONTEXT 7 el2 */
	0x98, 12, 0,                              /* LAT 12 TOT */
	0x99, 3, 0,                               /* LAT 3 ISSUE */
	0xb2, 0x08, 0x10, 0, 0, 0, 0, 0, 0,       /* VA 0x1008 */
	0x43, 0x08,                               /* DATA-SOURCE 8 */
	0x52, 0x1e, 0x00,                         /* RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS */
	0x71, 0xe8, 3, 0, 0, 0, 0, 0, 0,          /* TS 1000 */
	/* A branch. */
	0xb0, 0xd4, 0x05, 0x40, 0, 0, 0, 0, 0x80, 0x4a, 0x01, 0x52, 0x82, 0x00, 0x65, 7, 0, 0, 0,
	/* mispredicted, of the same context */
	0x98, 5, 0, 0xb1, 0, 0x06, 0x40, 0, 0, 0, 0, 0x80, 0x71, 0xf4, 3, 0, 0, 0, 0, 0, 0};

static void spe(const char *to)
{
	static const uint64_t ids[] = {11, 12};
	const struct plumb_recorded_event events[] = {
		{.attr = {.type = SPE_TYPE,
			  .config = 0x700000001,
			  .sample_period = 1024,
			  .sample_type = 0x10187,
			  .read_format = 4,
			  .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED) |
				   PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_KERNEL) |
				   PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL)},
		 .ids = ids,
		 .id_count = 1,
		 .name = "arm_spe_0/ts_enable=1,load_filter=1/"},
		{.attr = {.type = 1,
			  .config = 9,
			  .sample_period = 1,
			  .sample_type = 0x10187,
			  .read_format = 4,
			  .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL) |
				   PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_KERNEL) |
				   PLUMB_ATTR_BIT(PLUMB_ATTR_MMAP) |
				   PLUMB_ATTR_BIT(PLUMB_ATTR_COMM)},
		 .ids = ids + 1,
		 .id_count = 1,
		 .name = "dummy:u"},
	};
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.event_count = 2,
		.auxtrace_info =
			&(const struct plumb_auxtrace_info){4, (const uint64_t[]){SPE_TYPE, 1}, 2},
		.time_conv = &(const struct plumb_time_conv){.shift = 0,
							     .mult = 1,
							     .zero = 5000,
							     .mask = UINT64_MAX,
							     .cap_user_time_zero = true,
							     .cap_user_time_short = true},
		.hostname = "spe",
		.osrelease = "6.1",
		.version = "1",
		.arch = "aarch64",
		.cpuid = "0x00000000410fd8e0",
		.cpus_available = 1,
		.cpus_online = 1,
		.command = (const char *const[]){"plumb", "record", NULL},
		.pmus = {{1, "software"}, {SPE_TYPE, "arm_spe_0"}},
		.pmu_count = 2,
		.clockid = -1,
	};
	/* sample_id_all: pid and tid, time, id, cpu, and the identifier last */
	const struct {
		uint32_t type;
		uint16_t misc, size;
		uint32_t pid, tid;
		char comm[8];
		uint32_t id_pid, id_tid;
		uint64_t time, stream, cpu, id;
	} comm = {3, 0, sizeof(comm), 7, 7, "spe", 7, 7, 5001, 12, 0, 12};
	const struct {
		uint32_t type;
		uint16_t misc, size;
		uint64_t offset, length, flags;
		uint32_t id_pid, id_tid;
		uint64_t time, stream, cpu, id;
	} aux = {11,   0,  sizeof(aux), 0, (sizeof(spe_records) + 7) / 8 * 8, 0, 7, 7,
		 6500, 11, 0,           11};
	const struct plumb_aux_chunk chunk = {.reference = 42, .tid = -1, .cpu = 0};
	struct plumb_recording_writer *writer;

	check(plumb_recording_create(to, &setup, &writer, diagnostics), to);
	check(plumb_recording_write(writer, &comm, sizeof(comm)), "comm");
	check(plumb_recording_write(writer, &aux, sizeof(aux)), "aux");
	check(plumb_recording_write_aux(writer, &chunk, spe_records, 11, spe_records + 11,
					sizeof(spe_records) - 11),
	      "auxtrace");
	check(plumb_recording_finish_round(writer), "round");
	check(plumb_recording_finish(writer, NULL), "finish");
}

int main(int count, char **arguments)
{
	diagnostics = plumb_diagnostics_new();
	if (count == 3 && strcmp(arguments[1], "--spe") == 0)
		spe(arguments[2]);
	else if (count >= 4)
		copy(arguments[1], arguments[2], (int)strtol(arguments[3], NULL, 10), count > 4);
	else
		return 2;
	plumb_diagnostics_free(diagnostics);
	return 0;
}
