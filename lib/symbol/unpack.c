/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/unpack.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"

/*
 * The symbols of the largest programs take some 10 MiB; a gigabyte of zeros compresses to 150 KiB.
 */
#define MINI_MAX ((size_t)64 << 20)
/* The largest modules with debug information take some 100 MiB. */
#define MODULE_MAX ((size_t)512 << 20)
/* What else unpacking may need: `xz -9` needs 65 MiB. */
#define DICTIONARY_MAX ((uint64_t)80 << 20)

struct output {
	char *bytes;
	size_t size, room, limit;
};

/* Makes room for more. */
static int grow(struct output *output)
{
	size_t room = output->room ? 2 * output->room : 65536;
	char *grown;

	if (output->room == output->limit)
		return PLUMB_ERR_LIMIT;
	if (room > output->limit)
		room = output->limit;
	grown = realloc(output->bytes, room);
	if (!grown)
		return PLUMB_ERR_NO_MEMORY;
	output->bytes = grown;
	output->room = room;
	return 0;
}

static int status_of(lzma_ret result)
{
	switch (result) {
	case LZMA_OK:
	case LZMA_STREAM_END:
		return 0;
	case LZMA_MEM_ERROR:
		return PLUMB_ERR_NO_MEMORY;
	case LZMA_MEMLIMIT_ERROR:
		return PLUMB_ERR_LIMIT;
	default:
		return PLUMB_ERR_SYNTAX;
	}
}

static int unpack_xz(const void *bytes, size_t size, struct output *output)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret result = lzma_stream_decoder(&stream, DICTIONARY_MAX, 0);
	int status = status_of(result);

	stream.next_in = bytes;
	stream.avail_in = size;
	while (status == 0 && result != LZMA_STREAM_END) {
		if (output->size == output->room && (status = grow(output)) < 0)
			break;
		stream.next_out = (uint8_t *)output->bytes + output->size;
		stream.avail_out = output->room - output->size;
		result = lzma_code(&stream, LZMA_FINISH);
		output->size = output->room - stream.avail_out;
		status = status_of(result);
	}
	lzma_end(&stream);
	return status;
}

static int unpack_zstd(const void *bytes, size_t size, struct output *output)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {bytes, size, 0};
	size_t left = 1;
	int status = stream ? 0 : PLUMB_ERR_NO_MEMORY;

	while (status == 0 && left != 0) {
		ZSTD_outBuffer out;

		if (output->size == output->room && (status = grow(output)) < 0)
			break;
		out = (ZSTD_outBuffer){output->bytes, output->room, output->size};
		left = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(left) || (left && in.pos == in.size && out.pos < out.size))
			status = PLUMB_ERR_SYNTAX;
		output->size = out.pos;
	}
	ZSTD_freeDStream(stream);
	return status;
}

/* Opens the unpacked bytes, which then belong to the file; otherwise frees them. */
static int open_output(struct elf_file *file, struct output *output, int status)
{
	if (status == 0)
		status = elf_file_open_memory(file, output->bytes, output->size);
	if (status == 0)
		file->bytes = output->bytes;
	else
		free(output->bytes);
	return status;
}

int elf_file_open_mini(struct elf_file *mini, const struct elf_file *file)
{
	struct output output = {.limit = MINI_MAX};
	const void *bytes;
	size_t size;

	*mini = (struct elf_file){.descriptor = -1};
	if (!elf_file_section(file, ".gnu_debugdata", &bytes, &size))
		return PLUMB_ERR_NOT_FOUND;
	return open_output(mini, &output, unpack_xz(bytes, size, &output));
}

static bool begins(const char *bytes, size_t size, const char *magic, size_t length)
{
	return size >= length && memcmp(bytes, magic, length) == 0;
}

int elf_file_open_packed(struct elf_file *file, const char *path)
{
	struct output output = {.limit = MODULE_MAX};
	char *bytes;
	size_t size;
	int status = elf_file_open(file, path);

	if (status != PLUMB_ERR_SYNTAX)
		return status;
	/* It is known to be a regular file. */
	status = file_read(path, MODULE_MAX, &bytes, &size);
	if (status < 0)
		return status;
	if (begins(bytes, size,
		   "\xfd"
		   "7zXZ",
		   6))
		status = unpack_xz(bytes, size, &output);
	else if (begins(bytes, size, "\x28\xb5\x2f\xfd", 4))
		status = unpack_zstd(bytes, size, &output);
	else
		status = PLUMB_ERR_SYNTAX;
	free(bytes);
	return open_output(file, &output, status);
}
