/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the values of `plumb record`'s options: sizes, times, lists and clocks in perf's syntax.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "record.h"
#include "tool/clocks.h"
#include "tool/complain.h"
#include "tool/lists.h"
#include "tool/memory.h"
#include "tool/percent.h"

#define LEVEL_MAX     22
#define LEVEL_USUAL   1
#define PAGES_MAX     (1u << 20)
#define FREQUENCY_MAX 1000000u

struct unit {
	const char *name;
	double factor;
};

static const struct unit sizes[] = {
	{"B", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
static const struct unit times[] = {{"ms", 0.001}, {"s", 1},     {"m", 60},
				    {"h", 3600},   {"d", 86400}, {NULL, 0}};

/* Reads a number with one of `units`, such as "4K". */
static bool read_unit(const char *text, const struct unit *units, double *value)
{
	const char *end;
	uint64_t number;

	if (!number_read_digits(text, UINT32_MAX, &number, &end))
		return false;
	for (; units->name; units++) {
		if (strcmp(end, units->name) == 0) {
			*value = (double)number * units->factor;
			return *value > 0;
		}
	}
	return false;
}

static bool read_count(const char *option, const char *text, uint64_t most, uint64_t *number)
{
	if (!text || (number_read(text, most, number) && *number > 0))
		return true;
	return complain_value(option, text, most, "use a positive whole number: 4096, 10k");
}

/* Reads a number of pages, or a size, and rounds it up to a power of two, as perf does. */
static bool read_pages(const char *text, size_t length, size_t *pages)
{
	char *copy = memory_copy(text, length);
	uint64_t number = 0;
	double bytes;
	bool fine = true;

	if (read_unit(copy, sizes, &bytes))
		number = (uint64_t)(bytes + (double)sysconf(_SC_PAGESIZE) - 1) /
			 (uint64_t)sysconf(_SC_PAGESIZE);
	else
		fine = length == 0 || number_read_digits(copy, PAGES_MAX, &number, NULL);
	free(copy);
	if (!fine || number > PAGES_MAX)
		return false;
	for (*pages = number ? 1 : 0; *pages < number;)
		*pages *= 2;
	return true;
}

static bool read_mmap(const char *text, struct record_request *request)
{
	size_t length;

	if (!text)
		return true;
	length = strcspn(text, ",");
	if (read_pages(text, length, &request->mmap_pages) &&
	    (!text[length] ||
	     read_pages(text + length + 1, strlen(text + length + 1), &request->aux_pages)))
		return true;
	return complain_value(
		"mmap-pages", text, PAGES_MAX,
		"use PAGES[,AUXPAGES]; each is a number of pages or a size as in 512K or 16M, "
		"at most 1048576 pages");
}

static bool read_switch(const char *text, struct record_switch *switching)
{
	double value;

	if (!text)
		return true;
	switching->wanted = true;
	if (!*text || strcmp(text, "signal") == 0)
		switching->signal = true;
	else if (read_unit(text, sizes, &value))
		switching->bytes = (uint64_t)value;
	else if (!read_unit(text, times, &switching->seconds))
		return complain_value(
			"switch-output", text, UINT32_MAX,
			"use signal, a size as in 100M (B, K, M, G), or a time as in 30s (ms, s, "
			"m, h, d)");
	return true;
}

static bool read_clock(const char *text, int *clock)
{
	*clock = -1;
	return !text || clock_read(text, clock) ||
	       complain_value("clockid", text, UINT64_MAX,
			      "use monotonic, monotonic_raw, realtime, boottime or tai");
}

static bool read_level(const char *text, int *level)
{
	uint64_t number = LEVEL_USUAL;

	if (!text)
		return true;
	if (*text && !number_read_digits(text, LEVEL_MAX, &number, NULL))
		return complain_value("compression-level", text, LEVEL_MAX,
				      "use 0 (none) to 22; the default is 1");
	*level = (int)number;
	return true;
}

static bool read_limit(const char *text, uint64_t *limit)
{
	double value;

	if (!text)
		return true;
	if (!read_unit(text, sizes, &value))
		return complain_value("max-size", text, UINT32_MAX,
				      "use a size as in 100M: B, K, M or G");
	*limit = (uint64_t)value;
	return true;
}

/* Bytes of the stack that perf copies by default, and at most. */
#define STACK_DEFAULT 8192
#define STACK_MAX     65528

/* Reads --call-graph: "fp", or "dwarf" and how much of the stack to copy. */
static bool read_call_graph(const struct record_options *options, struct record_request *request)
{
	const char *text = options->call_graph;
	uint64_t size = STACK_DEFAULT;

	request->callchains = options->callchains || (text && strcmp(text, "fp") == 0);
	if (!text || strcmp(text, "fp") == 0)
		return true;
	if (strcmp(text, "lbr") == 0)
		return complain_value("call-graph", text, UINT64_MAX,
				      "use fp or dwarf: only x86 CPUs keep calls in branch stacks");
	if (strncmp(text, "dwarf", 5) != 0 || (text[5] && text[5] != ','))
		return complain_value("call-graph", text, UINT64_MAX,
				      "use fp (frame pointers), dwarf or dwarf,BYTES");
	if (text[5] && (!number_read_digits(text + 6, STACK_MAX, &size, NULL) || size < 8))
		return complain_value("call-graph", text, STACK_MAX,
				      "use dwarf,BYTES with 8 to 65528 bytes");
	/* The kernel takes multiples of eight; perf rounds up, too. */
	request->user_stack = (uint32_t)(size + 7) & ~UINT32_C(7);
	return true;
}

/* perf's words for -j, and bits of enum plumb_branches and enum plumb_branch_bit. */
static const struct branch_word {
	const char *name;
	uint64_t bits;
} branch_words[] = {
	{"any", PLUMB_BRANCHES_ANY},
	{"any_call", PLUMB_BRANCHES_ANY_CALL},
	{"any_ret", PLUMB_BRANCHES_ANY_RETURN},
	{"call", PLUMB_BRANCHES_CALL},
	{"ind_call", PLUMB_BRANCHES_INDIRECT_CALL},
	{"ind_jmp", PLUMB_BRANCHES_INDIRECT_JUMP},
	{"cond", PLUMB_BRANCHES_CONDITIONAL},
	{"u", PLUMB_BRANCHES_USER},
	{"k", PLUMB_BRANCHES_KERNEL},
	{"hv", PLUMB_BRANCHES_HV},
	{"save_type", PLUMB_BRANCH_TYPE_SAVE},
	{"priv", PLUMB_BRANCH_PRIVILEGE_SAVE},
	{"stack", PLUMB_BRANCHES_CALL_STACK},
	{"abort_tx", PLUMB_BRANCHES_ABORT},
	{"in_tx", PLUMB_BRANCHES_IN_TRANSACTION},
	{"no_tx", PLUMB_BRANCHES_NO_TRANSACTION},
};

/* Returns the bits of a word, or 0 if it is unknown. */
static uint64_t branch_bits(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(branch_words) / sizeof(*branch_words); i++)
		if (strncmp(branch_words[i].name, word, length) == 0 &&
		    !branch_words[i].name[length])
			return branch_words[i].bits;
	return 0;
}

/* Reads -b and -j. */
static bool read_branches(const struct record_options *options, uint64_t *branches)
{
	const uint64_t levels = PLUMB_BRANCHES_USER | PLUMB_BRANCHES_KERNEL | PLUMB_BRANCHES_HV;
	const char *text = options->branch_filter;

	if (options->branches && text) {
		complain("--branch-any and --branch-filter cannot be combined");
		return false;
	}
	*branches = options->branches ? PLUMB_BRANCHES_ANY : 0;
	for (bool more = text; more; text++) {
		const size_t length = strcspn(text, ",");
		const uint64_t bits = branch_bits(text, length);

		if (!bits)
			return complain_value(
				"branch-filter", options->branch_filter, UINT64_MAX,
				"use any, any_call, any_ret, call, ind_call, ind_jmp or cond, and "
				"u or k");
		*branches |= bits;
		text += length;
		more = *text;
	}
	if (*branches && !(*branches & ~levels))
		*branches |= PLUMB_BRANCHES_ANY;
	return true;
}

/* Two options rename the file. Returns one of them if it would have to rename something else. */
static const char *cannot_rename(const struct record_request *request)
{
	const char *option = request->switching.wanted     ? "--switch-output"
			     : request->options->timestamp ? "--timestamp-filename"
							   : NULL;

	return option && !record_files_may_rename(request->path) ? option : NULL;
}

static bool agree(const struct record_request *request)
{
	const struct record_options *options = request->options;
	const char *renamer = cannot_rename(request);

	if (options->period && options->frequency)
		complain("--count and --freq cannot be combined");
	else if (options->exact && (options->events.count || options->period || options->frequency))
		complain("--exact cannot be combined with --event, --count or --freq");
	else if (options->topdown && (options->events.count || options->exact || options->snapshot))
		complain("--topdown cannot be combined with --event, --exact or --snapshot");
	else if (options->strobe && !options->topdown)
		complain("--strobe requires --topdown");
	else if (options->strobe && options->frequency && request->strobe)
		complain("--strobe cannot be combined with --freq");
	else if (options->exact && (options->all_user || options->all_kernel))
		complain("--exact cannot be combined with --all-user or --all-kernel");
	else if (options->exact && request->branches)
		complain("--exact cannot be combined with --branch-any or --branch-filter");
	else if (options->exact && (options->snapshot || request->user_stack))
		complain("--exact cannot be combined with --snapshot or --call-graph dwarf");
	else if (options->exact && request->limit_bytes)
		complain("--exact cannot be combined with --max-size: it covers the whole run");
	else if (options->sampled && *options->sampled && !options->exact)
		complain(
			"--sampled=%s requires --exact; without it, -c sets how many windows there "
			"are",
			options->sampled);
	else if (options->sampled && options->source == SOURCE_PERF)
		complain("--sampled requires --source model");
	else if (options->sampled && options->snapshot)
		complain("--sampled cannot be combined with --snapshot");
	else if (options->sampled && options->topdown)
		complain("--sampled cannot be combined with --topdown");
	else if (options->sampled && request->switching.wanted)
		complain("--sampled cannot be combined with --switch-output");
	else if (options->control && (options->exact || options->source == SOURCE_MODEL))
		complain("--control requires --source perf");
	else if (options->exact && options->source == SOURCE_PERF)
		complain("--exact requires --source model");
	else if (options->all_user && options->all_kernel)
		complain("--all-user and --all-kernel cannot be combined");
	else if (options->all_cpus && (request->pids.count || request->tids.count))
		complain("--all-cpus cannot be combined with --pid or --tid");
	else if (options->per_thread && (options->all_cpus || request->cpus.count))
		complain("--per-thread cannot be combined with --all-cpus or --cpus");
	else if (renamer && strcmp(request->path, "-") == 0)
		complain("%s cannot write to a pipe", renamer);
	else if (renamer)
		complain("%s cannot rename %s: not a regular file", renamer, request->path);
	else if (options->max_files && !request->switching.wanted)
		complain("--switch-max-files requires --switch-output");
	else if (!*request->program && !options->all_cpus && !request->cpus.count &&
		 !request->pids.count && !request->tids.count)
		complain("missing PROGRAM, --all-cpus, --cpus, --pid or --tid");
	else
		return true;
	advise("see plumb record --help");
	return false;
}

/* Reads --strobe: cycles, 0 for none. */
static bool read_strobe(const char *text, uint64_t *cycles)
{
	*cycles = STROBE_DEFAULT;
	if (!text || !*text || number_read(text, UINT32_MAX, cycles))
		return true;
	complain("--strobe: invalid number of cycles '%s'", text);
	advise("use 0 to %" PRIu32, UINT32_MAX);
	return false;
}

bool record_read_options(const struct record_options *options, struct record_request *request)
{
	uint64_t frequency = 0;
	const bool most = options->frequency && strcmp(options->frequency, "max") == 0;

	request->options = options;
	request->path = options->common.output ? options->common.output : "perf.data";
	if (options->sampled &&
	    !percent_read_sampled(options->sampled, "", &request->sampled_error))
		return false;
	if (!machine_read_seed(options->seed, &request->seed) ||
	    !read_count("count", options->period, UINT64_MAX, &request->period) ||
	    !read_count("freq", most ? NULL : options->frequency, FREQUENCY_MAX, &frequency) ||
	    !list_read("cpus", options->cpus, true, &request->cpus) ||
	    !list_read("pid", options->pids, false, &request->pids) ||
	    !list_read("tid", options->tids, false, &request->tids) ||
	    !read_mmap(options->pages, request) ||
	    !read_switch(options->switch_output, &request->switching) ||
	    !read_strobe(options->strobe, &request->strobe) ||
	    !read_clock(options->clockid, &request->clockid) ||
	    !read_level(options->compression, &request->compress_level) ||
	    !window_read(&options->window, true, &request->window) ||
	    !machine_check_host_threads(options->host_threads) ||
	    !read_limit(options->max_size, &request->limit_bytes) ||
	    !read_branches(options, &request->branches))
		return false;
	request->frequency = (unsigned)frequency;
	request->most_frequent = most;
	return read_call_graph(options, request) && agree(request);
}

void record_request_free(struct record_request *request)
{
	free(request->cpus.at);
	free(request->pids.at);
	free(request->tids.at);
	plumb_event_list_free(request->events);
	record_free_types(request);
}
