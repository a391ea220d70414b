/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/access.h"

#include "recording_builder.h"

#include <stdio.h>
#include <sys/stat.h>

static const struct built_attr cpu_clock = {
	.type = 1,
	.period = 250000,
	.sample_type = 0x107,
	.flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL) | PLUMB_ATTR_BIT(PLUMB_ATTR_BUILD_ID) |
		 PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED),
	.precise = 2,
	.config = 0x123456789abcdef0,
	.config1 = 11,
	.config2 = 22,
	.config3 = 33,
	.config4 = 34,
	.branches = 44,
	.regs_user = 55,
	.regs_intr = 66,
	.stack_user = 77,
	.clockid = -1,
	.ids = {0x100, 0x200},
	.id_count = 2,
};

static void attributes_are_read(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		const struct plumb_event_attr *attr;
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		opened = open_built(b);
		attr = &plumb_recording_event(opened.recording, 0)->attr;
		assert_int_equal(attr->type, 1);
		assert_int_equal(attr->size, 136);
		assert_int_equal(attr->config, cpu_clock.config);
		assert_int_equal(attr->sample_period, 250000);
		assert_int_equal(attr->sample_type, 0x107);
		assert_int_equal(attr->flags, cpu_clock.flags | UINT64_C(2)
									<< PLUMB_ATTR_PRECISE_IP);
		assert_int_equal(attr->wakeup, 1);
		assert_int_equal(attr->bp_type, 0);
		assert_int_equal(attr->config1, 11);
		assert_int_equal(attr->config2, 22);
		assert_int_equal(attr->config3, 33);
		assert_int_equal(attr->branch_sample_type, 44);
		assert_int_equal(attr->sample_regs_user, 55);
		assert_int_equal(attr->sample_regs_intr, 66);
		assert_int_equal(attr->sample_stack_user, 77);
		assert_int_equal(attr->clockid, -1);
		assert_int_equal(attr->aux_watermark, 0x1000);
		assert_int_equal(attr->sample_max_stack, 127);
		assert_int_equal(plumb_recording_event(opened.recording, 0)->id_count, 2);
		assert_int_equal(plumb_recording_event(opened.recording, 0)->ids[1], 0x200);
		assert_null(plumb_recording_event(opened.recording, 1));
		assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

/* All historical sizes of struct perf_event_attr. */
static void attributes_of_every_size_are_read(void **state)
{
	static const uint32_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 200};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		FOR_EACH_FORM(b)
		{
			struct built_attr attr = cpu_clock;
			const struct plumb_recorded_event *event;
			struct opened opened;

			attr.size = sizes[i];
			build_begin(b, &attr, 1);
			opened = open_built(b);
			event = plumb_recording_event(opened.recording, 0);
			assert_int_equal(event->attr.size, sizes[i]);
			assert_int_equal(event->attr.config1, 11);
			assert_int_equal(event->attr.config2, sizes[i] >= 72 ? 22 : 0);
			assert_int_equal(event->attr.branch_sample_type, sizes[i] >= 80 ? 44 : 0);
			assert_int_equal(event->attr.sample_stack_user, sizes[i] >= 96 ? 77 : 0);
			assert_int_equal(event->attr.sample_regs_intr, sizes[i] >= 104 ? 66 : 0);
			assert_int_equal(event->attr.sample_max_stack, sizes[i] >= 112 ? 127 : 0);
			assert_int_equal(event->attr.config3, sizes[i] >= 136 ? 33 : 0);
			assert_int_equal(event->attr.config4, sizes[i] >= 144 ? 34 : 0);
			assert_int_equal(event->ids[0], 0x100);
			assert_int_equal(plumb_diagnostics_count(opened.diagnostics), 0);
			opened_close(&opened);
		}
	}
}

static void more_than_is_known_of_an_attribute_is_told(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct built_attr attr = cpu_clock;
		struct opened opened;

		attr.size = 152;
		attr.beyond = 1;
		build_begin(b, &attr, 1);
		opened = open_built(b);
		assert_true(has_finding(opened.diagnostics, "odd-attribute"));
		assert_int_equal(plumb_diagnostics_errors(opened.diagnostics), 0);
		opened_close(&opened);
	}
}

static void put_command(struct build *b)
{
	const size_t from = feature_begin(b, PLUMB_FEATURE_CMDLINE);

	put32(b, 3);
	put_string(b, "perf");
	put_string(b, "record");
	put_string(b, "-a");
	feature_end(b, PLUMB_FEATURE_CMDLINE, from);
}

static void put_event_desc(struct build *b)
{
	const size_t from = feature_begin(b, PLUMB_FEATURE_EVENT_DESC);

	put32(b, 1);
	put32(b, 136);
	put_attr(b, &cpu_clock);
	put32(b, 2);
	put_string(b, "cpu-clock:u");
	put64(b, 0x100);
	put64(b, 0x200);
	feature_end(b, PLUMB_FEATURE_EVENT_DESC, from);
}

static void put_build_id(struct build *b, uint16_t misc, uint8_t first, uint8_t size,
			 const char *path)
{
	begin(b, 67, misc);
	put32(b, UINT32_MAX);
	for (uint8_t i = 0; i < 20; i++)
		put8(b, (uint8_t)(first + i));
	put8(b, size);
	put_zeros(b, 3);
	put_text(b, path, 64);
	end(b);
}

static void put_build_ids(struct build *b)
{
	const size_t from = b->size;

	put_build_id(b, 2, 0x10, 0, "/bin/old");
	put_build_id(b, 0x8002, 0x20, 16, "/bin/short");
	put_build_id(b, 0x8001, 0x30, 20, "[kernel.kallsyms]");
	if (!b->pipe)
		feature_end(b, PLUMB_FEATURE_BUILD_ID, from);
}

static void check_features(const struct opened *opened)
{
	const struct plumb_recording_info *info = plumb_recording_info(opened->recording);
	const uint8_t *bytes;
	size_t size;

	assert_string_equal(info->hostname, "arm");
	assert_string_equal(info->arch, "aarch64");
	assert_null(info->cpuid);
	assert_int_equal(info->command_count, 3);
	assert_string_equal(info->command[0], "perf");
	assert_string_equal(info->command[2], "-a");
	assert_string_equal(plumb_recording_event(opened->recording, 0)->name, "cpu-clock:u");
	bytes = recording_build_id(opened->recording, "/bin/old", &size);
	assert_int_equal(size, 20);
	assert_int_equal(bytes[19], 0x10 + 19);
	bytes = recording_build_id(opened->recording, "/bin/short", &size);
	assert_int_equal(size, 16);
	assert_int_equal(bytes[0], 0x20);
	assert_non_null(recording_build_id(opened->recording, "[kernel.kallsyms]", &size));
	assert_null(recording_build_id(opened->recording, "/bin/none", &size));
	assert_int_equal(size, 0);
	assert_true(plumb_recording_has_feature(opened->recording, 200));
	assert_false(plumb_recording_has_feature(opened->recording, 201));
	assert_false(plumb_recording_has_feature(opened->recording, 256));
	assert_int_equal(plumb_diagnostics_count(opened->diagnostics), 0);
}

static void features_are_kept_and_understood(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;
		size_t from;

		build_begin(b, &cpu_clock, 1);
		text_feature(b, PLUMB_FEATURE_HOSTNAME, "arm");
		text_feature(b, PLUMB_FEATURE_ARCH, "aarch64");
		put_command(b);
		put_event_desc(b);
		put_build_ids(b);
		from = feature_begin(b, 200);
		put_bytes(b, "fresh", 5);
		feature_end(b, 200, from);
		opened = open_built(b);
		check_features(&opened);
		opened_close(&opened);
	}
}

/* With 32-bit longs, the bitmap of features consists of those. */
static void features_of_a_32_bit_machine_are_found(void **state)
{
	struct build *b = build_new(true, false);
	struct opened opened;

	(void)state;
	build_begin(b, &cpu_clock, 1);
	text_feature(b, PLUMB_FEATURE_HOSTNAME, "ppc");
	build_end(b);
	patch_number(b, 72, b->features[0] << 32, 8);
	opened = open_bytes(b->bytes, b->size, false, NULL);
	assert_int_equal(opened.error, 0);
	assert_string_equal(plumb_recording_info(opened.recording)->hostname, "ppc");
	opened_close(&opened);
	free(b);
}

static void an_event_update_names_its_event(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		begin(b, 78, 0);
		put64(b, 2);
		put64(b, 0x200);
		put_text(b, "arm_spe_0//", 8);
		end(b);
		opened = open_built(b);
		(void)next_of(&opened, PLUMB_RECORD_EVENT_UPDATE);
		assert_string_equal(plumb_recording_event(opened.recording, 0)->name,
				    "arm_spe_0//");
		opened_close(&opened);
	}
}

static void tracing_data_is_passed(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct build *b = build_new(big, true);
		struct opened opened;

		build_begin(b, &cpu_clock, 1);
		begin(b, 66, 0);
		put32(b, 13);
		put32(b, 0);
		end(b);
		put_text(b, "tracing data", 16);
		text_feature(b, PLUMB_FEATURE_HOSTNAME, "after");
		opened = open_built(b);
		assert_true(
			plumb_recording_has_feature(opened.recording, PLUMB_FEATURE_TRACING_DATA));
		assert_string_equal(plumb_recording_info(opened.recording)->hostname, "after");
		(void)next_of(&opened, PLUMB_RECORD_HEADER_TRACING_DATA);
		opened_close(&opened);
		free(b);
	}
}

/* ---- What is no recording -------------------------------------------------------------------- */

static void refused(const void *bytes, size_t size, int error, const char *id)
{
	for (unsigned through_pipe = 0; through_pipe < 2; through_pipe++) {
		struct opened opened = open_bytes(bytes, size, through_pipe, NULL);

		assert_int_equal(opened.error, error);
		assert_null(opened.recording);
		assert_true(has_finding(opened.diagnostics, id));
		opened_close(&opened);
	}
}

static void what_is_no_recording_is_refused(void **state)
{
	(void)state;
	refused("", 0, PLUMB_ERR_SYNTAX, "empty");
	refused("PERFILE2", 8, PLUMB_ERR_SYNTAX, "not-a-recording");
	refused("\177ELF............................................", 40, PLUMB_ERR_SYNTAX,
		"not-a-recording");
	refused("PERFFILE................", 24, PLUMB_ERR_UNSUPPORTED, "old-recording");
}

static void a_file_through_a_pipe_is_refused(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &cpu_clock, 1);
	build_end(b);
	opened = open_bytes(b->bytes, b->size, true, NULL);
	assert_int_equal(opened.error, PLUMB_ERR_UNSUPPORTED);
	assert_true(has_finding(opened.diagnostics, "file-in-pipe"));
	opened_close(&opened);
	free(b);
}

static void what_is_not_there_cannot_be_opened(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording;

	(void)state;
	assert_int_equal(
		plumb_recording_open("/nonexistent/perf.data", NULL, &recording, diagnostics),
		PLUMB_ERR_IO);
	assert_null(recording);
	assert_true(has_finding(diagnostics, "open"));
	plumb_diagnostics_free(diagnostics);
}

/* Writes what was built as a file of a folder. */
static void put_file(const char *folder, const char *name, const struct build *b)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(b->bytes, 1, b->size, file), b->size);
	assert_int_equal(fclose(file), 0);
}

static void folder_is_refused(const char *folder, int error)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording;

	assert_int_equal(plumb_recording_open(folder, NULL, &recording, diagnostics), error);
	assert_null(recording);
	assert_true(has_finding(diagnostics, "directory"));
	plumb_diagnostics_free(diagnostics);
}

static void folders_without_a_recording_are_refused(void **state)
{
	char folder[] = "/tmp/plumb-folder-XXXXXX", path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	folder_is_refused(folder, PLUMB_ERR_SYNTAX);
	snprintf(path, sizeof(path), "%s/data", folder);
	/* Nobody writes to it: reading would wait forever. */
	assert_int_equal(mkfifo(path, 0600), 0);
	folder_is_refused(folder, PLUMB_ERR_SYNTAX);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("data", path), 0);
	folder_is_refused(folder, PLUMB_ERR_IO);
	assert_int_equal(unlink(path), 0);
	FOR_EACH_FORM(b)
	{
		const bool pipe = b->pipe;
		size_t from;

		build_begin(b, &cpu_clock, 1);
		from = feature_begin(b, PLUMB_FEATURE_DIR_FORMAT);
		put64(b, pipe ? 1 : 2);
		feature_end(b, PLUMB_FEATURE_DIR_FORMAT, from);
		build_end(b);
		put_file(folder, "data", b);
		folder_is_refused(folder, PLUMB_ERR_UNSUPPORTED);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* Each of the header's numbers pointing outside the file. */
static void headers_that_lie_are_refused(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		int error;
	} lies[] = {
		{8, 105, PLUMB_ERR_INVALID},         {8, 0, PLUMB_ERR_INVALID},
		{16, 0, PLUMB_ERR_INVALID},          {16, 79, PLUMB_ERR_INVALID},
		{16, UINT64_MAX, PLUMB_ERR_INVALID}, {24, UINT64_MAX, PLUMB_ERR_INVALID},
		{24, 1 << 20, PLUMB_ERR_INVALID},    {32, UINT64_MAX, PLUMB_ERR_LIMIT},
		{40, UINT64_MAX, PLUMB_ERR_INVALID}, {40, 50, PLUMB_ERR_INVALID},
		{48, UINT64_MAX, PLUMB_ERR_INVALID},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		for (unsigned big = 0; big < 2; big++) {
			struct build *b = build_new(big, false);
			struct opened opened;

			build_begin(b, &cpu_clock, 1);
			build_end(b);
			patch_number(b, lies[i].at, lies[i].value, 8);
			opened = open_bytes(b->bytes, b->size, false, NULL);
			assert_int_equal(opened.error, lies[i].error);
			assert_null(opened.recording);
			assert_int_equal(plumb_diagnostics_errors(opened.diagnostics), 1);
			opened_close(&opened);
			free(b);
		}
	}
}

static void features_outside_of_the_file_are_told(void **state)
{
	static const uint64_t sections[][2] = {
		{UINT64_MAX, 8}, {0, UINT64_MAX}, {1 << 20, 8}, {8, 1 << 19}, {8, 1 << 25},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		struct build *b = build_new(false, false);
		struct opened opened;
		size_t place;

		build_begin(b, &cpu_clock, 1);
		text_feature(b, PLUMB_FEATURE_HOSTNAME, "arm");
		text_feature(b, PLUMB_FEATURE_ARCH, "aarch64");
		build_end(b);
		place = b->data + 8;
		patch_number(b, place, sections[i][0], 8);
		patch_number(b, place + 8, sections[i][1], 8);
		opened = open_bytes(b->bytes, b->size, false, NULL);
		assert_int_equal(opened.error, 0);
		assert_null(plumb_recording_info(opened.recording)->hostname);
		assert_string_equal(plumb_recording_info(opened.recording)->arch, "aarch64");
		assert_true(has_finding(opened.diagnostics, "damaged-feature"));
		opened_close(&opened);
		free(b);
	}
}

/* 255 features may share the same bytes. */
static void features_may_overlap(void **state)
{
	struct build *b = build_new(false, false);
	struct opened opened;

	(void)state;
	build_begin(b, &cpu_clock, 1);
	build_end(b);
	for (unsigned i = 0; i < 4; i++)
		patch_number(b, 72 + 8 * i, i ? UINT64_MAX : UINT64_MAX - 1, 8);
	for (unsigned i = 1; i < 256; i++) {
		put64(b, 0);
		put64(b, 104);
	}
	opened = open_bytes(b->bytes, b->size, false, NULL);
	assert_int_equal(opened.error, 0);
	for (unsigned i = 1; i < 256; i++)
		assert_true(plumb_recording_has_feature(opened.recording, i));
	opened_close(&opened);
	free(b);
}

static void strings_without_an_end_are_none(void **state)
{
	(void)state;
	FOR_EACH_FORM(b)
	{
		struct opened opened;
		size_t from;

		build_begin(b, &cpu_clock, 1);
		from = feature_begin(b, PLUMB_FEATURE_HOSTNAME);
		put32(b, 4);
		put_bytes(b, "host", 4);
		feature_end(b, PLUMB_FEATURE_HOSTNAME, from);
		from = feature_begin(b, PLUMB_FEATURE_CMDLINE);
		put32(b, UINT32_MAX);
		feature_end(b, PLUMB_FEATURE_CMDLINE, from);
		from = feature_begin(b, PLUMB_FEATURE_EVENT_DESC);
		put32(b, 1);
		put32(b, UINT32_MAX);
		feature_end(b, PLUMB_FEATURE_EVENT_DESC, from);
		opened = open_built(b);
		assert_null(plumb_recording_info(opened.recording)->hostname);
		assert_int_equal(plumb_recording_info(opened.recording)->command_count, 0);
		assert_true(has_finding(opened.diagnostics, "damaged-feature"));
		opened_close(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_are_read),
		cmocka_unit_test(attributes_of_every_size_are_read),
		cmocka_unit_test(more_than_is_known_of_an_attribute_is_told),
		cmocka_unit_test(features_are_kept_and_understood),
		cmocka_unit_test(features_of_a_32_bit_machine_are_found),
		cmocka_unit_test(an_event_update_names_its_event),
		cmocka_unit_test(tracing_data_is_passed),
		cmocka_unit_test(what_is_no_recording_is_refused),
		cmocka_unit_test(a_file_through_a_pipe_is_refused),
		cmocka_unit_test(what_is_not_there_cannot_be_opened),
		cmocka_unit_test(folders_without_a_recording_are_refused),
		cmocka_unit_test(headers_that_lie_are_refused),
		cmocka_unit_test(features_outside_of_the_file_are_told),
		cmocka_unit_test(features_may_overlap),
		cmocka_unit_test(strings_without_an_end_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
