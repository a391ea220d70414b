/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS_LIMIT 65536u /* more than there are CPUs */
#define PREFIX      "data."

/* ---- Which files there are ------------------------------------------------------------------- */

struct numbers {
	unsigned *at;
	size_t count, room;
};

static int compare_numbers(const void *a, const void *b)
{
	const unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;

	return (first > second) - (first < second);
}

/* Returns N of a name "data.N" as perf writes it, or -1. */
static long number_of(const char *name)
{
	char text[32];
	unsigned long number;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return -1;
	name += strlen(PREFIX);
	number = strtoul(name, NULL, 10);
	snprintf(text, sizeof(text), "%lu", number);
	return number < PARTS_LIMIT && strcmp(text, name) == 0 ? (long)number : -1;
}

static int add_number(struct numbers *numbers, unsigned number)
{
	if (numbers->count == numbers->room) {
		const size_t room = numbers->room ? 2 * numbers->room : 64;
		unsigned *grown = reallocarray(numbers->at, room, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		numbers->at = grown;
		numbers->room = room;
	}
	numbers->at[numbers->count++] = number;
	return 0;
}

static int list_numbers(const struct plumb_recording *r, int fd, struct numbers *numbers)
{
	const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	int err = 0;

	if (!listing) {
		err = refuse(r, PLUMB_ERR_IO, "read", "cannot read: %s", strerrordesc_np(errno));
		if (again >= 0)
			(void)close(again);
		return err;
	}
	while (!err && (entry = readdir(listing))) {
		const long number = number_of(entry->d_name);

		if (number >= 0)
			err = add_number(numbers, (unsigned)number);
	}
	(void)closedir(listing);
	if (numbers->count)
		qsort(numbers->at, numbers->count, sizeof(*numbers->at), compare_numbers);
	return err ? out_of_memory(r) : 0;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens a regular file of the folder; nothing else can be there, or would be waited for. */
static int open_part(struct plumb_recording *r, int folder, const char *name)
{
	struct folder_part *part = &r->folder->parts[r->folder->count];
	const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	int err;

	if (fd < 0 && errno == ENOENT && r->folder->count == 0)
		return refuse(r, PLUMB_ERR_SYNTAX, "directory",
			      "not a recording: the folder has no file %s", name);
	if (fd < 0)
		return refuse(r, errno == ENOENT ? PLUMB_ERR_SYNTAX : PLUMB_ERR_IO, "directory",
			      "a folder whose file %s cannot be opened: %s", name,
			      strerrordesc_np(errno));
	*part = (struct folder_part){.fd = fd, .base = r->folder->size};
	r->folder->count++;
	if (asprintf(&part->name, "%s/%s", r->name, name) < 0) {
		part->name = NULL;
		return out_of_memory(r);
	}
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return refuse(r, PLUMB_ERR_SYNTAX, "directory",
			      "a folder whose file %s is not a regular file", name);
	part->size = (uint64_t)status.st_size;
	r->folder->size += part->size;
	/* "data" is read by the recording's own source, to begin with. */
	if (r->folder->count == 1)
		return 0;
	err = source_open(&part->source, fd);
	if (err)
		return out_of_memory(r);
	source_seek(&part->source, 0, part->size);
	return 0;
}

static int make_folder(struct plumb_recording *r, size_t part_count)
{
	r->folder = calloc(1, sizeof(*r->folder));
	if (!r->folder)
		return out_of_memory(r);
	r->folder->parts = calloc(part_count, sizeof(*r->folder->parts));
	return r->folder->parts ? 0 : out_of_memory(r);
}

static int open_parts(struct plumb_recording *r, int fd)
{
	struct numbers numbers = {0};
	int err = list_numbers(r, fd, &numbers);

	if (err == 0)
		err = make_folder(r, numbers.count + 1);
	if (err == 0)
		err = open_part(r, fd, "data");
	for (size_t i = 0; !err && i < numbers.count; i++) {
		char name[32];

		snprintf(name, sizeof(name), PREFIX "%u", numbers.at[i]);
		err = open_part(r, fd, name);
	}
	free(numbers.at);
	return err;
}

int folder_open(struct plumb_recording *r)
{
	const int fd = r->fd;
	const int err = open_parts(r, fd);

	if (err)
		return err;
	(void)close(fd);
	r->fd = r->source.fd = r->folder->parts[0].fd;
	r->source.seekable = true;
	return 0;
}

void folder_close(struct plumb_recording *r)
{
	struct folder *folder = r->folder;

	if (!folder)
		return;
	for (size_t i = 0; i < folder->count; i++) {
		struct folder_part *part = &folder->parts[i];

		if (i != folder->current) {
			r->decompressor = part->decompressor;
			decompressor_free(r);
			source_close(&part->source);
		}
		/* The recording closes its own. */
		if (part->fd != r->fd)
			(void)close(part->fd);
		free(part->name);
	}
	free(folder->parts);
	free(folder);
	r->folder = NULL;
}

/* ---- Which is next --------------------------------------------------------------------------- */

/* Turns to the file with the oldest last record, the first of several. Returns false if all have
 * ended. */
static bool turn_to_oldest(struct plumb_recording *r)
{
	struct folder *folder = r->folder;
	struct folder_part *parts = folder->parts, *current = &parts[folder->current];
	size_t oldest = folder->count;

	folder->until = UINT64_MAX;
	for (size_t i = 0; i < folder->count; i++) {
		if (parts[i].ended)
			continue;
		if (oldest == folder->count || parts[i].time < parts[oldest].time) {
			if (oldest < folder->count)
				folder->until = parts[oldest].time;
			oldest = i;
		} else if (parts[i].time < folder->until) {
			folder->until = parts[i].time;
		}
	}
	if (oldest == folder->count)
		return false;
	if (oldest != folder->current) {
		current->source = r->source;
		current->decompressor = r->decompressor;
		folder->current = oldest;
		r->source = parts[oldest].source;
		r->decompressor = parts[oldest].decompressor;
	}
	return true;
}

void folder_note(struct plumb_recording *r, const struct raw_record *raw)
{
	struct folder *folder = r->folder;
	struct folder_part *part = &folder->parts[folder->current];

	folder->read += raw->size + raw->aux_size;
	if (raw->time && raw->time != UINT64_MAX && raw->time > part->time)
		part->time = raw->time;
	if (part->time > folder->until)
		(void)turn_to_oldest(r);
}

bool folder_turn(struct plumb_recording *r)
{
	r->folder->parts[r->folder->current].ended = true;
	return turn_to_oldest(r);
}

/* ---- AUX data -------------------------------------------------------------------------------- */

int folder_fd(const struct folder *folder, uint64_t *place)
{
	size_t i = folder->count - 1;

	while (i > 0 && folder->parts[i].base > *place)
		i--;
	*place -= folder->parts[i].base;
	return folder->parts[i].fd;
}
