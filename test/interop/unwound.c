/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwound FILE: the user call chain of each sample that has a copy of the stack, a line each,
 * "ADDRESS=SYMBOL" parted by tabs.
 * unwound PROGRAM DUMP: the same of what programs/unwinds.c, a static program, wrote.
 */
#include <elf.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

#include <plumb/recording.h>
#include <plumb/symbol.h>

#include "recording/access.h"
#include "symbol/unwind.h"

#define FRAMES_MAX 127

static void print_chain(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			const struct user_stack *stack)
{
	uint64_t chain[FRAMES_MAX];
	size_t count = symbolizer_unwind(symbolizer, task, stack, chain, FRAMES_MAX);

	for (size_t i = 0; i < count; i++) {
		struct plumb_location location;

		plumb_symbolizer_locate(symbolizer, task, PLUMB_MODE_USER, chain[i], &location);
		printf("%s%" PRIx64 "=%s", i ? "\t" : "", chain[i],
		       location.symbol ? plumb_symbol_name(location.symbol) : "[unknown]");
	}
	putchar('\n');
}

static int of_recording(struct plumb_symbolizer *symbolizer, const char *path)
{
	struct plumb_recording *recording;
	struct plumb_record record;
	int status;

	if (plumb_recording_open(path, NULL, &recording, NULL) < 0)
		return 2;
	while ((status = recording_next(recording, &record)) > 0) {
		const struct plumb_sample *sample = &record.sample;

		plumb_symbolizer_add(symbolizer, &record);
		if (record.type != PLUMB_RECORD_SAMPLE || !sample->user_stack_size)
			continue;
		print_chain(symbolizer, plumb_symbolizer_task(symbolizer, record.pid, record.tid),
			    &(struct user_stack){
				    .register_mask = record.event->attr.sample_regs_user,
				    .registers = sample->user_registers,
				    .register_count = sample->user_register_count,
				    .bytes = sample->user_stack,
				    .bytes_size = sample->user_stack_size,
			    });
	}
	plumb_recording_close(recording);
	return status < 0;
}

/* A static program that is not position-independent: the linker put its file's start here. */
#define STATIC_BASE UINT64_C(0x400000)

static int of_dump(struct plumb_symbolizer *symbolizer, const char *program, const char *path)
{
	const struct plumb_record map = {.type = PLUMB_RECORD_MMAP2,
					 .misc = PERF_RECORD_MISC_USER,
					 .mmap = {.pid = 1,
						  .tid = 1,
						  .address = STATIC_BASE,
						  .length = UINT32_MAX,
						  .protection = 4,
						  .path = program}};
	static uint64_t registers[64], size;
	static uint8_t bytes[1 << 16];
	FILE *dump = fopen(path, "r");
	uint64_t count;

	if (!dump || plumb_symbolizer_add(symbolizer, &map) < 0 || fread(&count, 8, 1, dump) != 1 ||
	    count > 64 || fread(registers, 8, count, dump) != count ||
	    fread(&size, 8, 1, dump) != 1 || size > sizeof(bytes) ||
	    fread(bytes, 1, size, dump) != size)
		return 2;
	fclose(dump);
	print_chain(symbolizer, plumb_symbolizer_task(symbolizer, 1, 1),
		    &(struct user_stack){.machine = EM_AARCH64,
					 .register_mask = (UINT64_C(1) << count) - 1,
					 .registers = registers,
					 .register_count = count,
					 .bytes = bytes,
					 .bytes_size = size});
	return 0;
}

int main(int count, char **arguments)
{
	const struct plumb_symbol_paths paths = {
		.size = sizeof(paths), .debug_dir = "/usr/lib/debug", .own_vdso = true};
	struct plumb_symbolizer *symbolizer;
	int status = 2;

	if (plumb_symbolizer_new(&paths, &symbolizer) < 0)
		return 1;
	if (count == 2)
		status = of_recording(symbolizer, arguments[1]);
	else if (count == 3)
		status = of_dump(symbolizer, arguments[1], arguments[2]);
	plumb_symbolizer_free(symbolizer);
	return status;
}
