/* SPDX-License-Identifier: Apache-2.0 */
#include "diff/page.h"

#include <stdlib.h>
#include <string.h>

#include "render/html.h"
#include "report/report.h"
#include "tool/complain.h"
#include "tool/memory.h"

/* The code of more sides would make the page too large to send. */
#define SIDES_MOST 6

static int add_changes(const struct diff_page *page, struct html_page *html)
{
	struct output out;
	char *text;
	size_t length;
	FILE *stream = memory_stream(&text, &length);
	int status;

	output_collect(stream);
	status = output_open(&out, page->common);
	if (status == EXIT_FINE) {
		diff_json(&out, page->report);
		status = output_close(&out, EXIT_FINE);
	}
	output_collect(NULL);
	memory_stream_close(stream, &text);
	html_add(html, "diff", text, length);
	return status;
}

/* Writes a side's documents as an object; an empty one if it has no recording. */
static void write_side(FILE *stream, const struct diff_page *page, size_t side)
{
	struct report_options options = {.from = *page->from, .only_code = true};
	struct html_page code = {0};

	options.from.input =
		page->inputs[side].recording_count ? page->inputs[side].recordings[0].path : NULL;
	/* What is wrong with a recording has been said when it was compared. */
	if (options.from.input)
		report_collect(&options, report_run, &code);
	fputc('{', stream);
	for (size_t i = 0; i < code.count; i++) {
		fprintf(stream, "%s\"%s\":", i ? "," : "", code.documents[i].name);
		fwrite(code.documents[i].text, 1, code.documents[i].length, stream);
	}
	fputc('}', stream);
	html_free(&code);
}

static void add_sides(const struct diff_page *page, struct html_page *html)
{
	const size_t count = page->side_count < SIDES_MOST ? page->side_count : SIDES_MOST;
	char *text;
	size_t length;
	FILE *stream = memory_stream(&text, &length);

	fputc('[', stream);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "," : "", stream);
		write_side(stream, page, i);
	}
	fputc(']', stream);
	memory_stream_close(stream, &text);
	html_add(html, "sides", text, length);
}

int diff_page_write(const struct diff_page *page, const char *path)
{
	struct html_page html = {0};
	int status = add_changes(page, &html);

	if (status == EXIT_FINE)
		add_sides(page, &html);
	if (status == EXIT_FINE)
		status = html_write(&html, path);
	html_free(&html);
	return status;
}
