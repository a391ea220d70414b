/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of record except samples, in both byte orders, from a file and through a pipe. */
#include "recording/access.h"

#include "recording_builder.h"

static const struct built_attr traced = {
	.type = 1,
	.sample_type = TID | TIME | ID | CPU | STREAM | IDENTIFIER,
	.read_format = 31 & ~8,
	.flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL),
	.ids = {0x77},
	.id_count = 1,
};

static void put_trailer(struct build *b)
{
	put32(b, 0x1111);
	put32(b, 0x2222);
	put64(b, 0x3333333333);
	put64(b, 0x77);
	put64(b, 0x4444444444);
	put32(b, 0x55);
	put32(b, 0xdead);
	put64(b, 0x77);
}

static void check_trailer(const struct plumb_record *record)
{
	assert_int_equal(record->has, PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_TIME |
					      PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_ID |
					      PLUMB_RECORD_HAS_STREAM);
	assert_int_equal(record->pid, 0x1111);
	assert_int_equal(record->tid, 0x2222);
	assert_int_equal(record->time, 0x3333333333);
	assert_int_equal(record->id, 0x77);
	assert_int_equal(record->stream_id, 0x4444444444);
	assert_int_equal(record->cpu, 0x55);
	assert_non_null(record->event);
	assert_int_equal(record->event->ids[0], 0x77);
}

/* One record, between the beginning and the end of a recording. */
struct one {
	struct build *b;
	struct opened opened;
};

static void kernel_begin(struct build *b, uint32_t type, uint16_t misc)
{
	build_begin(b, &traced, 1);
	begin(b, type, misc);
}

static struct plumb_record kernel_end(struct build *b, uint32_t type, struct opened *opened)
{
	struct plumb_record record;

	put_trailer(b);
	end(b);
	*opened = open_built(b);
	record = next_of(opened, type);
	check_trailer(&record);
	assert_int_equal(record.offset, b->record);
	assert_int_equal(record.bytes[record.size - 1], b->big ? 0x77 : 0);
	assert_int_equal(plumb_diagnostics_count(opened->diagnostics), 0);
	return record;
}

static struct plumb_record perf_end(struct build *b, uint32_t type, struct opened *opened)
{
	end(b);
	*opened = open_built(b);
	assert_int_equal(plumb_diagnostics_count(opened->diagnostics), 0);
	return next_of(opened, type);
}

static void mmap_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 1, 1);
		put32(b, UINT32_MAX);
		put32(b, 12);
		put64(b, 0xffffffff81000000);
		put64(b, 0x1000);
		put64(b, 0x2000);
		put_text(b, "[kernel.kallsyms]_text", 8);
		record = kernel_end(b, PLUMB_RECORD_MMAP, &opened);
		assert_int_equal(record.mmap.pid, -1);
		assert_int_equal(record.mmap.tid, 12);
		assert_int_equal(record.mmap.address, 0xffffffff81000000);
		assert_int_equal(record.mmap.length, 0x1000);
		assert_int_equal(record.mmap.page_offset, 0x2000);
		assert_string_equal(record.mmap.path, "[kernel.kallsyms]_text");
		assert_null(record.mmap.build_id);
		no_more(&opened);
		opened_close(&opened);
	}
}

static void begin_mmap2(struct build *b, uint16_t misc)
{
	kernel_begin(b, 10, misc);
	put32(b, 11);
	put32(b, 12);
	put64(b, 0x7f0000000000);
	put64(b, 0x1000);
	put64(b, 0x2000);
}

static void mmap2_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		begin_mmap2(b, 2);
		put32(b, 0xfe);
		put32(b, 0x01);
		put64(b, 332383);
		put64(b, 99);
		put32(b, 5);
		put32(b, 2);
		put_text(b, "/lib/libc.so.6", 8);
		record = kernel_end(b, PLUMB_RECORD_MMAP2, &opened);
		assert_int_equal(record.misc, 2);
		assert_int_equal(record.mmap.pid, 11);
		assert_int_equal(record.mmap.major, 0xfe);
		assert_int_equal(record.mmap.minor, 1);
		assert_int_equal(record.mmap.inode, 332383);
		assert_int_equal(record.mmap.inode_generation, 99);
		assert_int_equal(record.mmap.protection, 5);
		assert_int_equal(record.mmap.flags, 2);
		assert_string_equal(record.mmap.path, "/lib/libc.so.6");
		assert_null(record.mmap.build_id);
		opened_close(&opened);
	}
}

static void mmap2_with_a_build_id_is_read(void **state)
{
	/* A size beyond the available room is cut to that room. */
	static const uint8_t sizes[][2] = {{20, 20}, {16, 16}, {255, 20}, {0, 0}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			begin_mmap2(b, 2 | 1 << 14);
			put8(b, sizes[i][0]);
			put_zeros(b, 3);
			for (uint8_t byte = 0; byte < 20; byte++)
				put8(b, byte);
			put32(b, 5);
			put32(b, 2);
			put_text(b, "/lib/libc.so.6", 8);
			record = kernel_end(b, PLUMB_RECORD_MMAP2, &opened);
			assert_int_equal(record.mmap.build_id_size, sizes[i][1]);
			if (sizes[i][1])
				assert_int_equal(record.mmap.build_id[15], 15);
			else
				assert_null(record.mmap.build_id);
			assert_int_equal(record.mmap.protection, 5);
			assert_int_equal(record.mmap.inode, 0);
			assert_string_equal(record.mmap.path, "/lib/libc.so.6");
			opened_close(&opened);
		}
	}
}

static void comm_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 3, 1 << 13);
		put32(b, 11);
		put32(b, 12);
		put_text(b, "worker/3:1", 8);
		record = kernel_end(b, PLUMB_RECORD_COMM, &opened);
		assert_int_equal(record.comm.pid, 11);
		assert_int_equal(record.comm.tid, 12);
		assert_true(record.comm.exec);
		assert_string_equal(record.comm.comm, "worker/3:1");
		opened_close(&opened);
	}
}

static void tasks_are_read(void **state)
{
	static const uint32_t types[] = {4, 7};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			kernel_begin(b, types[i], 0);
			put32(b, 1);
			put32(b, 2);
			put32(b, 3);
			put32(b, 4);
			put64(b, 0x123456789a);
			record = kernel_end(b, types[i], &opened);
			assert_int_equal(record.task.pid, 1);
			assert_int_equal(record.task.parent_pid, 2);
			assert_int_equal(record.task.tid, 3);
			assert_int_equal(record.task.parent_tid, 4);
			assert_int_equal(record.task.time, 0x123456789a);
			opened_close(&opened);
		}
	}
}

static void lost_is_read_and_counted(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 2, 0);
		put64(b, 0x77);
		put64(b, 1000);
		put_trailer(b);
		end(b);
		begin(b, 13, 0);
		put64(b, 3000);
		put_trailer(b);
		end(b);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_LOST);
		check_trailer(&record);
		assert_int_equal(record.lost.id, 0x77);
		assert_int_equal(record.lost.lost, 1000);
		record = next_of(&opened, PLUMB_RECORD_LOST_SAMPLES);
		check_trailer(&record);
		assert_int_equal(record.lost.id, 0);
		assert_int_equal(record.lost.lost, 3000);
		no_more(&opened);
		assert_int_equal(plumb_recording_losses(opened.recording)->lost_records, 1000);
		assert_int_equal(plumb_recording_losses(opened.recording)->lost_samples, 3000);
		opened_close(&opened);
	}
}

static void throttling_is_read_and_counted(void **state)
{
	static const uint32_t types[] = {5, 6};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			kernel_begin(b, types[i], 0);
			put64(b, 0x1122334455);
			put64(b, 0x77);
			put64(b, 0x88);
			record = kernel_end(b, types[i], &opened);
			assert_int_equal(record.throttle.time, 0x1122334455);
			assert_int_equal(record.throttle.id, 0x77);
			assert_int_equal(record.throttle.stream_id, 0x88);
			assert_int_equal(plumb_recording_losses(opened.recording)->throttled,
					 types[i] == 5);
			opened_close(&opened);
		}
	}
}

static void read_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 8, 0);
		put32(b, 11);
		put32(b, 12);
		put64(b, 5000000000);
		put64(b, 1000);
		put64(b, 900);
		put64(b, 0x77);
		put64(b, 4);
		record = kernel_end(b, PLUMB_RECORD_READ, &opened);
		assert_int_equal(record.read.pid, 11);
		assert_int_equal(record.read.tid, 12);
		assert_int_equal(record.read.count, 1);
		assert_int_equal(record.read.values[0].value, 5000000000);
		assert_int_equal(record.read.values[0].id, 0x77);
		assert_int_equal(record.read.values[0].lost, 4);
		assert_int_equal(record.read.time_enabled, 1000);
		assert_int_equal(record.read.time_running, 900);
		opened_close(&opened);
	}
}

static void aux_is_read_and_counted(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_recording_losses *losses;
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 11, 0);
		put64(b, 0x1000);
		put64(b, 0x40);
		put64(b, 1 | 4 | 8);
		record = kernel_end(b, PLUMB_RECORD_AUX, &opened);
		assert_int_equal(record.aux.offset, 0x1000);
		assert_int_equal(record.aux.size, 0x40);
		assert_int_equal(record.aux.flags,
				 PLUMB_AUX_TRUNCATED | PLUMB_AUX_PARTIAL | PLUMB_AUX_COLLISION);
		losses = plumb_recording_losses(opened.recording);
		assert_int_equal(losses->aux_records, 1);
		assert_int_equal(losses->aux_truncated, 1);
		assert_int_equal(losses->aux_partial, 1);
		assert_int_equal(losses->aux_collisions, 1);
		opened_close(&opened);
	}
}

static void itrace_start_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 12, 0);
		put32(b, 11);
		put32(b, 12);
		record = kernel_end(b, PLUMB_RECORD_ITRACE_START, &opened);
		assert_int_equal(record.itrace_start.pid, 11);
		assert_int_equal(record.itrace_start.tid, 12);
		opened_close(&opened);
	}
}

static void switches_are_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 14, 1 << 13);
		record = kernel_end(b, PLUMB_RECORD_SWITCH, &opened);
		assert_true(record.context_switch.out);
		assert_false(record.context_switch.preempted);
		assert_int_equal(record.context_switch.next_prev_pid, -1);
		assert_int_equal(record.context_switch.next_prev_tid, -1);
		opened_close(&opened);
	}
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 15, 1 << 13 | 1 << 14);
		put32(b, 21);
		put32(b, 22);
		record = kernel_end(b, PLUMB_RECORD_SWITCH_CPU_WIDE, &opened);
		assert_true(record.context_switch.out);
		assert_true(record.context_switch.preempted);
		assert_int_equal(record.context_switch.next_prev_pid, 21);
		assert_int_equal(record.context_switch.next_prev_tid, 22);
		opened_close(&opened);
	}
}

static void namespaces_are_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 16, 0);
		put32(b, 11);
		put32(b, 12);
		put64(b, 7);
		for (uint64_t i = 0; i < 7; i++) {
			put64(b, 4);
			put64(b, 0xf0000000 + i);
		}
		record = kernel_end(b, PLUMB_RECORD_NAMESPACES, &opened);
		assert_int_equal(record.namespaces.pid, 11);
		assert_int_equal(record.namespaces.tid, 12);
		assert_int_equal(record.namespaces.count, 7);
		assert_int_equal(record.namespaces.namespaces[12], 4);
		assert_int_equal(record.namespaces.namespaces[13], 0xf0000006);
		opened_close(&opened);
	}
}

static void ksymbol_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 17, 0);
		put64(b, 0xffffffffc0000000);
		put32(b, 0x123);
		put16(b, 1);
		put16(b, 2);
		put_text(b, "bpf_prog_1", 8);
		record = kernel_end(b, PLUMB_RECORD_KSYMBOL, &opened);
		assert_int_equal(record.ksymbol.address, 0xffffffffc0000000);
		assert_int_equal(record.ksymbol.length, 0x123);
		assert_int_equal(record.ksymbol.type, 1);
		assert_int_equal(record.ksymbol.flags, 2);
		assert_string_equal(record.ksymbol.name, "bpf_prog_1");
		opened_close(&opened);
	}
}

static void bpf_event_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 18, 0);
		put16(b, 1);
		put16(b, 2);
		put32(b, 345);
		put_bytes(b, "\1\2\3\4\5\6\7\10", 8);
		record = kernel_end(b, PLUMB_RECORD_BPF_EVENT, &opened);
		assert_int_equal(record.bpf_event.type, 1);
		assert_int_equal(record.bpf_event.flags, 2);
		assert_int_equal(record.bpf_event.id, 345);
		assert_memory_equal(record.bpf_event.tag, "\1\2\3\4\5\6\7\10", 8);
		opened_close(&opened);
	}
}

static void cgroup_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 19, 0);
		put64(b, 0x123456789);
		put_text(b, "/system.slice", 8);
		record = kernel_end(b, PLUMB_RECORD_CGROUP, &opened);
		assert_int_equal(record.cgroup.id, 0x123456789);
		assert_string_equal(record.cgroup.path, "/system.slice");
		opened_close(&opened);
	}
}

static void text_poke_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 20, 0);
		put64(b, 0xffffffff81000010);
		put16(b, 5);
		put16(b, 6);
		put_bytes(b, "older", 5);
		put_bytes(b, "newest", 6);
		put_zeros(b, 1);
		record = kernel_end(b, PLUMB_RECORD_TEXT_POKE, &opened);
		assert_int_equal(record.text_poke.address, 0xffffffff81000010);
		assert_int_equal(record.text_poke.old_length, 5);
		assert_memory_equal(record.text_poke.old_bytes, "older", 5);
		assert_int_equal(record.text_poke.new_length, 6);
		assert_memory_equal(record.text_poke.new_bytes, "newest", 6);
		opened_close(&opened);
	}
}

static void hardware_id_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 21, 0);
		put64(b, 0x123456789);
		record = kernel_end(b, PLUMB_RECORD_AUX_OUTPUT_HW_ID, &opened);
		assert_int_equal(record.hw_id, 0x123456789);
		opened_close(&opened);
	}
}

/* The trailer is read even from records of future types. */
static void unknown_kinds_are_passed_and_counted(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 40, 0);
		put64(b, 1);
		put_trailer(b);
		end(b);
		begin(b, 200, 0);
		put64(b, 1);
		end(b);
		begin(b, 68, 0);
		end(b);
		opened = open_built(b);
		/* Without a time, perf's own records are returned at once. */
		record = next_of(&opened, 200);
		assert_int_equal(record.has, 0);
		(void)next_of(&opened, 68);
		record = next_of(&opened, 40);
		check_trailer(&record);
		no_more(&opened);
		assert_int_equal(plumb_recording_losses(opened.recording)->unknown_records, 2);
		assert_null(plumb_record_type_name(200));
		opened_close(&opened);
	}
}

/* Records that perf synthesizes for running processes have a trailer of zeros. */
static void a_trailer_of_zeros_says_nothing(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 3, 0);
		put64(b, 0);
		put_text(b, "swapper", 8);
		put_zeros(b, 48);
		end(b);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_COMM);
		assert_int_equal(record.has, 0);
		assert_null(record.event);
		assert_string_equal(record.comm.comm, "swapper");
		opened_close(&opened);
	}
}

static void strings_without_nul_end_with_the_record(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 3, 0);
		put64(b, 0);
		put_bytes(b, "12345678", 8);
		record = kernel_end(b, PLUMB_RECORD_COMM, &opened);
		assert_string_equal(record.comm.comm, "12345678");
		opened_close(&opened);
	}
}

/* ---- perf's own ------------------------------------------------------------------------------ */

static void time_conv_is_read(void **state)
{
	(void)state;
	for (unsigned is_long = 0; is_long < 2; is_long++) {
		FOR_EACH_FORM(b)
		{
			const struct plumb_time_conv *conv;
			struct plumb_record record;
			struct opened opened;

			kernel_begin(b, 79, 0);
			put64(b, 10);
			put64(b, 40960);
			put64(b, 1000);
			if (is_long) {
				put64(b, 5);
				put64(b, 0xffffff);
				put8(b, 1);
				put8(b, 1);
				put_zeros(b, 6);
			}
			record = perf_end(b, PLUMB_RECORD_TIME_CONV, &opened);
			conv = recording_time_conv(opened.recording);
			assert_non_null(conv);
			assert_memory_equal(conv, &record.time_conv, sizeof(*conv));
			assert_int_equal(conv->shift, 10);
			assert_int_equal(conv->mult, 40960);
			assert_int_equal(conv->zero, 1000);
			assert_int_equal(conv->cycles, is_long ? 5 : 0);
			assert_int_equal(conv->mask, is_long ? 0xffffff : 0);
			assert_int_equal(conv->cap_user_time_zero, is_long);
			assert_int_equal(conv->cap_user_time_short, is_long);
			opened_close(&opened);
		}
	}
}

static void ticks_become_time(void **state)
{
	struct plumb_time_conv conv = {.shift = 10, .mult = 41943, .zero = 1000};

	(void)state;
	/* 25 MHz: 40 ns a tick; 41943 / 1024 = 40.96 is close. */
	assert_int_equal(time_from_ticks(&conv, 0), 1000);
	assert_int_equal(time_from_ticks(&conv, 1024), 1000 + 41943);
	assert_int_equal(time_from_ticks(&conv, 1025), 1000 + 41943 + 40);
	/* The product would exceed 64 bits. */
	assert_int_equal(time_from_ticks(&conv, UINT64_C(1) << 50), 1000 + (UINT64_C(41943) << 40));
	conv.cap_user_time_short = true;
	conv.cycles = 0x1000010;
	conv.mask = 0xffffff;
	assert_int_equal(time_from_ticks(&conv, 0x400), 1000 + (0x1000400 >> 10) * UINT64_C(41943));
	conv.shift = 200;
	(void)time_from_ticks(&conv, UINT64_MAX);
}

static void thread_map_is_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		kernel_begin(b, 73, 0);
		put64(b, 3);
		for (uint64_t i = 0; i < 3; i++) {
			put64(b, i ? 1000 + i : UINT64_MAX);
			put_text(b, "name", 16);
		}
		record = perf_end(b, PLUMB_RECORD_THREAD_MAP, &opened);
		assert_int_equal(record.thread_map.count, 3);
		assert_int_equal(record.thread_map.tids[0], -1);
		assert_int_equal(record.thread_map.tids[2], 1002);
		opened_close(&opened);
	}
}

static void check_cpus(struct build *b, const int32_t *cpus, size_t count)
{
	struct plumb_record record;
	struct opened opened;

	put_zeros(b, (8 - b->size % 8) % 8);
	record = perf_end(b, PLUMB_RECORD_CPU_MAP, &opened);
	assert_int_equal(record.cpu_map.count, count);
	assert_memory_equal(record.cpu_map.cpus, cpus, count * sizeof(*cpus));
	opened_close(&opened);
}

static void cpu_map_is_read_in_every_form(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		kernel_begin(b, 74, 0);
		put16(b, 0);
		put16(b, 3);
		put16(b, 0);
		put16(b, 300);
		put16(b, UINT16_MAX);
		check_cpus(b, (const int32_t[]){0, 300, -1}, 3);
	}
	FOR_EACH_FORM(b)
	{
		kernel_begin(b, 74, 0);
		put16(b, 1);
		put16(b, 2);
		put16(b, 4);
		put32(b, 0x80000001);
		put32(b, 0x2);
		check_cpus(b, (const int32_t[]){0, 31, 33}, 3);
	}
	FOR_EACH_FORM(b)
	{
		kernel_begin(b, 74, 0);
		put16(b, 1);
		put16(b, 2);
		put16(b, 8);
		put_zeros(b, 4);
		put64(b, 0x8000000000000001);
		put64(b, 0x2);
		check_cpus(b, (const int32_t[]){0, 63, 65}, 3);
	}
	FOR_EACH_FORM(b)
	{
		kernel_begin(b, 74, 0);
		put16(b, 2);
		put8(b, 1);
		put8(b, 0);
		put16(b, 6);
		put16(b, 8);
		check_cpus(b, (const int32_t[]){-1, 6, 7, 8}, 4);
	}
}

static void auxtrace_error_is_read(void **state)
{
	(void)state;
	for (uint32_t format = 0; format < 2; format++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			kernel_begin(b, 72, 0);
			put32(b, 1);
			put32(b, 2);
			put32(b, 3);
			put32(b, 4);
			put32(b, 5);
			put32(b, format);
			put64(b, 0x400000);
			if (format)
				put64(b, 123456);
			put_text(b, "instruction trace lost", 64);
			record = perf_end(b, PLUMB_RECORD_AUXTRACE_ERROR, &opened);
			assert_int_equal(record.auxtrace_error.type, 1);
			assert_int_equal(record.auxtrace_error.code, 2);
			assert_int_equal(record.auxtrace_error.cpu, 3);
			assert_int_equal(record.auxtrace_error.pid, 4);
			assert_int_equal(record.auxtrace_error.tid, 5);
			assert_int_equal(record.auxtrace_error.ip, 0x400000);
			assert_string_equal(record.auxtrace_error.message,
					    "instruction trace lost");
			opened_close(&opened);
		}
	}
}

/* Types whose contents are returned unchanged. */
static void other_kinds_are_given(void **state)
{
	static const uint32_t types[] = {65, 67, 69, 75, 76, 77, 78, 82};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			kernel_begin(b, types[i], 0);
			put_zeros(b, 64);
			record = perf_end(b, types[i], &opened);
			assert_int_equal(record.size, 72);
			assert_non_null(plumb_record_type_name(types[i]));
			no_more(&opened);
			assert_int_equal(plumb_recording_losses(opened.recording)->unknown_records,
					 0);
			opened_close(&opened);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mmap_is_read),
		cmocka_unit_test(mmap2_is_read),
		cmocka_unit_test(mmap2_with_a_build_id_is_read),
		cmocka_unit_test(comm_is_read),
		cmocka_unit_test(tasks_are_read),
		cmocka_unit_test(lost_is_read_and_counted),
		cmocka_unit_test(throttling_is_read_and_counted),
		cmocka_unit_test(read_is_read),
		cmocka_unit_test(aux_is_read_and_counted),
		cmocka_unit_test(itrace_start_is_read),
		cmocka_unit_test(switches_are_read),
		cmocka_unit_test(namespaces_are_read),
		cmocka_unit_test(ksymbol_is_read),
		cmocka_unit_test(bpf_event_is_read),
		cmocka_unit_test(cgroup_is_read),
		cmocka_unit_test(text_poke_is_read),
		cmocka_unit_test(hardware_id_is_read),
		cmocka_unit_test(unknown_kinds_are_passed_and_counted),
		cmocka_unit_test(a_trailer_of_zeros_says_nothing),
		cmocka_unit_test(strings_without_nul_end_with_the_record),
		cmocka_unit_test(time_conv_is_read),
		cmocka_unit_test(ticks_become_time),
		cmocka_unit_test(thread_map_is_read),
		cmocka_unit_test(cpu_map_is_read_in_every_form),
		cmocka_unit_test(auxtrace_error_is_read),
		cmocka_unit_test(other_kinds_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
