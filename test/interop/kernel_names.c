/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_names VMLINUX ROOT BUILD-ID TEXT MODULE MODULE-BUILD-ID MODULE-BASE < ADDRESSES: the names
 * and lines of addresses in a recorded kernel whose _text was at TEXT, and in a module at
 * MODULE-BASE: "NAME LINE" each. VMLINUX may be "-": it is looked for below ROOT. Warnings go to
 * the standard error.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/symbol.h>

static size_t read_id(const char *text, uint8_t id[20])
{
	size_t size = strlen(text) / 2;

	for (size_t i = 0; i < size && i < 20; i++) {
		const char digits[] = {text[2 * i], text[2 * i + 1], '\0'};

		id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return size;
}

static int add(struct plumb_symbolizer *symbolizer, const char *path, const char *id,
	       uint64_t address, uint64_t reference)
{
	uint8_t bytes[20];
	struct plumb_record map = {.type = PLUMB_RECORD_MMAP2,
				   .misc = PERF_RECORD_MISC_KERNEL,
				   .mmap = {.pid = -1,
					    .address = address,
					    .length = 0x100000,
					    .page_offset = reference,
					    .protection = 4,
					    .path = path,
					    .build_id = bytes,
					    .build_id_size = read_id(id, bytes)}};

	return plumb_symbolizer_add(symbolizer, &map);
}

int main(int count, char **arguments)
{
	struct plumb_symbol_paths paths = {.size = sizeof(paths), .debug_dir = "/usr/lib/debug"};
	struct plumb_symbolizer *symbolizer;
	const char *warning;
	uint64_t address, text;

	if (count != 8)
		return 2;
	paths.vmlinux = strcmp(arguments[1], "-") == 0 ? NULL : arguments[1];
	paths.root = arguments[2];
	text = strtoull(arguments[4], NULL, 16);
	if (plumb_symbolizer_new(&paths, &symbolizer) < 0 ||
	    add(symbolizer, "[kernel.kallsyms]_text", arguments[3], text, text) < 0 ||
	    add(symbolizer, arguments[5], arguments[6], strtoull(arguments[7], NULL, 16), 0) < 0)
		return 1;
	/* NOLINTNEXTLINE(cert-err34-c): the test writes them */
	while (scanf("%" SCNx64, &address) == 1) {
		struct plumb_source_frame frame = {0};
		struct plumb_location location;

		plumb_symbolizer_locate(symbolizer, NULL, PLUMB_MODE_KERNEL, address, &location);
		plumb_symbolizer_source(symbolizer, &location, &frame, 1);
		printf("%s %u\n", location.symbol ? plumb_symbol_name(location.symbol) : "-",
		       frame.line);
	}
	for (size_t i = 0; (warning = plumb_symbolizer_warning(symbolizer, i)); i++)
		fprintf(stderr, "%s\n", warning);
	plumb_symbolizer_free(symbolizer);
	return 0;
}
