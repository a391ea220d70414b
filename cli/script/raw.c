/* SPDX-License-Identifier: Apache-2.0 */
/* plumb script --raw: SPE data without a recording around it, as WindowsPerf's spe.data is. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "script.h"
#include "tool/complain.h"
#include "tool/memory.h"

#define PIECE ((size_t)1 << 20)

/* What such a record would be a sample of. */
static const struct plumb_recorded_event instructions = {
	.attr = {.type = PERF_TYPE_HARDWARE,
		 .config = PERF_COUNT_HW_INSTRUCTIONS,
		 .sample_period = 1,
		 .sample_type = PLUMB_SAMPLE_IP | PLUMB_SAMPLE_TID | PLUMB_SAMPLE_ADDR |
				PLUMB_SAMPLE_PERIOD | PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_DATA_SRC |
				PLUMB_SAMPLE_PHYS_ADDR},
	.name = "instructions",
};

static bool print_record(struct script *script, const struct plumb_spe_record *spe)
{
	struct plumb_record record = {.type = PLUMB_RECORD_SAMPLE,
				      .misc = PLUMB_MODE_USER,
				      .pid = -1,
				      .tid = -1,
				      .cpu = UINT32_MAX,
				      .offset = spe->offset,
				      .size = spe->size,
				      .event = &instructions};
	struct script_sample sample = {.record = &record,
				       .spe = spe,
				       .event = &instructions,
				       .groups = plumb_spe_record_groups(spe)};
	uint64_t pc = spe->addresses[PLUMB_SPE_PC];

	record.sample = (struct plumb_sample){
		.ip = plumb_spe_code_address(pc),
		.address = plumb_spe_virtual_address(spe->addresses[PLUMB_SPE_DATA_VIRTUAL]),
		.physical_address =
			plumb_spe_physical_address(spe->addresses[PLUMB_SPE_DATA_PHYSICAL]),
		.period = 1,
		.weight = spe->counters[PLUMB_SPE_TOTAL_LATENCY],
		.data_source = plumb_spe_perf_data_source(spe, script->midr),
	};
	if (plumb_spe_exception_level(pc) > 0)
		record.misc = PLUMB_MODE_KERNEL;
	if (spe->has & PLUMB_SPE_HAS_CONTEXT_EL1) {
		record.has |= PLUMB_RECORD_HAS_PID;
		record.tid = (int32_t)spe->contexts[0];
	}
	return script_print(script, &sample);
}

static int read_pieces(struct script *script, int descriptor, struct plumb_spe_stream *stream,
		       const struct plumb_spe_filter *filter)
{
	struct plumb_spe_record record;
	uint8_t *bytes = memory_alloc(PIECE);
	bool fine = true;
	ssize_t size;

	while (fine && (size = read(descriptor, bytes, PIECE)) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			complain("cannot read %s: %s", script->options->input, strerror(errno));
			fine = false;
			break;
		}
		plumb_spe_stream_feed(stream, bytes, (size_t)size);
		while (fine && plumb_spe_stream_next(stream, &record)) {
			if (!filter || plumb_spe_filter_matches(filter, &record, NULL))
				fine = print_record(script, &record);
		}
	}
	free(bytes);
	return fine ? EXIT_FINE : EXIT_USAGE;
}

int script_read_raw(struct script *script, const struct plumb_spe_filter *filter)
{
	const char *path = script->options->input;
	int descriptor = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct plumb_spe_stream stream;
	int status;

	if (descriptor < 0) {
		complain("cannot open %s: %s", path, strerror(errno));
		return EXIT_USAGE;
	}
	plumb_spe_stream_begin(&stream);
	status = read_pieces(script, descriptor, &stream, filter);
	plumb_spe_stream_end(&stream);
	if (descriptor != STDIN_FILENO)
		close(descriptor);
	if (stream.skipped)
		complain("%s: %llu bytes are no SPE packets, the first at %#llx", path,
			 (unsigned long long)stream.skipped,
			 (unsigned long long)stream.first_skipped);
	if (stream.unfinished)
		complain("%s: its last record is cut off", path);
	return status;
}
