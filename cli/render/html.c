/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/gzip.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* Made by the build from web/: what stands before the data, and behind it. */
extern const char html_head[], html_tail[];
extern const size_t html_head_size, html_tail_size;

bool html_is_possible(void)
{
	if (html_head_size)
		return true;
	complain("this plumb was built without its page");
	advise("install esbuild and node-typescript, and build it again");
	return false;
}

/* Leaves out the spaces that JSON has for people, which take a sixth of it compressed. Returns the
 * length. */
static size_t leave_out_spaces(char *text, size_t length)
{
	size_t kept = 0;
	bool in_string = false;

	for (size_t i = 0; i < length; i++) {
		const char c = text[i];

		if (!in_string && (c == ' ' || c == '\n' || c == '\r' || c == '\t'))
			continue;
		text[kept++] = c;
		if (in_string && c == '\\' && i + 1 < length)
			text[kept++] = text[++i];
		else if (c == '"')
			in_string = !in_string;
	}
	return kept;
}

void html_add(struct html_page *page, const char *name, char *text, size_t length)
{
	if (page->count == HTML_DOCUMENTS_MAX) {
		free(text);
		return;
	}
	page->documents[page->count++] =
		(struct html_document){name, text, leave_out_spaces(text, length)};
}

const struct html_document *html_find(const struct html_page *page, const char *name)
{
	for (size_t i = 0; i < page->count; i++)
		if (strcmp(page->documents[i].name, name) == 0)
			return &page->documents[i];
	return NULL;
}

void html_free(struct html_page *page)
{
	for (size_t i = 0; i < page->count; i++)
		free(page->documents[i].text);
	page->count = 0;
}

/* Writes bytes in base64 (RFC 4648). */
static void write_base64(FILE *stream, const uint8_t *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		const size_t left = size - i;
		const uint32_t group = (uint32_t)bytes[i] << 16 |
				       (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				       (left > 2 ? bytes[i + 2] : 0);
		const char four[4] = {digits[group >> 18], digits[group >> 12 & 63],
				      left > 1 ? digits[group >> 6 & 63] : '=',
				      left > 2 ? digits[group & 63] : '='};

		fwrite(four, 1, sizeof(four), stream);
	}
}

static void compress_text(struct gzip *gzip, const char *text)
{
	gzip_write(gzip, text, strlen(text));
}

/* Compresses all documents as one object. */
static char *compress_page(const struct html_page *page, size_t *size)
{
	char *bytes;
	FILE *stream = memory_stream(&bytes, size);
	struct gzip *gzip = gzip_begin(stream);

	compress_text(gzip, "{");
	for (size_t i = 0; i < page->count; i++) {
		compress_text(gzip, i ? ",\"" : "\"");
		compress_text(gzip, page->documents[i].name);
		compress_text(gzip, "\":");
		gzip_write(gzip, page->documents[i].text, page->documents[i].length);
	}
	compress_text(gzip, "}");
	gzip_end(gzip);
	memory_stream_close(stream, &bytes);
	return bytes;
}

int html_write(const struct html_page *page, const char *path)
{
	struct common_options options = {.output = path, .no_pager = true};
	struct output out;
	size_t size;
	char *bytes;
	int status = output_open(&out, &options);

	if (status != EXIT_FINE)
		return status;
	bytes = compress_page(page, &size);
	fwrite(html_head, 1, html_head_size, out.stream);
	write_base64(out.stream, (const uint8_t *)bytes, size);
	fwrite(html_tail, 1, html_tail_size, out.stream);
	free(bytes);
	return output_close(&out, EXIT_FINE);
}
