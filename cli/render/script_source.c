/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's data_src in the words of perf_script__meminfo_scnprintf() in
 * tools/perf/util/mem-events.c.
 */
#include <stdio.h>

#include "base/mem_source.h"
#include "base/mem_text.h"
#include "render/script.h"

static void add_operation(struct mem_text *text, uint64_t operation)
{
	static const char *const words[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (operation >> i & 1) {
			mem_text_add(text, words[i]);
			return;
		}
	}
	mem_text_add(text, "No");
}

static void add_hit_or_miss(struct mem_text *text, unsigned level)
{
	if (level & MEM_LEVEL_HIT)
		mem_text_add(text, " hit");
	if (level & MEM_LEVEL_MISS)
		mem_text_add(text, " miss");
}

static void add_hops(struct mem_text *text, unsigned hops)
{
	static const char *const words[8] = {"", "core, same node ", "node, same socket ",
					     "socket, same board ", "board "};

	if (words[hops])
		mem_text_add(text, words[hops]);
}

static void add_level_number(struct mem_text *text, unsigned number)
{
	static const char *const words[16] = {
		[MEM_NUMBER_L2_MHB] = "L2 MHB",
		[MEM_NUMBER_MSC] = "Memory-side Cache",
		[MEM_NUMBER_UNCACHED] = "Uncached",
		[MEM_NUMBER_CXL] = "CXL",
		[MEM_NUMBER_IO] = "I/O",
		[MEM_NUMBER_ANY_CACHE] = "Any cache",
		[MEM_NUMBER_LFB] = "LFB/MAB",
		[MEM_NUMBER_RAM] = "RAM",
		[MEM_NUMBER_PMEM] = "PMEM",
		[MEM_NUMBER_NA] = "N/A",
	};
	char text_of[8];

	snprintf(text_of, sizeof(text_of), "L%u", number);
	mem_text_add(text, words[number] ? words[number] : text_of);
}

static unsigned add_levels(struct mem_text *text, unsigned levels)
{
	static const char *const words[] = {
		"N/A",
		"HIT",
		"MISS",
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};

	return mem_text_add_bits(text, levels, words, sizeof(words) / sizeof(*words), 0);
}

/* 6.1 prints the levels and the level's number side by side. */
static void add_old_level(struct mem_text *text, uint64_t source)
{
	const unsigned level = mem_get(source, MEM_LEVEL), hops = mem_get(source, MEM_HOPS),
		       number = mem_get(source, MEM_LEVEL_NUMBER);
	const size_t begin = text->length;
	unsigned count = 0;

	if (mem_get(source, MEM_REMOTE))
		mem_text_add(text, "Remote ");
	if (hops)
		add_hops(text, hops);
	else
		count = add_levels(text, level & ~(unsigned)(MEM_LEVEL_HIT | MEM_LEVEL_MISS));
	if (number && count)
		mem_text_add(text, " or ");
	if (number)
		add_level_number(text, number);
	if (text->length == begin)
		mem_text_add(text, "N/A");
	add_hit_or_miss(text, level);
}

/* Newer versions prefer the number. */
static void add_level(struct mem_text *text, uint64_t source)
{
	const unsigned level = mem_get(source, MEM_LEVEL), hops = mem_get(source, MEM_HOPS),
		       number = mem_get(source, MEM_LEVEL_NUMBER);
	const unsigned levels = level & ~(unsigned)(MEM_LEVEL_NA | MEM_LEVEL_HIT | MEM_LEVEL_MISS);

	if (number && number != MEM_NUMBER_NA) {
		if (mem_get(source, MEM_REMOTE))
			mem_text_add(text, "Remote ");
		if (hops)
			add_hops(text, hops);
		add_level_number(text, number);
	} else if (!levels) {
		mem_text_add(text, "N/A");
		return;
	} else {
		add_levels(text, levels);
	}
	add_hit_or_miss(text, level);
}

static void describe(struct mem_text *text, uint64_t source, enum plumb_perf_version version)
{
	mem_text_add(text, "|OP ");
	add_operation(text, mem_get(source, MEM_OP));
	mem_text_add(text, "|LVL ");
	if (version == PLUMB_PERF_6_1)
		add_old_level(text, source);
	else
		add_level(text, source);
	mem_text_add(text, "|SNP ");
	mem_text_snoop(text, source);
	mem_text_add(text, "|TLB ");
	mem_text_tlb(text, source);
	mem_text_add(text, "|LCK ");
	mem_text_lock(text, source);
	mem_text_add(text, "|BLK ");
	mem_text_block(text, source);
}

void script_print_source(struct script_printer *printer, uint64_t data_source)
{
	struct mem_text words = {.length = 0}, text = {.length = 0};
	char number[24];

	describe(&words, data_source, printer->version);
	snprintf(number, sizeof(number), "%16llx ", (unsigned long long)data_source);
	mem_text_add(&text, number);
	mem_text_add(&text, words.bytes);
	/* The column is as wide as the widest so far. */
	if (text.length > printer->source_width)
		printer->source_width = text.length;
	buffer_padded(printer->out, text.bytes, -(int)printer->source_width);
}
