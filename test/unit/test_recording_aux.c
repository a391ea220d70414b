/* SPDX-License-Identifier: Apache-2.0 */
/* AUX data, its index, and compressed records. */
#include "recording/access.h"
#include "recording/spe_auxtrace.h"

#include "recording_builder.h"

#include <zstd.h>

static const struct built_attr spe = {
	.type = 9,
	.sample_type = 1 << 2,
	.flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL),
};

static void put_auxtrace(struct build *b, uint64_t size, uint32_t index)
{
	begin(b, 71, 0);
	put64(b, size);
	put64(b, 0x1000 * index);
	put64(b, 0xabcdef);
	put32(b, index);
	put32(b, UINT32_MAX);
	put32(b, index + 1);
	put32(b, 0);
	end(b);
	for (uint64_t i = 0; i < size; i++)
		put8(b, (uint8_t)(i * 7 + index));
}

static void check_data(const struct opened *opened, const struct plumb_aux_chunk *chunk,
		       uint64_t from, size_t size)
{
	uint8_t *bytes = malloc(size);

	assert_non_null(bytes);
	assert_int_equal(plumb_recording_read_aux(opened->recording, chunk, from, bytes, size), 0);
	for (uint64_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], (uint8_t)((from + i) * 7 + chunk->index));
	free(bytes);
}

static void check_chunk(const struct opened *opened, const struct plumb_aux_chunk *chunk,
			uint64_t size, uint32_t index)
{
	assert_non_null(chunk);
	assert_int_equal(chunk->size, size);
	assert_int_equal(chunk->offset, 0x1000 * index);
	assert_int_equal(chunk->reference, 0xabcdef);
	assert_int_equal(chunk->index, index);
	assert_int_equal(chunk->tid, -1);
	assert_int_equal(chunk->cpu, index + 1);
	check_data(opened, chunk, 0, size);
	check_data(opened, chunk, size / 2, size / 2);
}

static void put_index(struct build *b, const uint64_t *places, uint64_t count)
{
	size_t from = feature_begin(b, PLUMB_FEATURE_AUXTRACE);

	put64(b, count);
	for (uint64_t i = 0; i < count; i++) {
		put64(b, places[i]);
		put64(b, 48);
	}
	feature_end(b, PLUMB_FEATURE_AUXTRACE, from);
}

/* Larger and smaller than what is read at once. */
static const uint64_t sizes[] = {64, 300000, 4096};

static void chunks_are_found_as_they_come(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &spe, 1);
		for (uint32_t i = 0; i < 3; i++)
			put_auxtrace(b, sizes[i], i);
		begin(b, 68, 0);
		end(b);
		opened = open_built(b);
		assert_null(recording_aux_chunk(opened.recording, 0));
		for (uint32_t i = 0; i < 3; i++) {
			struct plumb_record record = next_of(&opened, PLUMB_RECORD_AUXTRACE);

			check_chunk(&opened, &record.auxtrace, sizes[i], i);
			check_chunk(&opened, recording_aux_chunk(opened.recording, i), sizes[i], i);
		}
		(void)next_of(&opened, PLUMB_RECORD_FINISHED_ROUND);
		no_more(&opened);
		assert_null(recording_aux_chunk(opened.recording, 3));
		assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

static void an_index_gives_all_at_once(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct build *b = build_new(big, false);
		struct opened opened;
		uint64_t places[3];

		build_begin(b, &spe, 1);
		for (uint32_t i = 0; i < 3; i++) {
			places[2 - i] = b->size;
			put_auxtrace(b, sizes[i], i);
		}
		put_index(b, places, 3);
		opened = open_built(b);
		for (uint32_t i = 0; i < 3; i++)
			check_chunk(&opened, recording_aux_chunk(opened.recording, i), sizes[i], i);
		for (uint32_t i = 0; i < 3; i++)
			(void)next_of(&opened, PLUMB_RECORD_AUXTRACE);
		no_more(&opened);
		assert_null(recording_aux_chunk(opened.recording, 3));
		opened_close(&opened);
		free(b);
	}
}

/* A wrong index is ignored; the records can still be read. */
static void a_wrong_index_is_told(void **state)
{
	static const uint64_t wrong[][2] = {{0, 0}, {UINT64_MAX, 0}, {8, 1}, {1 << 20, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct build *b = build_new(false, false);
		struct opened opened;

		build_begin(b, &spe, 1);
		put_auxtrace(b, 64, 0);
		put_index(b, wrong[i], 2);
		opened = open_built(b);
		assert_true(has_finding(opened.diagnostics, "damaged-aux-index"));
		assert_null(recording_aux_chunk(opened.recording, 0));
		(void)next_of(&opened, PLUMB_RECORD_AUXTRACE);
		check_chunk(&opened, recording_aux_chunk(opened.recording, 0), 64, 0);
		opened_close(&opened);
		free(b);
	}
}

static void more_than_a_chunk_cannot_be_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_aux_chunk *chunk;
		struct opened opened;
		uint8_t bytes[65];

		build_begin(b, &spe, 1);
		put_auxtrace(b, 64, 0);
		opened = open_built(b);
		(void)next_of(&opened, PLUMB_RECORD_AUXTRACE);
		chunk = recording_aux_chunk(opened.recording, 0);
		assert_int_equal(plumb_recording_read_aux(opened.recording, chunk, 0, bytes, 65),
				 PLUMB_ERR_ARGUMENT);
		assert_int_equal(plumb_recording_read_aux(opened.recording, chunk, 65, bytes, 0),
				 PLUMB_ERR_ARGUMENT);
		assert_int_equal(
			plumb_recording_read_aux(opened.recording, chunk, UINT64_MAX, bytes, 1),
			PLUMB_ERR_ARGUMENT);
		assert_int_equal(plumb_recording_read_aux(opened.recording, chunk, 64, bytes, 0),
				 0);
		opened_close(&opened);
	}
}

/* The existing part of a truncated chunk can be read. */
static void a_chunk_that_is_cut_off_is_shorter(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		build_begin(b, &spe, 1);
		put_auxtrace(b, 4096, 0);
		if (!b->pipe)
			patch_number(b, 48, b->size - b->data, 8);
		opened = open_bytes(b->bytes, b->size - 1000, b->pipe, NULL);
		assert_int_equal(opened.error, 0);
		record = next_of(&opened, PLUMB_RECORD_AUXTRACE);
		assert_int_equal(record.auxtrace.size, 3096);
		check_data(&opened, &record.auxtrace, 0, 3096);
		no_more(&opened);
		assert_true(plumb_recording_losses(opened.recording)->cut_off);
		opened_close(&opened);
	}
}

/* ---- AUXTRACE_INFO ----------------------------------------------------------------------------
 */

static void put_info(struct build *b, uint32_t type, const uint64_t *values, size_t count)
{
	begin(b, 70, 0);
	put32(b, type);
	put32(b, 0);
	for (size_t i = 0; i < count; i++)
		put64(b, values[i]);
	end(b);
}

static void auxtrace_info_is_kept(void **state)
{
	static const uint64_t first[] = {9, 1}, second[] = {8, 0};

	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_auxtrace_info *info;
		struct spe_auxtrace read;
		struct plumb_record record;
		struct opened opened;

		build_begin(b, &spe, 1);
		put_info(b, 4, first, 2);
		put_info(b, 4, second, 2);
		opened = open_built(b);
		assert_null(recording_auxtrace_info(opened.recording));
		record = next_of(&opened, PLUMB_RECORD_AUXTRACE_INFO);
		assert_int_equal(record.auxtrace_info.type, 4);
		assert_int_equal(record.auxtrace_info.count, 2);
		assert_int_equal(record.auxtrace_info.values[0], 9);
		info = recording_auxtrace_info(opened.recording);
		assert_int_equal(info->values[1], 1);
		record = next_of(&opened, PLUMB_RECORD_AUXTRACE_INFO);
		assert_int_equal(record.auxtrace_info.values[0], 8);
		/* The first one holds. */
		assert_int_equal(info->values[0], 9);
		assert_int_equal(spe_auxtrace_read(info, &read), 0);
		assert_int_equal(read.version, 1);
		assert_int_equal(read.pmu_type, 9);
		assert_true(read.per_cpu_mmaps);
		assert_int_equal(read.cpu_count, 0);
		opened_close(&opened);
	}
}

#define MAGIC 0x1010101010101010

static void spe_version_2_describes_cpus(void **state)
{
	static const uint64_t values[] = {2,     5, 9, 2,          0xee, /* a header of 5 */
					  MAGIC, 0, 4, 0x410fd490, 9,    1024, 1, /* */
					  MAGIC, 4, 2, 0x410fd8e0, 10};           /* older */
	const struct plumb_auxtrace_info info = {4, values, sizeof(values) / sizeof(*values)};
	struct spe_auxtrace read;
	struct spe_cpu cpu;

	(void)state;
	assert_int_equal(spe_auxtrace_read(&info, &read), 0);
	assert_int_equal(read.version, 2);
	assert_int_equal(read.pmu_type, 9);
	assert_int_equal(read.cpu_count, 2);
	assert_int_equal(spe_auxtrace_cpu(&info, 0, &cpu), 0);
	assert_int_equal(cpu.cpu, 0);
	assert_int_equal(cpu.midr, 0x410fd490);
	assert_int_equal(cpu.pmu_type, 9);
	assert_int_equal(cpu.min_interval, 1024);
	assert_int_equal(cpu.event_filter, 1);
	assert_int_equal(spe_auxtrace_cpu(&info, 1, &cpu), 0);
	assert_int_equal(cpu.cpu, 4);
	assert_int_equal(cpu.midr, 0x410fd8e0);
	assert_int_equal(cpu.pmu_type, 10);
	assert_int_equal(cpu.min_interval, 0);
	assert_int_equal(spe_auxtrace_cpu(&info, 2, &cpu), PLUMB_ERR_NOT_FOUND);
}

/* Information about CPUs comes before information about the machine. */
static void a_cpu_has_its_midr(void **state)
{
	static const uint64_t both[] = {2, 4,          9,     2, MAGIC, 0,
					1, 0x410fd490, MAGIC, 1, 1,     0x410fd8e0};
	static const uint64_t old[] = {9, 1};

	(void)state;
	for (unsigned version = 1; version <= 2; version++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;

			build_begin(b, &spe, 1);
			text_feature(b, PLUMB_FEATURE_CPUID, "0x00000000410fd0c0");
			put_info(b, 4, version == 1 ? old : both, version == 1 ? 2 : 12);
			opened = open_built(b);
			do
				assert_int_equal(recording_next(opened.recording, &record), 1);
			while (record.type != PLUMB_RECORD_AUXTRACE_INFO);
			assert_int_equal(plumb_recording_midr(opened.recording, -1),
					 version == 1 ? 0x410fd0c0 : 0x410fd490);
			assert_int_equal(plumb_recording_midr(opened.recording, 1),
					 version == 1 ? 0x410fd0c0 : 0x410fd8e0);
			assert_int_equal(plumb_recording_midr(opened.recording, 2), 0x410fd0c0);
			opened_close(&opened);
		}
	}
}

/* With any of its numbers wrong, and any missing. */
static void spe_data_that_lie_are_refused(void **state)
{
	static const uint64_t good[] = {2, 4,          9,     2, MAGIC, 0,
					1, 0x410fd490, MAGIC, 1, 1,     0x410fd8e0};
	const size_t count = sizeof(good) / sizeof(*good);
	struct spe_auxtrace read;
	struct spe_cpu cpu;

	(void)state;
	for (size_t size = 0; size < count; size++) {
		const struct plumb_auxtrace_info info = {4, good, size};

		/* Version 1 has only two numbers, and no CPUs. */
		assert_int_equal(spe_auxtrace_read(&info, &read) == 0, size == 2 || size >= 10);
		assert_true(spe_auxtrace_cpu(&info, 1, &cpu) < 0);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t values[sizeof(good) / sizeof(*good)];
		const struct plumb_auxtrace_info info = {4, values, count};

		memcpy(values, good, sizeof(good));
		values[i] = UINT64_MAX;
		for (size_t k = 0; k < 4; k++)
			(void)spe_auxtrace_cpu(&info, k, &cpu);
		if (i < 4 && i != 2)
			assert_true(spe_auxtrace_read(&info, &read) < 0);
	}
	assert_int_equal(spe_auxtrace_read(&(struct plumb_auxtrace_info){3, good, count}, &read),
			 PLUMB_ERR_UNSUPPORTED);
}

/* ---- Compressed -------------------------------------------------------------------------------
 */

/* Writes records outside the recording being built. */
static size_t make_records(struct build *b, uint8_t *bytes, uint32_t count)
{
	const size_t from = b->size;
	size_t size;

	for (uint32_t i = 0; i < count; i++) {
		begin(b, 3, 0);
		put32(b, i);
		put32(b, i * 7919);
		put_text(b, "a thread of some name", 8);
		put64(b, 1000 + i);
		end(b);
	}
	size = b->size - from;
	memcpy(bytes, b->bytes + from, size);
	b->size = from;
	return size;
}

/* Splits one stream into records of `part` bytes. */
static void put_compressed(struct build *b, const uint8_t *bytes, size_t size, size_t part,
			   uint32_t type)
{
	static uint8_t packed[1 << 19];
	const size_t all = ZSTD_compress(packed, sizeof(packed), bytes, size, 1);

	assert_false(ZSTD_isError(all));
	for (size_t at = 0; at < all; at += part) {
		const size_t now = all - at < part ? all - at : part;

		begin(b, type, 0);
		if (type == 83)
			put64(b, now);
		put_bytes(b, packed + at, now);
		if (type == 83)
			put_zeros(b, (8 - now % 8) % 8);
		end(b);
	}
}

static uint8_t unpacked[1 << 19];

static void compressed_records_are_given(void **state)
{
	static const size_t parts[] = {17, 1000, 60000};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		FOR_EACH_FORM(b)
		{
			struct opened opened;
			size_t size;

			build_begin(b, &spe, 1);
			/* More than fits into a window at once. */
			size = make_records(b, unpacked, 7000);
			put_compressed(b, unpacked, size, parts[i / 2], i % 2 ? 83 : 81);
			put_auxtrace(b, 64, 1);
			opened = open_built(b);
			(void)next_of(&opened, PLUMB_RECORD_AUXTRACE);
			for (uint32_t k = 0; k < 7000; k++) {
				struct plumb_record record = next_of(&opened, PLUMB_RECORD_COMM);

				assert_int_equal(record.comm.pid, k);
				assert_int_equal(record.comm.tid, (int32_t)(k * 7919));
				assert_int_equal(record.time, 1000 + k);
				assert_string_equal(record.comm.comm, "a thread of some name");
			}
			no_more(&opened);
			assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
			opened_close(&opened);
		}
	}
}

/* Records before the damage are still read. */
static void damaged_compression_ends_in_an_error(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;
		int got;

		build_begin(b, &spe, 1);
		put_compressed(b, unpacked, make_records(b, unpacked, 3), 60000, 81);
		begin(b, 81, 0);
		put_bytes(b, "this is no zstd stream..", 24);
		end(b);
		opened = open_built(b);
		for (uint32_t i = 0; i < 3; i++)
			(void)next_of(&opened, PLUMB_RECORD_COMM);
		got = recording_next(opened.recording, &record);
		assert_int_equal(got, PLUMB_ERR_INVALID);
		assert_true(has_finding(opened.diagnostics, "bad-compressed"));
		no_more(&opened);
		opened_close(&opened);
	}
}

static void nesting_is_refused(void **state)
{
	static const uint32_t types[] = {66, 71, 81, 83};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		FOR_EACH_FORM(b)
		{
			struct plumb_record record;
			struct opened opened;
			size_t from;
			int got;

			build_begin(b, &spe, 1);
			from = b->size;
			begin(b, types[i], 0);
			put_zeros(b, 40);
			end(b);
			memcpy(unpacked, b->bytes + from, 48);
			b->size = from;
			put_compressed(b, unpacked, 48, 1000, 81);
			opened = open_built(b);
			do
				got = recording_next(opened.recording, &record);
			while (got == 1 && record.type == 64);
			assert_int_equal(got, PLUMB_ERR_INVALID);
			assert_true(has_finding(opened.diagnostics, "bad-nesting"));
			opened_close(&opened);
		}
	}
}

static void a_compressed_record_larger_than_itself_is_refused(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;
		int got;

		build_begin(b, &spe, 1);
		begin(b, 83, 0);
		put64(b, 9);
		put64(b, 0);
		end(b);
		opened = open_built(b);
		do
			got = recording_next(opened.recording, &record);
		while (got == 1 && record.type == 64);
		assert_int_equal(got, PLUMB_ERR_INVALID);
		opened_close(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_are_found_as_they_come),
		cmocka_unit_test(an_index_gives_all_at_once),
		cmocka_unit_test(a_wrong_index_is_told),
		cmocka_unit_test(more_than_a_chunk_cannot_be_read),
		cmocka_unit_test(a_chunk_that_is_cut_off_is_shorter),
		cmocka_unit_test(auxtrace_info_is_kept),
		cmocka_unit_test(spe_version_2_describes_cpus),
		cmocka_unit_test(a_cpu_has_its_midr),
		cmocka_unit_test(spe_data_that_lie_are_refused),
		cmocka_unit_test(compressed_records_are_given),
		cmocka_unit_test(damaged_compression_ends_in_an_error),
		cmocka_unit_test(nesting_is_refused),
		cmocka_unit_test(a_compressed_record_larger_than_itself_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
