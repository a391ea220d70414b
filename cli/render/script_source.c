/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's data_src in the words of perf_script__meminfo_scnprintf() in
 * tools/perf/util/mem-events.c.
 */
#include <stdio.h>

#include "base/mem_source.h"
#include "render/script.h"

/* perf's buffers have 100 bytes; longer text is cut off. */
#define TEXT_ROOM 100

struct text {
	char bytes[TEXT_ROOM];
	size_t length;
};

static void add(struct text *text, const char *word)
{
	while (*word && text->length < TEXT_ROOM - 1)
		text->bytes[text->length++] = *word++;
	text->bytes[text->length] = '\0';
}

/* The words of the bits that are set, " or " between. Returns how many. */
static unsigned add_bits(struct text *text, uint64_t bits, const char *const *words, unsigned count,
			 unsigned before)
{
	for (unsigned i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			continue;
		if (before++)
			add(text, " or ");
		add(text, words[i]);
	}
	return before;
}

static void add_operation(struct text *text, uint64_t operation)
{
	static const char *const words[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (operation >> i & 1) {
			add(text, words[i]);
			return;
		}
	}
	add(text, "No");
}

static void add_hit_or_miss(struct text *text, unsigned level)
{
	if (level & MEM_LEVEL_HIT)
		add(text, " hit");
	if (level & MEM_LEVEL_MISS)
		add(text, " miss");
}

static void add_hops(struct text *text, unsigned hops)
{
	static const char *const words[8] = {"", "core, same node ", "node, same socket ",
					     "socket, same board ", "board "};

	if (words[hops])
		add(text, words[hops]);
}

static void add_level_number(struct text *text, unsigned number)
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
	add(text, words[number] ? words[number] : text_of);
}

static unsigned add_levels(struct text *text, unsigned levels)
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

	return add_bits(text, levels, words, sizeof(words) / sizeof(*words), 0);
}

/* 6.1 prints the levels and the level's number side by side. */
static void add_old_level(struct text *text, uint64_t source)
{
	const unsigned level = mem_get(source, MEM_LEVEL), hops = mem_get(source, MEM_HOPS),
		       number = mem_get(source, MEM_LEVEL_NUMBER);
	const size_t begin = text->length;
	unsigned count = 0;

	if (mem_get(source, MEM_REMOTE))
		add(text, "Remote ");
	if (hops)
		add_hops(text, hops);
	else
		count = add_levels(text, level & ~(unsigned)(MEM_LEVEL_HIT | MEM_LEVEL_MISS));
	if (number && count)
		add(text, " or ");
	if (number)
		add_level_number(text, number);
	if (text->length == begin)
		add(text, "N/A");
	add_hit_or_miss(text, level);
}

/* Newer versions prefer the number. */
static void add_level(struct text *text, uint64_t source)
{
	const unsigned level = mem_get(source, MEM_LEVEL), hops = mem_get(source, MEM_HOPS),
		       number = mem_get(source, MEM_LEVEL_NUMBER);
	const unsigned levels = level & ~(unsigned)(MEM_LEVEL_NA | MEM_LEVEL_HIT | MEM_LEVEL_MISS);

	if (number && number != MEM_NUMBER_NA) {
		if (mem_get(source, MEM_REMOTE))
			add(text, "Remote ");
		if (hops)
			add_hops(text, hops);
		add_level_number(text, number);
	} else if (!levels) {
		add(text, "N/A");
		return;
	} else {
		add_levels(text, levels);
	}
	add_hit_or_miss(text, level);
}

static void add_snoop(struct text *text, uint64_t source)
{
	static const char *const words[] = {"N/A", "None", "Hit", "Miss", "HitM"};
	static const char *const more[] = {"Fwd", "Peer"};
	unsigned count = add_bits(text, mem_get(source, MEM_SNOOP), words, 5, 0);

	if (add_bits(text, mem_get(source, MEM_SNOOPX), more, 2, count) == 0)
		add(text, "N/A");
}

static void add_tlb(struct text *text, unsigned tlb)
{
	static const char *const words[] = {"N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault"};

	if (add_bits(text, tlb & ~(unsigned)(MEM_TLB_HIT | MEM_TLB_MISS), words, 7, 0) == 0)
		add(text, "N/A");
	if (tlb & MEM_TLB_HIT)
		add(text, " hit");
	if (tlb & MEM_TLB_MISS)
		add(text, " miss");
}

static void add_lock(struct text *text, unsigned lock)
{
	if (lock & MEM_LOCK_NA)
		add(text, "N/A");
	else
		add(text, lock & MEM_LOCK_LOCKED ? "Yes" : "No");
}

static void add_block(struct text *text, unsigned block)
{
	if (!block || block & 1)
		add(text, " N/A");
	else if (block == 2)
		add(text, " Data");
	else
		add(text, block == 4 ? " Addr" : " Data Addr");
}

static void describe(struct text *text, uint64_t source, enum plumb_perf_version version)
{
	add(text, "|OP ");
	add_operation(text, mem_get(source, MEM_OP));
	add(text, "|LVL ");
	if (version == PLUMB_PERF_6_1)
		add_old_level(text, source);
	else
		add_level(text, source);
	add(text, "|SNP ");
	add_snoop(text, source);
	add(text, "|TLB ");
	add_tlb(text, mem_get(source, MEM_TLB));
	add(text, "|LCK ");
	add_lock(text, mem_get(source, MEM_LOCK));
	add(text, "|BLK ");
	add_block(text, mem_get(source, MEM_BLOCK));
}

void script_print_source(struct script_printer *printer, uint64_t data_source)
{
	struct text words = {.length = 0}, text = {.length = 0};
	char number[24];

	describe(&words, data_source, printer->version);
	snprintf(number, sizeof(number), "%16llx ", (unsigned long long)data_source);
	add(&text, number);
	add(&text, words.bytes);
	/* The column is as wide as the widest so far. */
	if (text.length > printer->source_width)
		printer->source_width = text.length;
	buffer_padded(printer->out, text.bytes, -(int)printer->source_width);
}
