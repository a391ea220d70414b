/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_lines FILE < PLACES: the source of places in FILE, offsets in hexadecimal, a line each:
 * "FUNCTION FILE:LINE" of each frame, innermost first, parted by tabs; "-" for what is not known.
 * Warnings go to the standard error.
 */
#include <elf.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include <plumb/symbol.h>

int main(int count, char **arguments)
{
	const struct plumb_symbol_paths paths = {.size = sizeof(paths),
						 .debug_dir = "/usr/lib/debug",
						 .raw_names = true,
						 .debuginfod = getenv("DEBUGINFOD_URLS")};
	struct plumb_symbolizer *symbolizer;
	struct plumb_record map = {
		.type = PLUMB_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
		.mmap = {.pid = 1, .tid = 1, .length = UINT64_MAX, .protection = 4}};
	const char *warning;
	uint64_t place;

	if (count != 2)
		return 2;
	if (plumb_symbolizer_new(&paths, &symbolizer) < 0)
		return 1;
	map.mmap.path = arguments[1];
	if (plumb_symbolizer_add(symbolizer, &map) < 0)
		return 1;
	/* NOLINTNEXTLINE(cert-err34-c): the test writes them */
	while (scanf("%" SCNx64, &place) == 1) {
		struct plumb_source_frame frames[PLUMB_SOURCE_FRAMES_MAX];
		struct plumb_location location;
		size_t found;

		plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, 1, 1),
					PLUMB_MODE_USER, place, &location);
		found = plumb_symbolizer_source(symbolizer, &location, frames,
						PLUMB_SOURCE_FRAMES_MAX);
		for (size_t i = 0; i < found; i++)
			printf("%s%s %s:%u", i ? "\t" : "",
			       frames[i].function ? frames[i].function : "-",
			       frames[i].file ? frames[i].file : "-", frames[i].line);
		puts(found ? "" : "-");
	}
	for (size_t i = 0; (warning = plumb_symbolizer_warning(symbolizer, i)); i++)
		fprintf(stderr, "%s\n", warning);
	plumb_symbolizer_free(symbolizer);
	return 0;
}
