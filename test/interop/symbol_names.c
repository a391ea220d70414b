/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_names FILE < PLACES: the symbol of places in FILE, offsets in hexadecimal, a line each:
 * "NAME LINK-ADDRESS", "-" for what is not known. Warnings go to the standard error. With a root
 * before FILE, FILE is looked for below it.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include <plumb/symbol.h>

static void print(struct plumb_symbolizer *symbolizer, uint64_t place)
{
	struct plumb_location location;
	uint64_t address;

	plumb_symbolizer_locate(symbolizer, plumb_symbolizer_task(symbolizer, 1, 1),
				PLUMB_MODE_USER, place, &location);
	printf("%s ", location.symbol ? plumb_symbol_name(location.symbol) : "-");
	if (plumb_symbolizer_link_address(symbolizer, &location, &address))
		printf("%" PRIx64 "\n", address);
	else
		puts("-");
}

int main(int count, char **arguments)
{
	struct plumb_symbol_paths paths = {
		.size = sizeof(paths), .debug_dir = "/usr/lib/debug", .raw_names = true};
	struct plumb_symbolizer *symbolizer;
	struct plumb_record map = {
		.type = PLUMB_RECORD_MMAP2,
		.misc = PERF_RECORD_MISC_USER,
		.mmap = {.pid = 1, .tid = 1, .length = UINT64_MAX, .protection = 4}};
	const char *warning;
	uint64_t place;

	if (count != 2 && count != 3)
		return 2;
	if (count == 3)
		paths.root = arguments[1];
	if (plumb_symbolizer_new(&paths, &symbolizer) < 0)
		return 1;
	map.mmap.path = arguments[count - 1];
	if (plumb_symbolizer_add(symbolizer, &map) < 0)
		return 1;
	/* NOLINTNEXTLINE(cert-err34-c): the test writes them */
	while (scanf("%" SCNx64, &place) == 1)
		print(symbolizer, place);
	for (size_t i = 0; (warning = plumb_symbolizer_warning(symbolizer, i)); i++)
		fprintf(stderr, "%s\n", warning);
	plumb_symbolizer_free(symbolizer);
	return 0;
}
