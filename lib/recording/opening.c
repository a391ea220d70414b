/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a recording, up to its first record, and closes it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "recording/access.h"
#include "recording/folder.h"
#include "recording/reader.h"

#define SCRATCH_ROOM ((size_t)256 << 10)
/* The most bytes of records that opening a pipe passes; they are given later. */
#define EARLY_LIMIT ((size_t)4 << 20)

static bool is_preface(uint32_t type)
{
	switch (type) {
	case PLUMB_RECORD_HEADER_ATTR:
	case PLUMB_RECORD_HEADER_EVENT_TYPE:
	case PLUMB_RECORD_HEADER_TRACING_DATA:
	case PLUMB_RECORD_HEADER_BUILD_ID:
	case PLUMB_RECORD_HEADER_FEATURE:
	case PLUMB_RECORD_EVENT_UPDATE:
		return true;
	default:
		return false;
	}
}

static int keep_early(struct plumb_recording *r, const struct raw_record *raw)
{
	struct raw_record *kept;
	uint8_t *bytes;

	if (r->early_count == r->early_room) {
		size_t room = r->early_room ? 2 * r->early_room : 64;

		kept = reallocarray(r->early, room, sizeof(*kept));
		if (!kept)
			return out_of_memory(r);
		r->early = kept;
		r->early_room = room;
	}
	bytes = arena_alloc(&r->arena, raw->size);
	if (!bytes)
		return out_of_memory(r);
	kept = &r->early[r->early_count++];
	*kept = *raw;
	kept->bytes = memcpy(bytes, raw->bytes, raw->size);
	r->early_bytes += sizeof(*kept) + raw->size;
	return 0;
}

/*
 * Reads the records up to the first that does not tell of the recording as a whole: those of a
 * pipe, and of a file that has lost the end, where its features are.
 */
static int read_preface(struct plumb_recording *r)
{
	while (r->early_bytes < EARLY_LIMIT) {
		struct raw_record raw;
		const uint8_t *bytes;
		size_t have;
		int got;

		if (source_reach(&r->source, RECORD_HEADER, &bytes, &have) < 0)
			return reader_failed(r);
		if (have < RECORD_HEADER || !is_preface(read32(r, bytes)))
			return 0;
		got = read_record(r, &raw);
		if (got > 0)
			got = keep_early(r, &raw);
		else
			r->ended = true;
		if (got < 0 || r->ended)
			return got;
	}
	return 0;
}

static int read_bare(struct plumb_recording *r)
{
	uint8_t bytes[AUXTRACE_SIZE];
	struct raw_record raw;
	int err = bare_read(r);

	if (err)
		return err;
	r->ended = true;
	bare_record(r, bytes, &raw);
	return keep_early(r, &raw);
}

/* The first version of folders is the only one so far. */
static int check_folder(const struct plumb_recording *r)
{
	if (r->pipe_format || r->info.folder_version > 1)
		return refuse(r, PLUMB_ERR_UNSUPPORTED, "directory",
			      "a folder of an unknown version");
	return 0;
}

static int prepare(struct plumb_recording *r)
{
	struct stat status;
	int err = source_open(&r->source, r->fd);

	r->scratch = malloc(SCRATCH_ROOM);
	r->carried = malloc(RECORD_SIZE_MAX);
	if (err || !r->scratch || !r->carried || !r->name || !r->tasks)
		return out_of_memory(r);
	if (fstat(r->fd, &status) < 0)
		return refuse(r, PLUMB_ERR_IO, "stat", "cannot read: %s", strerrordesc_np(errno));
	if (S_ISDIR(status.st_mode)) {
		err = folder_open(r);
		if (err)
			return err;
		if (fstat(r->fd, &status) < 0)
			return reader_failed(r);
	}
	r->file_size = S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
	r->source.seekable = S_ISREG(status.st_mode);
	if (r->options.bare_spe)
		return read_bare(r);
	err = header_read(r);
	if (!err && r->folder)
		err = check_folder(r);
	if (!err && (r->pipe_format || !r->features[PLUMB_FEATURE_EVENT_DESC].bytes))
		err = read_preface(r);
	return err;
}

int recording_open_fd(int fd, const char *name, const struct plumb_recording_options *options,
		      struct plumb_recording **recording, struct plumb_diagnostics *diagnostics)
{
	struct plumb_recording *r = calloc(1, sizeof(*r));
	int err;

	*recording = NULL;
	if (!r) {
		(void)close(fd);
		return PLUMB_ERR_NO_MEMORY;
	}
	pthread_mutex_init(&r->found_lock, NULL);
	r->fd = fd;
	r->spool = -1;
	r->diagnostics = diagnostics;
	r->name = strdup(name);
	r->tasks = tasks_new();
	if (options && !sized_read(&r->options, sizeof(r->options), options)) {
		plumb_recording_close(r);
		return PLUMB_ERR_ARGUMENT;
	}
	r->in_file_order = r->options.in_file_order;
	err = prepare(r);
	if (err) {
		plumb_recording_close(r);
		return err;
	}
	*recording = r;
	return 0;
}

int plumb_recording_open(const char *path, const struct plumb_recording_options *options,
			 struct plumb_recording **recording, struct plumb_diagnostics *diagnostics)
{
	const bool standard = strcmp(path, "-") == 0;
	int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC);

	*recording = NULL;
	if (fd < 0) {
		const struct place where = {.file = path};

		diagnostics_add(diagnostics, PLUMB_ERROR, "open", &where, "cannot be opened: %s",
				strerrordesc_np(errno));
		return PLUMB_ERR_IO;
	}
	return recording_open_fd(fd, standard ? "standard input" : path, options, recording,
				 diagnostics);
}

void plumb_recording_close(struct plumb_recording *r)
{
	if (!r)
		return;
	tasks_release(r->tasks);
	order_free(&r->order);
	decompressor_free(r);
	source_close(&r->source);
	folder_close(r);
	chunks_free(r);
	features_free(r);
	events_free(r);
	arena_free(&r->arena);
	free(r->early);
	free(r->scratch);
	free(r->carried);
	free(r->cpus);
	free(r->name);
	(void)close(r->fd);
	pthread_mutex_destroy(&r->found_lock);
	free(r);
}
