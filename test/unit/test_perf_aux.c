/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sampling with SPE on a machine without: the test plays the kernel. Its events are files in
 * memory, which are mapped as rings are, and it writes into them what a driver would.
 */
#include "check.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/perf/sampled_attr.h"
#include "source/perf/spe_pmu.h"
#include "source/source.h"

#define SPE_TYPE  9
#define AUX_PAGES 2
#define MIDR      0x410fd490

/* ---- the kernel --------------------------------------------------------------------------- */

static struct {
	int fd;
	struct perf_event_attr attr;
	int cpu;
	struct perf_event_mmap_page *page;
	uint8_t *bytes;
	unsigned enabled, disabled;
} opened[8];
static size_t opened_count;

int __wrap_sampled_attr_open(const struct sampled_attr *attr, pid_t pid, int cpu, int leader);
size_t __wrap_spe_find_pmus(const char *root, struct spe_pmu *pmus, size_t room);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_sampled_attr_open(const struct sampled_attr *attr, pid_t pid, int cpu, int leader)
{
	const size_t size = 1 << 20;
	int fd = memfd_create("event", MFD_CLOEXEC);

	assert_int_equal(pid, -1);
	assert_int_equal(leader, -1);
	assert_true(fd >= 0 && opened_count < 8 && ftruncate(fd, (off_t)size) == 0);
	opened[opened_count].fd = fd;
	opened[opened_count].attr = attr->attr;
	opened[opened_count].cpu = cpu;
	opened[opened_count].enabled = opened[opened_count].disabled = 0;
	opened[opened_count].bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(opened[opened_count].bytes, MAP_FAILED);
	opened[opened_count].page = (void *)opened[opened_count].bytes;
	opened[opened_count].page->cap_user_time_zero = 1;
	opened[opened_count].page->time_mult = 5;
	opened[opened_count].page->time_shift = 3;
	opened[opened_count].page->time_zero = 77;
	opened_count++;
	return fd;
}

size_t __wrap_spe_find_pmus(const char *root, struct spe_pmu *pmus, size_t room)
{
	assert_string_equal(root, "");
	assert_true(room > 0);
	pmus[0] = (struct spe_pmu){
		.name = "arm_spe_0",
		.type = SPE_TYPE,
		.midr = MIDR,
		.cpus = calloc(1, sizeof(int)),
		.cpu_count = 1,
		.formats = {{"ts_enable", 0, 1}, {"load_filter", 0, UINT64_C(1) << 33}},
		.format_count = 2,
	};
	assert_non_null(pmus[0].cpus);
	return 1;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list list;
	uint64_t *id;

	for (size_t i = 0; i < opened_count; i++) {
		if (opened[i].fd != fd)
			continue;
		opened[i].enabled += request == PERF_EVENT_IOC_ENABLE;
		opened[i].disabled += request == PERF_EVENT_IOC_DISABLE;
		if (request != PERF_EVENT_IOC_ID)
			return 0;
		va_start(list, request);
		id = va_arg(list, uint64_t *);
		va_end(list);
		*id = 1000 + i;
		return 0;
	}
	fail_msg("not an event's descriptor");
	return -1;
}

static void close_events(void)
{
	for (size_t i = 0; i < opened_count; i++)
		munmap(opened[i].bytes, 1 << 20);
	opened_count = 0;
}

/* Byte N of the unit's stream. */
static uint8_t stream_byte(uint64_t at)
{
	return (uint8_t)(at % 251 + 1);
}

/* The unit writes so much, and the driver says so. */
static void write_aux(uint64_t size)
{
	struct perf_event_mmap_page *page = opened[0].page;
	const uint64_t room = page->aux_size, head = page->aux_head;
	uint64_t record[4] = {0, head, size, 0};
	const struct perf_event_header header = {.type = PERF_RECORD_AUX, .size = sizeof(record)};

	for (uint64_t at = head; at < head + size; at++)
		opened[0].bytes[page->aux_offset + at % room] = stream_byte(at);
	memcpy(record, &header, sizeof(header));
	memcpy(opened[0].bytes + getpagesize() + page->data_head, record, sizeof(record));
	__atomic_store_n(&page->aux_head, head + size, __ATOMIC_RELEASE);
	__atomic_store_n(&page->data_head, page->data_head + sizeof(record), __ATOMIC_RELEASE);
}

/* ---- the caller --------------------------------------------------------------------------- */

struct fixture {
	struct plumb_event_config event;
	struct source_record_job job;
	struct source_record_run run;
	struct plumb_diagnostics *diagnostics;
	unsigned asked, aux_records, chunks;
	uint64_t got; /* bytes of AUX data */
	uint64_t reference;
	size_t first_size, second_size; /* of the last chunk */
	unsigned enabled_before, disabled_before;
};

static int on_begin(void *user, const struct plumb_recording_setup *setup)
{
	const struct plumb_event_attr *spe = &setup->events[0].attr, *dummy;

	(void)user;
	assert_int_equal(setup->event_count, 2);
	assert_string_equal(setup->events[0].name, "arm_spe_0/load_filter=1/");
	assert_int_equal(spe->type, SPE_TYPE);
	assert_int_equal(spe->config, UINT64_C(0x200000001));
	assert_int_equal(spe->sample_period, 4096);
	assert_int_equal(spe->sample_type, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						   PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER |
						   PERF_SAMPLE_DATA_SRC);
	assert_false(spe->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ));
	assert_true(spe->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED));
	assert_int_equal(setup->events[0].ids[0], 1000);
	/* Who ran, and from where, is had from an event of its own: SPE's records do not say. */
	dummy = &setup->events[1].attr;
	assert_string_equal(setup->events[1].name, "dummy:u");
	assert_true(dummy->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_CONTEXT_SWITCH));
	assert_true(dummy->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_MMAP2));
	assert_false(dummy->flags & PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED));
	assert_non_null(setup->auxtrace_info);
	assert_int_equal(setup->auxtrace_info->type, 4);
	/* Which version it is depends on this machine's kernel: see perf_spe. */
	assert_true(setup->auxtrace_info->count >= 2);
	assert_int_equal(setup->auxtrace_info->values[setup->auxtrace_info->count > 2 ? 2 : 0],
			 SPE_TYPE);
	assert_string_equal(setup->cpuid, "0x00000000410fd490");
	assert_non_null(setup->time_conv);
	assert_true(setup->time_conv->mult == 5 && setup->time_conv->shift == 3 &&
		    setup->time_conv->zero == 77 && setup->time_conv->cap_user_time_zero);
	return 0;
}

static int on_records(void *user, const void *records, size_t size)
{
	struct fixture *f = user;

	for (size_t at = 0; at < size;) {
		struct perf_event_header header;

		memcpy(&header, (const uint8_t *)records + at, sizeof(header));
		assert_true(header.size >= sizeof(header) && header.size <= size - at);
		f->aux_records += header.type == PERF_RECORD_AUX;
		at += header.size;
	}
	return 0;
}

static int on_aux(void *user, const struct plumb_aux_chunk *chunk, const void *first,
		  size_t first_size, const void *second, size_t second_size)
{
	struct fixture *f = user;
	const uint8_t *parts[2] = {first, second};

	/* What says of it is there when it is. */
	assert_true(f->aux_records > f->chunks);
	assert_int_equal(chunk->size, first_size + second_size);
	assert_int_equal(chunk->offset, f->got);
	assert_int_equal(chunk->cpu, 0);
	assert_int_equal(chunk->tid, -1);
	assert_int_equal(chunk->index, 0);
	assert_true(f->chunks == 0 || chunk->reference == f->reference);
	f->reference = chunk->reference;
	for (size_t i = 0; i < chunk->size; i++)
		assert_int_equal(i < first_size ? parts[0][i] : parts[1][i - first_size],
				 stream_byte(f->got + i));
	f->got += chunk->size;
	f->first_size = first_size;
	f->second_size = second_size;
	f->chunks++;
	return 0;
}

static void set_up(struct fixture *f, void *next)
{
	static const int cpu = 0;

	memset(f, 0, sizeof(*f));
	f->diagnostics = plumb_diagnostics_new();
	f->event = (struct plumb_event_config){.kind = PLUMB_EVENT_SPE,
					       .name = "arm_spe_0/load_filter=1/",
					       .spe = {.ts_enable = true, .load_filter = true}};
	f->job = (struct source_record_job){
		.events = &f->event,
		.event_count = 1,
		.cpus = &cpu,
		.cpu_count = 1,
		.clockid = -1,
		.mmap_pages = 1,
		.aux_pages = AUX_PAGES,
		.begin = on_begin,
		.records = on_records,
		.aux = on_aux,
		.next = (__typeof__(f->job.next))next,
		.user = f,
	};
}

static void tear_down(struct fixture *f)
{
	plumb_diagnostics_free(f->diagnostics);
	close_events();
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int next_of_stream(void *user)
{
	struct fixture *f = user;
	const uint64_t room = AUX_PAGES * (uint64_t)getpagesize();

	switch (f->asked++) {
	case 0:
		assert_int_equal(opened[0].page->aux_size, room);
		assert_int_equal(opened[0].attr.type, SPE_TYPE);
		assert_int_equal(opened[0].cpu, 0);
		f->enabled_before = opened[0].enabled;
		assert_int_equal(f->enabled_before, 1);
		write_aux(100);
		return PLUMB_RECORDING_GO_ON;
	case 1:
		assert_int_equal(f->chunks, 1);
		assert_int_equal(f->got, 100);
		assert_int_equal(opened[0].page->aux_tail, 100);
		/* The kernel may have stopped it, the area having been full. */
		assert_int_equal(opened[0].enabled, f->enabled_before + 1);
		write_aux(room);
		return PLUMB_RECORDING_GO_ON;
	case 2:
		assert_int_equal(f->chunks, 2);
		assert_int_equal(f->first_size, room - 100);
		assert_int_equal(f->second_size, 100);
		assert_int_equal(opened[0].page->aux_tail, room + 100);
		assert_int_equal(opened[0].disabled, 0);
		f->enabled_before = opened[0].enabled;
		write_aux(64);
		return PLUMB_RECORDING_STOP;
	default:
		fail();
		return PLUMB_RECORDING_STOP;
	}
}

static void aux_data_is_recorded_to_the_last_byte(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, next_of_stream);
	assert_int_equal(source_perf.record(&f.job, &f.run, f.diagnostics), 0);
	assert_int_equal(f.asked, 3);
	assert_int_equal(f.chunks, 3);
	assert_int_equal(f.aux_records, 3);
	assert_int_equal(f.got, 100 + AUX_PAGES * (uint64_t)getpagesize() + 64);
	assert_int_equal(opened[0].disabled, 1);
	assert_int_equal(opened[0].enabled, f.enabled_before);
	tear_down(&f);
}

static int next_of_snapshots(void *user)
{
	struct fixture *f = user;

	switch (f->asked++) {
	case 0:
		write_aux(640);
		return PLUMB_RECORDING_GO_ON;
	case 1:
		/* Nobody asked for it yet. */
		assert_int_equal(f->chunks, 0);
		f->enabled_before = opened[0].enabled;
		return PLUMB_RECORDING_SNAPSHOT;
	case 2:
		assert_int_equal(f->chunks, 1);
		assert_int_equal(f->got, 640);
		/* It stood still meanwhile; and nothing is given back. */
		assert_int_equal(opened[0].disabled, 1);
		assert_int_equal(opened[0].enabled, f->enabled_before + 1);
		assert_int_equal(opened[0].page->aux_tail, 0);
		write_aux(128);
		return PLUMB_RECORDING_STOP;
	default:
		fail();
		return PLUMB_RECORDING_STOP;
	}
}

static void snapshots_are_taken_when_asked_for_and_at_the_end(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, next_of_snapshots);
	f.job.snapshot = true;
	assert_int_equal(source_perf.record(&f.job, &f.run, f.diagnostics), 0);
	assert_int_equal(f.chunks, 2);
	assert_int_equal(f.got, 768);
	tear_down(&f);
}

static void one_core_has_one_unit(void **state)
{
	struct fixture f;
	struct plumb_event_config twice[2];

	(void)state;
	set_up(&f, next_of_stream);
	twice[0] = twice[1] = f.event;
	f.job.events = twice;
	f.job.event_count = 2;
	assert_int_equal(source_perf.record(&f.job, &f.run, f.diagnostics), PLUMB_ERR_ARGUMENT);
	assert_string_equal(plumb_diagnostics_get(f.diagnostics, 0)->id, "spe-twice");
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aux_data_is_recorded_to_the_last_byte),
		cmocka_unit_test(snapshots_are_taken_when_asked_for_and_at_the_end),
		cmocka_unit_test(one_core_has_one_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
