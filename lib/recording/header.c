/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header of a recording: of a file with its sections, or of a pipe, where all else comes as
 * records. See tools/perf/Documentation/perf.data-file-format.txt.
 */
#include "recording/reader.h"

#include <errno.h>
#include <stdlib.h>

#include "recording/unfinished.h"

#define MAGIC            "PERFILE2"
#define FILE_HEADER_SIZE 104u
#define PIPE_HEADER_SIZE 16u
#define SECTION_SIZE     16u
#define OLD_HEADER_SIZE  72u /* without features */

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t features[4];
};

static struct section take_section(struct cursor *in)
{
	struct section section;

	section.offset = take64(in);
	section.size = take64(in);
	return section;
}

static int cannot_read(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_IO, "read", "cannot read: %s", strerrordesc_np(errno));
}

static bool in_file(const struct plumb_recording *r, struct section section)
{
	return section.offset <= r->file_size && section.size <= r->file_size - section.offset;
}

/* Allocates and reads a section. NULL with `*err` set, or 0 if the file has not got it whole. */
static uint8_t *load(struct plumb_recording *r, struct section section, int *err)
{
	uint8_t *bytes = NULL;
	size_t got;

	*err = 0;
	if (!in_file(r, section))
		return NULL;
	bytes = malloc(section.size + 1);
	if (!bytes) {
		*err = out_of_memory(r);
		return NULL;
	}
	if (source_read_at(r->fd, section.offset, bytes, section.size, &got) < 0)
		*err = cannot_read(r);
	if (*err || got < section.size) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static int read_attribute(struct plumb_recording *r, const uint8_t *bytes, size_t size,
			  uint64_t offset)
{
	struct cursor in = cursor_over(r, bytes + size - SECTION_SIZE, SECTION_SIZE);
	struct section where = take_section(&in);
	struct plumb_event_attr attr;
	uint8_t *ids = NULL;
	int err = attr_parse(r, bytes, size - SECTION_SIZE, offset, &attr);

	if (err)
		return err;
	where.size -= where.size % 8;
	if (where.size / 8 > IDS_LIMIT)
		return refuse(r, PLUMB_ERR_LIMIT, "too-many-ids",
			      "the event at %#llx has %llu ids, more than %u",
			      (unsigned long long)offset, (unsigned long long)where.size / 8,
			      IDS_LIMIT);
	if (where.size > 0) {
		ids = load(r, where, &err);
		if (err)
			return err;
		if (!ids)
			reader_complain(r, COMPLAINT_ATTRIBUTE, offset,
					"an event's ids, at %#llx, are not in the file",
					(unsigned long long)where.offset);
	}
	err = events_add(r, &attr, ids, ids ? where.size / 8 : 0);
	free(ids);
	return err;
}

static int read_attributes(struct plumb_recording *r, const struct file_header *header)
{
	size_t size = header->attr_size, count;
	uint8_t *bytes;
	int err = 0;

	if (header->attr_size < 64 + SECTION_SIZE || header->attr_size > RECORD_SIZE_MAX)
		return refuse(r, PLUMB_ERR_INVALID, "bad-header",
			      "its header says that an attribute has %llu bytes",
			      (unsigned long long)header->attr_size);
	count = header->attrs.size / size;
	if (count > EVENTS_LIMIT)
		return refuse(r, PLUMB_ERR_LIMIT, "too-many-events",
			      "it has %zu events, more than %u", count, EVENTS_LIMIT);
	bytes = load(r, (struct section){header->attrs.offset, count * size}, &err);
	if (err)
		return err;
	if (!bytes)
		return refuse(r, PLUMB_ERR_INVALID, "bad-header",
			      "its attributes, at %#llx, are not in the file",
			      (unsigned long long)header->attrs.offset);
	for (size_t i = 0; i < count && !err; i++)
		err = read_attribute(r, bytes + i * size, size, header->attrs.offset + i * size);
	free(bytes);
	return err;
}

/* ---- Features -------------------------------------------------------------------------------- */

static int read_feature(struct plumb_recording *r, unsigned number, struct section where)
{
	uint8_t *bytes;
	int err;

	if (where.size > FEATURE_LIMIT || where.size > FEATURES_LIMIT - r->features_size) {
		reader_complain(r, COMPLAINT_FEATURE, where.offset,
				"feature %u is too large to be kept: %llu bytes", number,
				(unsigned long long)where.size);
		return 0;
	}
	bytes = load(r, where, &err);
	if (err)
		return err;
	if (!bytes) {
		reader_complain(r, COMPLAINT_FEATURE, where.offset, "feature %u is not in the file",
				number);
		return 0;
	}
	err = feature_keep(r, number, bytes, where.size);
	free(bytes);
	return err;
}

/* One section for each feature, after the data. */
static int read_features(struct plumb_recording *r, const struct file_header *header)
{
	uint64_t place = header->data.offset + header->data.size;

	for (unsigned number = 0; number < FEATURE_COUNT; number++) {
		struct cursor in;
		uint8_t bytes[SECTION_SIZE];
		size_t got;
		int err;

		if (!(header->features[number / 64] >> number % 64 & 1))
			continue;
		if (source_read_at(r->fd, place, bytes, sizeof(bytes), &got) < 0)
			return cannot_read(r);
		if (got < sizeof(bytes)) {
			reader_complain(r, COMPLAINT_FEATURE, place,
					"the file ends within the list of its features");
			return 0;
		}
		in = cursor_over(r, bytes, sizeof(bytes));
		err = read_feature(r, number, take_section(&in));
		if (err)
			return err;
		place += SECTION_SIZE;
	}
	return 0;
}

/* ---- Headers --------------------------------------------------------------------------------- */

/*
 * The features are a bitmap of the recording machine's longs. Where those had 32 bits, the halves
 * of each 64 are the other way round in a big-endian file. HOSTNAME, which perf never leaves out,
 * tells which.
 */
static void swap_feature_bits(struct plumb_recording *r, struct file_header *header)
{
	const uint64_t hostname = UINT64_C(1) << PLUMB_FEATURE_HOSTNAME;

	if (!r->big_endian || header->features[0] & hostname)
		return;
	if (!(header->features[0] & hostname << 32))
		return;
	for (unsigned i = 0; i < 4; i++)
		header->features[i] = header->features[i] << 32 | header->features[i] >> 32;
}

static int read_file_header(struct plumb_recording *r, struct file_header *header)
{
	uint8_t bytes[FILE_HEADER_SIZE] = {0};
	struct cursor in = cursor_over(r, bytes + 8, sizeof(bytes) - 8);
	uint64_t mark;
	size_t got;

	if (source_read_at(r->fd, 0, bytes, sizeof(bytes), &got) < 0)
		return cannot_read(r);
	header->size = take64(&in);
	header->attr_size = take64(&in);
	header->attrs = take_section(&in);
	header->data = take_section(&in);
	mark = take_section(&in).offset;
	r->losses.unfinished = mark == RECORDING_UNFINISHED;
	r->losses.incomplete = mark == RECORDING_INCOMPLETE;
	for (unsigned i = 0; i < 4; i++)
		header->features[i] = header->size == FILE_HEADER_SIZE ? take64(&in) : 0;
	swap_feature_bits(r, header);
	if (got < header->size && header->size <= FILE_HEADER_SIZE)
		return refuse(r, PLUMB_ERR_INVALID, "bad-header",
			      "it ends after %zu of its header's %llu bytes", got,
			      (unsigned long long)header->size);
	if (header->size != FILE_HEADER_SIZE && header->size != OLD_HEADER_SIZE)
		return refuse(r, PLUMB_ERR_INVALID, "bad-header",
			      "its header has %llu bytes instead of %u",
			      (unsigned long long)header->size, FILE_HEADER_SIZE);
	return 0;
}

/* Where the data ends; a recorder that was killed has not written it down. */
static int find_data(struct plumb_recording *r, const struct file_header *header)
{
	struct section data = header->data;

	if (data.offset < header->size || data.offset > r->file_size ||
	    data.size > UINT64_MAX - data.offset)
		return refuse(r, PLUMB_ERR_INVALID, "bad-header",
			      "its data, %llu bytes at %#llx, is not in the file",
			      (unsigned long long)data.size, (unsigned long long)data.offset);
	if (data.size == 0 && r->file_size > data.offset) {
		r->losses.cut_off = true;
		reader_complain(
			r, COMPLAINT_CUT_OFF, data.offset,
			"its header lacks the size of the data, because the recorder was killed; "
			"the file is read up to its end");
		data.size = r->file_size - data.offset;
	}
	r->info.data_offset = data.offset;
	r->info.data_size = data.size;
	r->info.features_offset = data.offset + data.size;
	source_seek(&r->source, data.offset, data.offset + data.size);
	return 0;
}

static int read_file(struct plumb_recording *r)
{
	struct file_header header = {0};
	int err = read_file_header(r, &header);

	if (!err)
		err = find_data(r, &header);
	if (!err)
		err = read_attributes(r, &header);
	if (!err && header.data.size > 0)
		err = read_features(r, &header);
	if (!err && r->features[PLUMB_FEATURE_AUXTRACE].bytes)
		err = chunks_read_index(r);
	return err;
}

static bool is_magic(const uint8_t *bytes, bool swapped)
{
	for (unsigned i = 0; i < 8; i++) {
		if (bytes[i] != (uint8_t)MAGIC[swapped ? 7 - i : i])
			return false;
	}
	return true;
}

bool header_has_magic(const uint8_t *bytes)
{
	return is_magic(bytes, false) || is_magic(bytes, true);
}

static int no_recording(const struct plumb_recording *r, const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return refuse(r, PLUMB_ERR_SYNTAX, "empty", "the file is empty");
	if (size >= 8 && (memcmp(bytes, "PERFFILE", 8) == 0 || memcmp(bytes, "ELIFFREP", 8) == 0))
		return refuse(r, PLUMB_ERR_UNSUPPORTED, "old-recording",
			      "perf's format before Linux 2.6.35 is not supported");
	return refuse(r, PLUMB_ERR_SYNTAX, "not-a-recording",
		      "not a recording: it does not begin with " MAGIC);
}

int header_read(struct plumb_recording *r)
{
	const bool little_host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	const uint8_t *bytes;
	uint64_t header_size;
	size_t have;

	if (source_reach(&r->source, PIPE_HEADER_SIZE, &bytes, &have) < 0)
		return cannot_read(r);
	if (have < PIPE_HEADER_SIZE || !(is_magic(bytes, false) || is_magic(bytes, true)))
		return no_recording(r, bytes, have);
	/* The magic is a number of the machine that wrote it, which reads as text on little ones.
	 */
	r->big_endian = !is_magic(bytes, false);
	r->swap = r->big_endian == little_host;
	header_size = read64(r, bytes + 8);
	if (header_size == PIPE_HEADER_SIZE) {
		r->pipe_format = true;
		source_pass(&r->source, PIPE_HEADER_SIZE);
		return 0;
	}
	if (!r->source.seekable) {
		int error = refuse(r, PLUMB_ERR_UNSUPPORTED, "file-in-pipe",
				   "this recording has the format of files, which cannot be read "
				   "from a pipe");

		plumb_diagnostics_hint(r->diagnostics, "open the file itself");
		return error;
	}
	return read_file(r);
}
