/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings that are truncated, corrupt or hostile. */
#include "recording/access.h"

#include "recording_of_all.h"
#include "thorough.h"

/* Reads every byte that a record points to. */
static uint64_t touch(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + at[i];
	return sum;
}

static uint64_t touch_text(const char *text)
{
	return touch(text, strlen(text));
}

static uint64_t touch_sample(const struct plumb_sample *sample)
{
	return touch(sample->callchain, 8 * sample->callchain_length) +
	       touch(sample->raw, sample->raw_size) +
	       touch(sample->branches, sizeof(*sample->branches) * sample->branch_count) +
	       touch(sample->user_registers, 8 * sample->user_register_count) +
	       touch(sample->intr_registers, 8 * sample->intr_register_count) +
	       touch(sample->user_stack, sample->user_stack_size) +
	       touch(sample->aux, sample->aux_size) +
	       touch(sample->reads, sizeof(*sample->reads) * sample->read_count);
}

static uint64_t touch_record(const struct plumb_record *record)
{
	uint64_t sum = touch(record->bytes, record->size);

	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		return sum + touch_text(record->mmap.path) +
		       touch(record->mmap.build_id, record->mmap.build_id_size);
	case PLUMB_RECORD_COMM:
		return sum + touch_text(record->comm.comm);
	case PLUMB_RECORD_READ:
		return sum + touch(record->read.values,
				   sizeof(*record->read.values) * record->read.count);
	case PLUMB_RECORD_NAMESPACES:
		return sum + touch(record->namespaces.namespaces, 16 * record->namespaces.count);
	case PLUMB_RECORD_KSYMBOL:
		return sum + touch_text(record->ksymbol.name);
	case PLUMB_RECORD_CGROUP:
		return sum + touch_text(record->cgroup.path);
	case PLUMB_RECORD_TEXT_POKE:
		return sum + touch(record->text_poke.old_bytes, record->text_poke.old_length) +
		       touch(record->text_poke.new_bytes, record->text_poke.new_length);
	case PLUMB_RECORD_AUXTRACE_INFO:
		return sum + touch(record->auxtrace_info.values, 8 * record->auxtrace_info.count);
	case PLUMB_RECORD_AUXTRACE_ERROR:
		return sum + touch_text(record->auxtrace_error.message);
	case PLUMB_RECORD_THREAD_MAP:
		return sum + touch(record->thread_map.tids, 4 * record->thread_map.count);
	case PLUMB_RECORD_CPU_MAP:
		return sum + touch(record->cpu_map.cpus, 4 * record->cpu_map.count);
	case PLUMB_RECORD_SAMPLE:
		return sum + touch_sample(&record->sample);
	default:
		return sum;
	}
}

struct outcome {
	int error; /* the result of opening, or of the last record */
	size_t records;
	uint64_t sum;
	bool cut_off, told;
};

static struct outcome read_all(const uint8_t *bytes, size_t size, bool pipe)
{
	const struct plumb_recording_options options = {.size = sizeof(options),
							.in_file_order = true};
	struct opened opened = open_bytes(bytes, size, pipe, &options);
	struct outcome outcome = {.error = opened.error};
	struct plumb_record record;

	if (opened.error == 0) {
		while ((outcome.error = recording_next(opened.recording, &record)) > 0) {
			outcome.records++;
			outcome.sum += touch_record(&record);
		}
		outcome.cut_off = plumb_recording_losses(opened.recording)->cut_off;
	}
	outcome.told = plumb_diagnostics_count(opened.diagnostics) > 0;
	opened_close(&opened);
	return outcome;
}

static void everything_is_read_whole(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct outcome outcome;

		build_all(b);
		outcome = read_all(b->bytes, b->size, b->pipe);
		assert_int_equal(outcome.error, 0);
		assert_false(outcome.cut_off);
		assert_false(outcome.told);
		/* In a pipe, attributes and features are records too. */
		assert_int_equal(outcome.records, b->pipe ? 44 : 39);
	}
}

/* Cut off anywhere, it gives an error, or a shorter recording that says so. */
static void truncation_is_told_and_all_before_it_is_given(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		size_t most = 0;

		build_all(b);
		for (size_t size = 0; size < b->size; size += ONE_IN(5)) {
			const struct outcome outcome = read_all(b->bytes, size, b->pipe);

			assert_true(outcome.error <= 0);
			assert_true(outcome.records >= most);
			most = outcome.records;
			/* Between two records of a pipe, nothing shows that more should follow. */
			assert_true(outcome.told || b->pipe);
		}
	}
}

static void wrong_bytes_do_no_harm(void **state)
{
	static const uint8_t masks[] = {0xff, 0x80, 0x01};

	(void)state;
	FOR_EACH_FORM(b)
	{
		build_all(b);
		for (size_t i = 0; i < b->size; i += ONE_IN(5)) {
			for (size_t k = 0; k < sizeof(masks); k++) {
				b->bytes[i] ^= masks[k];
				(void)read_all(b->bytes, b->size, b->pipe);
				b->bytes[i] ^= masks[k];
			}
		}
	}
}

/* Sets any 32 bits to a huge value: counts, sizes, offsets. */
static void wrong_numbers_do_no_harm(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		build_all(b);
		for (size_t i = 0; i + 8 <= b->size; i += 2 * ONE_IN(5)) {
			uint8_t kept[8];

			memcpy(kept, b->bytes + i, 8);
			memset(b->bytes + i, 0xff, 4);
			(void)read_all(b->bytes, b->size, b->pipe);
			memset(b->bytes + i, 0xff, 8);
			(void)read_all(b->bytes, b->size, b->pipe);
			memcpy(b->bytes + i, kept, 8);
		}
	}
}

static void records_smaller_than_their_header_end_it(void **state)
{
	(void)state;
	for (uint16_t size = 0; size < 8; size++) {
		FOR_EACH_FORM(b)
		{
			struct outcome outcome;

			build_begin(b, attrs_of_all, 2);
			all_samples(b);
			begin(b, 3, 0);
			patch_number(b, b->record + 6, size, 2);
			put_zeros(b, 64);
			build_end(b);
			outcome = read_all(b->bytes, b->size, b->pipe);
			assert_int_equal(outcome.error, PLUMB_ERR_INVALID);
			assert_int_equal(outcome.records, b->pipe ? 4 : 2);
		}
	}
}

/* Every type with every size up to a limit: records that fit are read, others are skipped. */
static void records_of_any_size_are_given_or_passed(void **state)
{
	(void)state;
	for (uint32_t type = 1; type < 90; type++) {
		FOR_EACH_FORM(b)
		{
			/* The record would claim data behind it, or in it. */
			if (type == 66 || type == 71 || type == 81 || type == 83)
				continue;
			build_begin(b, attrs_of_all, type == 64 ? 0 : 2);
			for (size_t size = 0; size < 200; size += type == 64 ? 200 : 1) {
				begin(b, type, 0);
				put_zeros(b, size);
				end(b);
			}
			build_end(b);
			assert_true(read_all(b->bytes, b->size, b->pipe).error <= 0);
		}
	}
}

/* Numbers may be at unaligned places. */
static void odd_places_are_read(void **state)
{
	(void)state;
	for (size_t odd = 1; odd < 8; odd++) {
		FOR_EACH_FORM(b)
		{
			struct outcome outcome;

			build_begin(b, attrs_of_all, 2);
			begin(b, 82, 0);
			put_zeros(b, odd);
			end(b);
			all_samples(b);
			all_of_the_kernel(b);
			build_end(b);
			outcome = read_all(b->bytes, b->size, b->pipe);
			assert_int_equal(outcome.error, 0);
			assert_false(outcome.told);
			assert_int_equal(outcome.records, b->pipe ? 27 : 25);
		}
	}
}

/* A killed perf leaves 0 as the size of the data. */
static void what_a_killed_recorder_leaves_is_read(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct build *b = build_new(big, false);
		struct outcome outcome;

		build_begin(b, attrs_of_all, 2);
		all_samples(b);
		all_samples(b);
		outcome = read_all(b->bytes, b->size - 10, false);
		assert_int_equal(outcome.error, 0);
		assert_int_equal(outcome.records, 3);
		assert_true(outcome.cut_off);
		assert_true(outcome.told);
		free(b);
	}
}

static void damaged_records_are_counted(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct plumb_record record;
		struct opened opened;

		build_begin(b, attrs_of_all, 2);
		begin(b, 10, 0);
		put_zeros(b, 16);
		end(b);
		begin(b, 73, 0);
		put64(b, UINT64_MAX);
		end(b);
		begin(b, 82, 0);
		end(b);
		opened = open_built(b);
		record = next_of(&opened, PLUMB_RECORD_FINISHED_INIT);
		assert_int_equal(record.size, 8);
		no_more(&opened);
		assert_int_equal(plumb_recording_losses(opened.recording)->damaged_records, 2);
		assert_true(has_finding(opened.diagnostics, "damaged-record"));
		opened_close(&opened);
	}
}

/* Thousands of findings are reported a few times. */
static void findings_stay_few(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, attrs_of_all, 2);
	for (unsigned i = 0; i < 5000; i++) {
		begin(b, 73, 0);
		put64(b, UINT64_MAX);
		end(b);
	}
	opened = open_built(b);
	no_more(&opened);
	assert_int_equal(plumb_recording_losses(opened.recording)->damaged_records, 5000);
	assert_in_range(plumb_diagnostics_count(opened.diagnostics), 1, 10);
	opened_close(&opened);
	free(b);
}

/* A file that shrinks while it is read ends at its new end. */
static void a_file_that_shrinks_ends(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct build *b = build_new(false, false);
	struct plumb_recording *recording;
	struct plumb_record record;
	size_t records = 0;
	int fd, other, got;

	(void)state;
	build_begin(b, attrs_of_all, 2);
	while (b->size < sizeof(b->bytes) - 2000)
		all_samples(b);
	build_end(b);
	fd = as_file(b->bytes, b->size);
	other = dup(fd);
	assert_int_equal(recording_open_fd(fd, "shrinks", NULL, &recording, diagnostics), 0);
	assert_int_equal(ftruncate(other, 20000), 0);
	while ((got = recording_next(recording, &record)) > 0)
		records++;
	assert_int_equal(got, 0);
	assert_true(records > 0);
	assert_true(plumb_recording_losses(recording)->cut_off);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
	(void)close(other);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_read_whole),
		cmocka_unit_test(truncation_is_told_and_all_before_it_is_given),
		cmocka_unit_test(wrong_bytes_do_no_harm),
		cmocka_unit_test(wrong_numbers_do_no_harm),
		cmocka_unit_test(records_smaller_than_their_header_end_it),
		cmocka_unit_test(records_of_any_size_are_given_or_passed),
		cmocka_unit_test(odd_places_are_read),
		cmocka_unit_test(what_a_killed_recorder_leaves_is_read),
		cmocka_unit_test(damaged_records_are_counted),
		cmocka_unit_test(findings_stay_few),
		cmocka_unit_test(a_file_that_shrinks_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
