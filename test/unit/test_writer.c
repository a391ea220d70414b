/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's files, byte by byte; the expected bytes are laid out by hand from perf's
 * documentation of the format.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <plumb/recording.h>

#include "base/file.h"
#include "folder.h"
#include "recording/access.h"

#define SAMPLE_TYPE 0x10007u /* IDENTIFIER, IP, TID, TIME */

static const uint64_t ids[] = {101, 102};
static const struct plumb_recorded_event events[] = {
	{.attr = {.type = 1,
		  .config = 0,
		  .sample_period = 1000,
		  .sample_type = SAMPLE_TYPE,
		  .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL)},
	 .ids = ids,
	 .id_count = 2,
	 .name = "cpu-clock"},
};
static const struct plumb_recording_setup plain = {
	.size = sizeof(struct plumb_recording_setup),
	.events = events,
	.event_count = 1,
	.hostname = "host",
	.arch = "x86_64",
	.command = (const char *const[]){"plumb", "record", NULL},
	.clockid = -1,
};

struct sample {
	uint32_t type;
	uint16_t misc, size;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
};

static struct sample sample(uint64_t time)
{
	return (struct sample){9, 2, sizeof(struct sample), 101, 0x400000, 7, 7, time};
}

/* Reads a file and what its header says. */
struct image {
	uint8_t *bytes;
	size_t size;
	uint64_t data, data_size, features;
};

static uint64_t u64(const struct image *image, size_t at)
{
	uint64_t value;

	assert_true(at + 8 <= image->size);
	memcpy(&value, image->bytes + at, 8);
	return value;
}

static uint32_t u32(const struct image *image, size_t at)
{
	uint32_t value;

	assert_true(at + 4 <= image->size);
	memcpy(&value, image->bytes + at, 4);
	return value;
}

static struct image read_image(const char *name)
{
	struct image image = {0};
	char *bytes;

	assert_int_equal(file_read(name, 64u << 20, &bytes, &image.size), 0);
	image.bytes = (uint8_t *)bytes;
	assert_true(image.size >= 104);
	assert_memory_equal(image.bytes, "PERFILE2", 8);
	assert_int_equal(u64(&image, 8), 104);
	image.data = u64(&image, 40);
	image.data_size = u64(&image, 48);
	image.features = u64(&image, 72);
	assert_true(image.data + image.data_size <= image.size);
	return image;
}

/* Returns the place of a feature's content. */
static size_t feature(const struct image *image, unsigned number, uint64_t *size)
{
	size_t at = image->data + image->data_size;

	assert_true(image->features >> number & 1);
	for (unsigned i = 0; i < number; i++)
		at += (image->features >> i & 1) * 16;
	*size = u64(image, at + 8);
	assert_true(u64(image, at) + *size <= image->size);
	return u64(image, at);
}

/* Checks that whole records reach the end of the data; counts those of `type`. */
static size_t count_records(const struct image *image, uint32_t type)
{
	size_t at = image->data, end = image->data + image->data_size, count = 0;

	while (at < end) {
		uint32_t header = u32(image, at + 4);

		assert_true(header >> 16 >= 8 && at + (header >> 16) <= end);
		count += u32(image, at) == type;
		if (u32(image, at) == 71)
			at += u64(image, at + 8);
		at += header >> 16;
	}
	assert_int_equal(at, end);
	return count;
}

static struct plumb_recording_writer *create(const struct plumb_recording_setup *setup)
{
	struct plumb_recording_writer *writer;

	assert_int_equal(plumb_recording_create(path, setup, &writer, NULL), 0);
	return writer;
}

static void write_samples(struct plumb_recording_writer *writer, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		struct sample s = sample(i);

		assert_int_equal(plumb_recording_write(writer, &s, sizeof(s)), 0);
	}
}

static void a_file_is_laid_out_as_perf_says(void **state)
{
	struct plumb_recording_writer *writer = create(&plain);
	struct image image;
	uint64_t size, length;
	size_t at;

	(void)state;
	write_samples(writer, 50, 60);
	assert_int_equal(plumb_recording_finish_round(writer), 0);
	assert_int_equal(plumb_recording_finish(writer, &length), 0);
	image = read_image(path);
	assert_int_equal(image.size, length);
	assert_int_equal(u64(&image, 16), 128 + 16); /* an attribute, and the place of its ids */
	at = u64(&image, 24);
	assert_int_equal(u64(&image, 32), 144);
	assert_int_equal(u32(&image, at), 1);
	assert_int_equal(u32(&image, at + 4), 128);
	assert_int_equal(u64(&image, at + 16), 1000);
	assert_int_equal(u64(&image, at + 24), SAMPLE_TYPE);
	assert_int_equal(u64(&image, at + 136), 16);
	assert_int_equal(u64(&image, u64(&image, at + 128) + 8), 102);
	assert_int_equal(count_records(&image, 9), 10);
	assert_int_equal(count_records(&image, 68), 1);
	assert_int_equal(image.features, 1u << 3 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 21);
	at = feature(&image, PLUMB_FEATURE_HOSTNAME, &size);
	assert_int_equal(size, 4 + 64);
	assert_int_equal(u32(&image, at), 64);
	assert_string_equal((const char *)image.bytes + at + 4, "host");
	at = feature(&image, PLUMB_FEATURE_SAMPLE_TIME, &size);
	assert_int_equal(u64(&image, at), 50);
	assert_int_equal(u64(&image, at + 8), 59);
	at = feature(&image, PLUMB_FEATURE_EVENT_DESC, &size);
	assert_int_equal(u32(&image, at + 4), 128);
	assert_int_equal(u32(&image, at + 8 + 128), 2);
	assert_string_equal((const char *)image.bytes + at + 8 + 128 + 4 + 4, "cpu-clock");
	free(image.bytes);
	unlink(path);
}

static void the_file_can_be_read_at_any_moment(void **state)
{
	struct plumb_recording_writer *writer = create(&plain);
	struct image image = read_image(path);
	size_t before = 0;

	(void)state;
	assert_int_equal(count_records(&image, 9), 0);
	assert_true(image.features != 0);
	free(image.bytes);
	for (unsigned i = 0; i < 40; i++) {
		size_t count;

		write_samples(writer, 1000 * i, 1000 * (i + 1));
		if (i % 7 == 6)
			assert_int_equal(i % 2 ? plumb_recording_finish_round(writer)
					       : plumb_recording_settle(writer),
					 0);
		image = read_image(path);
		count = count_records(&image, 9);
		assert_true(count >= before);
		if (i % 7 == 6) {
			assert_int_equal(count, 1000 * (i + 1));
			assert_true(image.features >> PLUMB_FEATURE_EVENT_DESC & 1);
		}
		assert_string_equal((const char *)image.bytes + 56, "UNFINISH");
		before = count;
		free(image.bytes);
	}
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), 40000);
	assert_int_equal(u64(&image, 56), 0);
	free(image.bytes);
	unlink(path);
}

static void aux_data_is_padded_and_indexed(void **state)
{
	const struct plumb_recording_setup setup = {
		.size = sizeof(struct plumb_recording_setup),
		.events = events,
		.event_count = 1,
		.clockid = -1,
		.auxtrace_info =
			&(const struct plumb_auxtrace_info){4, (const uint64_t[]){8, 1}, 2},
		.time_conv = &(const struct plumb_time_conv){.shift = 31,
							     .mult = 5,
							     .cap_user_time_zero = true},
	};
	const struct plumb_aux_chunk chunk = {
		.offset = 4096, .reference = 77, .index = 3, .tid = -1, .cpu = 3};
	struct plumb_recording_writer *writer = create(&setup);
	struct image image;
	uint64_t size;
	size_t at, index;

	(void)state;
	write_samples(writer, 1, 2);
	assert_int_equal(plumb_recording_write_aux(writer, &chunk, "abcdef", 6, "ghijk", 5), 0);
	write_samples(writer, 2, 3);
	assert_int_equal(plumb_recording_write_aux(writer, &chunk, "12345678", 8, NULL, 0), 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), 2);
	assert_int_equal(count_records(&image, 71), 2);
	assert_int_equal(count_records(&image, 70), 1);
	/* After the event's name: 8 + 16 + 16 bytes. */
	assert_int_equal(u32(&image, image.data), 78);
	assert_int_equal(u32(&image, image.data + 40), 79);
	assert_int_equal(u64(&image, image.data + 56), 5);
	assert_int_equal(image.bytes[image.data + 88], 1);
	index = feature(&image, PLUMB_FEATURE_AUXTRACE, &size);
	assert_int_equal(size, 8 + 2 * 16);
	assert_int_equal(u64(&image, index), 2);
	at = u64(&image, index + 8);
	assert_int_equal(u64(&image, index + 16), 48);
	assert_int_equal(u32(&image, at), 71);
	/* Announced with the first: 8 + 8 + 16 bytes. */
	assert_int_equal(u32(&image, at - 32), 70);
	assert_int_equal(u64(&image, at + 8), 16);
	assert_int_equal(u64(&image, at + 16), 4096);
	assert_int_equal(u64(&image, at + 24), 77);
	assert_int_equal(u32(&image, at + 32), 3);
	assert_int_equal(u32(&image, at + 36), UINT32_MAX);
	assert_memory_equal(image.bytes + at + 48, "abcdefghijk\0\0\0\0\0", 16);
	free(image.bytes);
	unlink(path);
	/* perf warns of what is announced and absent. */
	writer = create(&setup);
	write_samples(writer, 1, 2);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_int_equal(count_records(&image, 70), 0);
	free(image.bytes);
	unlink(path);
}

static void later_words_make_attributes_longer(void **state)
{
	static const struct {
		uint64_t config3, config4;
		uint32_t size;
	} cases[] = {{0xabc, 0, 136}, {0, 0xdef, 144}, {0xabc, 0xdef, 144}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct plumb_recorded_event event = events[0];
		struct plumb_recording_setup setup = plain;
		struct image image;
		size_t at;

		event.attr.config3 = cases[i].config3;
		event.attr.config4 = cases[i].config4;
		setup.events = &event;
		assert_int_equal(plumb_recording_finish(create(&setup), NULL), 0);
		image = read_image(path);
		assert_int_equal(u64(&image, 16), cases[i].size + 16);
		at = u64(&image, 24);
		assert_int_equal(u32(&image, at + 4), cases[i].size);
		assert_int_equal(u64(&image, at + 128), cases[i].config3);
		if (cases[i].size > 136)
			assert_int_equal(u64(&image, at + 136), cases[i].config4);
		free(image.bytes);
		unlink(path);
	}
}

static void a_setup_has_a_size(void **state)
{
	struct plumb_recording_setup setup = plain;
	struct plumb_recording_writer *writer;

	(void)state;
	setup.size = 0;
	assert_int_equal(plumb_recording_create(path, &setup, &writer, NULL), PLUMB_ERR_ARGUMENT);
	assert_null(writer);
	assert_int_not_equal(access(path, F_OK), 0);
}

static int change(struct plumb_recording_writer *writer, uint64_t position, uint64_t value)
{
	return plumb_recording_change(writer, &(struct plumb_recording_change){position, value}, 1);
}

/* In the file and in what is held; but not before the records, behind them, or where none can. */
static void records_can_be_changed(void **state)
{
	enum { COUNT = 2000, WRITTEN = 1500 };
	static struct plumb_recording_change changes[COUNT];
	struct plumb_recording_setup small = plain;
	struct plumb_recording_writer *writer = create(&plain);
	uint64_t first = plumb_recording_position(writer) + offsetof(struct sample, ip);
	struct image image;
	size_t count = 0;

	(void)state;
	write_samples(writer, 1000, 1000 + WRITTEN);
	assert_int_equal(plumb_recording_settle(writer), 0);
	write_samples(writer, 1000 + WRITTEN, 1000 + COUNT);
	/* Some lie together, and some alone. */
	for (size_t i = 0; i < COUNT; i += i < 1000 ? 1 : 37)
		changes[count++] = (struct plumb_recording_change){
			first + i * sizeof(struct sample), 0x500000 + i};
	assert_int_equal(plumb_recording_change(writer, changes, count), 0);
	/* A recorder that is killed now leaves all of them. */
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), COUNT);
	free(image.bytes);
	assert_int_equal(change(writer, 8, 1), PLUMB_ERR_ARGUMENT);
	assert_int_equal(change(writer, plumb_recording_position(writer) - 7, 1),
			 PLUMB_ERR_ARGUMENT);
	assert_int_equal(change(writer, UINT64_MAX, 1), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), COUNT);
	for (size_t i = 0, next = 0; i < COUNT; i++) {
		bool changed = i == next;

		assert_int_equal(u64(&image, first + i * sizeof(struct sample)),
				 changed ? 0x500000 + i : 0x400000);
		if (changed)
			next += i < 1000 ? 1 : 37;
	}
	free(image.bytes);
	small.compress_level = 1;
	writer = create(&small);
	assert_int_equal(plumb_recording_position(writer), 0);
	assert_int_equal(change(writer, first, 1), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	unlink(path);
}

/* What was written before can be changed as before, and all of it is read. */
static void later_records_are_compressed(void **state)
{
	enum { PLAIN_BYTES = 100000, COUNT = 20000 };
	struct plumb_recording_setup setup = plain;
	struct plumb_recording_writer *writer;
	struct plumb_recording *recording;
	struct plumb_record record;
	uint64_t first, before = 0, last = 0;
	struct image image;
	size_t count = 0, read = 0;

	(void)state;
	setup.compress_level = 1;
	setup.compress_after = PLAIN_BYTES;
	writer = create(&setup);
	first = plumb_recording_position(writer) + offsetof(struct sample, ip);
	for (uint64_t at; (at = plumb_recording_position(writer)) != 0; count++) {
		before = at;
		write_samples(writer, 1000 + count, 1001 + count);
	}
	assert_in_range(before, PLAIN_BYTES - sizeof(struct sample), PLAIN_BYTES - 1);
	write_samples(writer, 1000 + count, 1000 + COUNT);
	last = first + (count - 1) * sizeof(struct sample);
	assert_int_equal(last, before + offsetof(struct sample, ip));
	assert_int_equal(change(writer, first, 0x500000), 0);
	assert_int_equal(change(writer, last, 0x600000), 0);
	assert_int_equal(change(writer, last + sizeof(struct sample), 1), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), count);
	assert_true(count_records(&image, 81) > 0);
	assert_true(image.size < COUNT * sizeof(struct sample) / 4);
	free(image.bytes);
	assert_int_equal(plumb_recording_open(path, NULL, &recording, NULL), 0);
	while (recording_next(recording, &record) > 0) {
		if (record.type != PLUMB_RECORD_SAMPLE)
			continue;
		assert_int_equal(record.time, 1000 + read);
		assert_int_equal(record.sample.ip, read == 0           ? 0x500000
						   : read == count - 1 ? 0x600000
								       : 0x400000);
		read++;
	}
	assert_int_equal(read, COUNT);
	plumb_recording_close(recording);
	unlink(path);
}

static void what_is_no_record_is_refused(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording_writer *writer;
	struct sample s[2] = {sample(1), sample(2)};

	(void)state;
	assert_int_equal(plumb_recording_create(path, &plain, &writer, diagnostics), 0);
	assert_int_equal(plumb_recording_write(writer, s, sizeof(s) - 1), PLUMB_ERR_ARGUMENT);
	s[1].size = 7;
	assert_int_equal(plumb_recording_write(writer, s, sizeof(s)), PLUMB_ERR_ARGUMENT);
	s[1].size = sizeof(s[1]);
	s[1].type = 71;
	assert_int_equal(plumb_recording_write(writer, s, sizeof(s)), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_recording_write(writer, s, 3), PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 4);
	write_samples(writer, 1, 2);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	plumb_diagnostics_free(diagnostics);
	unlink(path);
}

static void a_limit_is_kept(void **state)
{
	struct plumb_recording_setup setup = plain;
	struct plumb_recording_writer *writer;
	struct sample s = sample(1);
	struct image image;
	size_t count = 0;

	(void)state;
	setup.limit_bytes = 100000;
	writer = create(&setup);
	while (plumb_recording_write(writer, &s, sizeof(s)) == 0)
		count++;
	assert_true(plumb_recording_length(writer) <= 100000);
	assert_true(plumb_recording_length(writer) > 100000 - 2000);
	assert_int_equal(plumb_recording_write(writer, &s, sizeof(s)), PLUMB_ERR_LIMIT);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	assert_true(image.size <= 100000);
	assert_int_equal(count_records(&image, 9), count);
	free(image.bytes);
	unlink(path);
}

static void an_older_file_is_moved(void **state)
{
	char old[sizeof(path) + 4];
	struct image image;

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	for (uint64_t i = 1; i <= 3; i++) {
		struct plumb_recording_writer *writer = create(&plain);

		write_samples(writer, 0, i);
		assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	}
	image = read_image(old);
	assert_int_equal(count_records(&image, 9), 2);
	free(image.bytes);
	unlink(old);
	unlink(path);
}

/* As with /dev/stdout: the link is not the recording's to rename. */
static void a_link_to_a_descriptor_stays(void **state)
{
	struct plumb_recording_writer *writer = create(&plain);
	char link_to[32];
	struct image image;
	int fd;

	(void)state;
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	snprintf(link_to, sizeof(link_to), "/proc/self/fd/%d", fd);
	assert_int_equal(plumb_recording_create(link_to, &plain, &writer, NULL), 0);
	write_samples(writer, 0, 2);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	close(fd);
	image = read_image(path);
	assert_int_equal(count_records(&image, 9), 2);
	free(image.bytes);
	unlink(path);
}

static void a_folder_in_the_older_files_place_is_named(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording_writer *writer = create(&plain);
	char old[sizeof(path) + 4];

	(void)state;
	snprintf(old, sizeof(old), "%s.old", path);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	assert_int_equal(mkdir(old, 0700), 0);
	assert_int_equal(plumb_recording_create(path, &plain, &writer, diagnostics), PLUMB_ERR_IO);
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 1);
	assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->file, old);
	assert_non_null(strstr(plumb_diagnostics_get(diagnostics, 0)->message, "Is a directory"));
	assert_non_null(plumb_diagnostics_get(diagnostics, 0)->hint);
	assert_int_equal(access(path, F_OK), 0);
	rmdir(old);
	unlink(path);
	plumb_diagnostics_free(diagnostics);
}

static void the_next_file_has_the_same_setup(void **state)
{
	struct plumb_recording_writer *writer = create(&plain), *next;
	char name[sizeof(path) + 5];
	struct image image;
	uint64_t size;
	size_t at;

	(void)state;
	snprintf(name, sizeof(name), "%s.next", path);
	write_samples(writer, 1, 5);
	assert_int_equal(plumb_recording_create_next(writer, name, &next), 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	write_samples(next, 5, 8);
	assert_int_equal(plumb_recording_finish(next, NULL), 0);
	image = read_image(name);
	assert_int_equal(count_records(&image, 9), 3);
	at = feature(&image, PLUMB_FEATURE_CMDLINE, &size);
	assert_int_equal(u32(&image, at), 2);
	assert_string_equal((const char *)image.bytes + at + 8 + 64 + 4, "record");
	free(image.bytes);
	unlink(name);
	unlink(path);
}

static void build_ids_are_a_feature(void **state)
{
	struct plumb_recording_writer *writer = create(&plain);
	const uint8_t id[20] = {1, 2, 3};
	struct image image;
	uint64_t size;
	size_t at;

	(void)state;
	assert_int_equal(plumb_recording_add_build_id(writer, -1, false, id, 21, "x"),
			 PLUMB_ERR_ARGUMENT);
	assert_int_equal(plumb_recording_add_build_id(writer, -1, true, id, 20, "[kernel]"), 0);
	assert_int_equal(plumb_recording_finish(writer, NULL), 0);
	image = read_image(path);
	at = feature(&image, PLUMB_FEATURE_BUILD_ID, &size);
	assert_int_equal(size, 64);
	assert_int_equal(u32(&image, at + 4), (1u | 1u << 15) | 64u << 16);
	assert_memory_equal(image.bytes + at + 12, id, 20);
	assert_int_equal(image.bytes[at + 12 + 20], 20);
	assert_string_equal((const char *)image.bytes + at + 36, "[kernel]");
	free(image.bytes);
	unlink(path);
}

/* ---- what goes wrong ------------------------------------------------------------------------ */

/* Not where / is a chroot's folder. */
static bool root_is_mounted(void)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[8192], mount[4096];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= sscanf(line, "%*d %*d %*s %*s %4095s", mount) == 1 &&
			 strcmp(mount, "/") == 0;
	if (file)
		fclose(file);
	return found;
}

/* What is lost is one thing, whose message begins so. */
static void check_losses(const char *message)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording *recording;
	struct plumb_record record;

	assert_int_equal(plumb_recording_open(path, NULL, &recording, diagnostics), 0);
	while (recording_next(recording, &record) > 0)
		;
	plumb_losses_report(plumb_recording_losses(recording), path, diagnostics);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	assert_ptr_equal(strstr(plumb_diagnostics_get(diagnostics, 0)->message, message),
			 plumb_diagnostics_get(diagnostics, 0)->message);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
}

static void fill_the_disk(const struct plumb_recording_setup *setup, bool aux)
{
	const struct plumb_aux_chunk chunk = {.tid = -1, .cpu = 0};
	static uint8_t data[30000];
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct rlimit before, limit;
	struct plumb_recording_writer *writer;
	struct image image;
	int error = 0;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){1000001, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(plumb_recording_create(path, setup, &writer, diagnostics), 0);
	for (uint64_t i = 1; i < 1000000 && error == 0; i++) {
		struct sample s = sample(i);

		error = aux && i % 1000 == 0 ? plumb_recording_write_aux(writer, &chunk, data,
									 sizeof(data), NULL, 0)
					     : plumb_recording_write(writer, &s, sizeof(s));
	}
	assert_int_equal(error, PLUMB_ERR_IO);
	assert_int_equal(plumb_recording_write(writer, data, 0), PLUMB_ERR_IO);
	assert_int_equal(plumb_recording_finish(writer, NULL), PLUMB_ERR_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(plumb_diagnostics_errors(diagnostics), 1);
	assert_non_null(strstr(plumb_diagnostics_get(diagnostics, 0)->message, "may become"));
	if (root_is_mounted())
		assert_non_null(
			strstr(plumb_diagnostics_get(diagnostics, 0)->message, "mounted at /"));
	assert_non_null(plumb_diagnostics_get(diagnostics, 0)->hint);
	image = read_image(path);
	assert_true(image.size <= 1000001);
	assert_true(image.features >> PLUMB_FEATURE_EVENT_DESC & 1);
	check_losses("the recorder could not write the rest; ");
	if (!setup->compress_level && !aux)
		assert_true(count_records(&image, 9) > (1000000 - 10000) / sizeof(struct sample));
	assert_true(count_records(&image, setup->compress_level ? 81 : 9) > 0);
	free(image.bytes);
	plumb_diagnostics_free(diagnostics);
	unlink(path);
}

static void a_full_disk_leaves_whole_records(void **state)
{
	(void)state;
	fill_the_disk(&plain, false);
	fill_the_disk(&plain, true);
}

static void a_device_that_is_full_is_an_error(void **state)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_recording_writer *writer;

	(void)state;
	assert_int_equal(plumb_recording_create("/dev/full", &plain, &writer, diagnostics),
			 PLUMB_ERR_IO);
	assert_null(writer);
	assert_non_null(strstr(plumb_diagnostics_get(diagnostics, 0)->message, "No space"));
	assert_int_equal(plumb_recording_create("/nowhere/x", &plain, &writer, diagnostics),
			 PLUMB_ERR_IO);
	assert_non_null(strstr(plumb_diagnostics_get(diagnostics, 1)->message, "does not exist"));
	plumb_diagnostics_free(diagnostics);
}

/* Reads what a killed recorder left: it is recognised as such, and its event has a name. */
static void check_unfinished(uint64_t samples)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	const struct plumb_recorded_event *event = NULL;
	struct plumb_recording *recording;
	struct plumb_record record;
	char expected[64];

	assert_int_equal(plumb_recording_open(path, NULL, &recording, diagnostics), 0);
	while (recording_next(recording, &record) > 0)
		if (record.type == PLUMB_RECORD_SAMPLE)
			event = record.event;
	assert_true(plumb_recording_losses(recording)->unfinished);
	assert_int_equal(plumb_recording_losses(recording)->samples, samples);
	if (samples)
		assert_string_equal(event->name, "cpu-clock");
	plumb_losses_report(plumb_recording_losses(recording), path, diagnostics);
	assert_int_equal(plumb_diagnostics_count(diagnostics), 1);
	snprintf(expected, sizeof(expected), "the recorder was killed; %llu samples recovered",
		 (unsigned long long)samples);
	if (samples)
		assert_string_equal(plumb_diagnostics_get(diagnostics, 0)->message, expected);
	plumb_recording_close(recording);
	plumb_diagnostics_free(diagnostics);
}

/* Kills the writer at different moments: the file has whole records, and all of each round. */
static void a_killed_writer_leaves_a_readable_file(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		int told[2];
		uint64_t rounds = 0, round;
		struct image image;
		pid_t pid;

		assert_int_equal(pipe(told), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct plumb_recording_writer *writer = create(&plain);

			for (round = 1;; round++) {
				write_samples(writer, 100 * round, 100 * (round + 1));
				plumb_recording_finish_round(writer);
				if (write(told[1], &round, sizeof(round)) != sizeof(round))
					_exit(1);
			}
		}
		close(told[1]);
		while (rounds < 1 + 3 * i && read(told[0], &round, sizeof(round)) == sizeof(round))
			rounds = round;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		while (read(told[0], &round, sizeof(round)) == sizeof(round))
			rounds = round;
		close(told[0]);
		image = read_image(path);
		assert_true(count_records(&image, 9) >= 100 * rounds);
		check_unfinished(count_records(&image, 9));
		free(image.bytes);
		unlink(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_laid_out_as_perf_says),
		cmocka_unit_test(the_file_can_be_read_at_any_moment),
		cmocka_unit_test(aux_data_is_padded_and_indexed),
		cmocka_unit_test(later_words_make_attributes_longer),
		cmocka_unit_test(a_setup_has_a_size),
		cmocka_unit_test(records_can_be_changed),
		cmocka_unit_test(later_records_are_compressed),
		cmocka_unit_test(what_is_no_record_is_refused),
		cmocka_unit_test(a_limit_is_kept),
		cmocka_unit_test(an_older_file_is_moved),
		cmocka_unit_test(a_link_to_a_descriptor_stays),
		cmocka_unit_test(a_folder_in_the_older_files_place_is_named),
		cmocka_unit_test(the_next_file_has_the_same_setup),
		cmocka_unit_test(build_ids_are_a_feature),
		cmocka_unit_test(a_full_disk_leaves_whole_records),
		cmocka_unit_test(a_device_that_is_full_is_an_error),
		cmocka_unit_test(a_killed_writer_leaves_a_readable_file),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
