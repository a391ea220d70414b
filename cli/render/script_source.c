/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf's data_src, a union perf_mem_data_src of <linux/perf_event.h>, in the words of
 * perf_script__meminfo_scnprintf() in tools/perf/util/mem-events.c of Linux 6.1. What the header
 * of a newer kernel names besides is printed as that perf does.
 */
#include <linux/perf_event.h>
#include <stdio.h>

#include "render/script.h"

/* perf's buffers have 100 bytes; what is longer is cut off. */
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

static void add_level(struct text *text, union perf_mem_data_src source)
{
	static const char *const levels[] = {
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
	static const char *const hops[8] = {"N/A", "core, same node", "node, same socket",
					    "socket, same board", "board"};
	static const char *const numbers[16] = {
		[0x9] = "CXL", [0xa] = "I/O",  [0xb] = "Any cache", [0xc] = "LFB/MAB",
		[0xd] = "RAM", [0xe] = "PMEM", [0xf] = "N/A"};
	size_t begin = text->length;
	unsigned count = 0;

	if (source.mem_remote)
		add(text, "Remote ");
	if (source.mem_hops) {
		add(text, hops[source.mem_hops] ? hops[source.mem_hops] : "");
		add(text, " ");
	} else {
		count = add_bits(text,
				 source.mem_lvl & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS),
				 levels, sizeof(levels) / sizeof(*levels), 0);
	}
	if (source.mem_lvl_num) {
		char number[8];

		snprintf(number, sizeof(number), "L%u", (unsigned)source.mem_lvl_num);
		if (count)
			add(text, " or ");
		add(text, numbers[source.mem_lvl_num] ? numbers[source.mem_lvl_num] : number);
	}
	if (text->length == begin)
		add(text, "N/A");
	if (source.mem_lvl & PERF_MEM_LVL_HIT)
		add(text, " hit");
	if (source.mem_lvl & PERF_MEM_LVL_MISS)
		add(text, " miss");
}

static void add_snoop(struct text *text, union perf_mem_data_src source)
{
	static const char *const words[] = {"N/A", "None", "Hit", "Miss", "HitM"};
	static const char *const more[] = {"Fwd", "Peer"};
	unsigned count = add_bits(text, source.mem_snoop, words, 5, 0);

	if (add_bits(text, source.mem_snoopx, more, 2, count) == 0)
		add(text, "N/A");
}

static void add_tlb(struct text *text, uint64_t tlb)
{
	static const char *const words[] = {"N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault"};

	if (add_bits(text, tlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS), words, 7, 0) ==
	    0)
		add(text, "N/A");
	if (tlb & PERF_MEM_TLB_HIT)
		add(text, " hit");
	if (tlb & PERF_MEM_TLB_MISS)
		add(text, " miss");
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

static void describe(struct text *text, union perf_mem_data_src source)
{
	add(text, "|OP ");
	add_operation(text, source.mem_op);
	add(text, "|LVL ");
	add_level(text, source);
	add(text, "|SNP ");
	add_snoop(text, source);
	add(text, "|TLB ");
	add_tlb(text, source.mem_dtlb);
	add(text, "|LCK ");
	if (source.mem_lock & PERF_MEM_LOCK_NA)
		add(text, "N/A");
	else
		add(text, source.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
	add(text, "|BLK ");
	add_block(text, source.mem_blk);
}

void script_print_source(struct script_printer *printer, uint64_t data_source)
{
	struct text words = {.length = 0}, text = {.length = 0};
	char number[24];

	describe(&words, (union perf_mem_data_src){.val = data_source});
	snprintf(number, sizeof(number), "%16llx ", (unsigned long long)data_source);
	add(&text, number);
	add(&text, words.bytes);
	/* The column is as wide as the widest so far. */
	if (text.length > printer->source_width)
		printer->source_width = text.length;
	buffer_padded(printer->out, text.bytes, -(int)printer->source_width);
}
