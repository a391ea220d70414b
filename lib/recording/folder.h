/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that are folders, as `perf record --threads` makes them: the file "data" has the
 * header and what perf itself wrote, "data.0", "data.1" and so on have the records of one recording
 * thread each. There are no rounds: each file is almost in order, and the oldest is read next.
 */
#ifndef RECORDING_FOLDER_H
#define RECORDING_FOLDER_H

#include "recording/reader.h"

/* One file of a folder. */
struct folder_part {
	char *name; /* for findings */
	int fd;
	uint64_t size;
	uint64_t base; /* places of AUX data begin here: no other file has the same */
	/* While another file is read; of the one that is, plumb_recording has them. */
	struct source source;
	struct decompressor *decompressor;
	uint64_t time; /* of its last record that had one */
	bool ended;
};

struct folder {
	struct folder_part *parts;
	size_t count, current;
	uint64_t until; /* the current one is read up to this time */
	uint64_t read;  /* bytes of records so far */
	uint64_t size;  /* of all files */
};

/* Opens the files of the folder r->fd, which becomes that of "data". Returns 0, or an error with a
 * finding. */
int folder_open(struct plumb_recording *r);
void folder_close(struct plumb_recording *r);

/* Notes a record, and turns to the file to read next. */
void folder_note(struct plumb_recording *r, const struct raw_record *raw);
/* Turns to another file, as this one has ended. Returns false if it was the last. */
bool folder_turn(struct plumb_recording *r);

/* Returns the file that has a place of AUX data, and sets where it is in there. */
int folder_fd(const struct folder *folder, uint64_t *place);

#endif
