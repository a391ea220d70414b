/* SPDX-License-Identifier: Apache-2.0 */
/* A recording that holds every kind of record, and features, of any form. */
#ifndef TEST_RECORDING_OF_ALL_H
#define TEST_RECORDING_OF_ALL_H

#include "recording_builder.h"

/* Without compression, which would make every byte after a damaged one unreadable. */
static const struct built_attr attrs_of_all[2] = {
	{.type = 1,
	 .sample_type = 0xffffff, /* all of them but WEIGHT_STRUCT */
	 .read_format = 31,
	 .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL),
	 .branches = 1 << 17,
	 .regs_user = 3,
	 .regs_intr = 1,
	 .ids = {5},
	 .id_count = 1},
	{.type = 2,
	 .sample_type = 1 << 16 | 1 << 1 | 1 << 2,
	 .flags = PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL),
	 .ids = {6, 7},
	 .id_count = 2},
};

static inline void all_trailer(struct build *b, uint64_t time)
{
	put32(b, 1);
	put32(b, 2);
	put64(b, time);
	put64(b, 5);
	put64(b, 6);
	put32(b, 3);
	put32(b, 0);
	put64(b, 5);
	end(b);
}

static inline void all_samples(struct build *b)
{
	begin(b, 9, 2);
	put64(b, 5);
	put64(b, 0x400000);
	put32(b, 1);
	put32(b, 2);
	put64(b, 100);
	put64(b, 0x1234); /* address */
	put64(b, 5);
	put64(b, 6);
	put64(b, 3); /* CPU */
	put64(b, 4000);
	put64(b, 1); /* a group of one */
	put64(b, 10);
	put64(b, 9);
	put64(b, 50);
	put64(b, 5);
	put64(b, 0);
	put64(b, 2); /* callchain */
	put64(b, (uint64_t)-512);
	put64(b, 0x400000);
	put32(b, 4); /* raw */
	put_bytes(b, "raw.", 4);
	put64(b, 1); /* branches */
	put64(b, 0);
	put64(b, 1);
	put64(b, 2);
	put64(b, 3);
	put64(b, 2); /* registers */
	put64(b, 1);
	put64(b, 2);
	put64(b, 8); /* stack */
	put64(b, 0);
	put64(b, 8);
	put64(b, 1); /* weight, data source, transaction */
	put64(b, 2);
	put64(b, 3);
	put64(b, 1); /* registers */
	put64(b, 1);
	put64(b, 1); /* physical address, cgroup, page sizes */
	put64(b, 2);
	put64(b, 3);
	put64(b, 4);
	put64(b, 8); /* AUX */
	put64(b, 0);
	end(b);
	begin(b, 9, 2);
	put64(b, 7);
	put64(b, 1);
	put64(b, 101);
	end(b);
}

static inline void all_of_the_kernel(struct build *b)
{
	static const struct {
		uint32_t type;
		uint16_t misc;
		size_t numbers;
		const char *text;
	} simple[] = {
		{1, 1, 4, "[kernel]"}, {10, 2, 8, "/bin/true"}, {10, 1 << 14, 8, "/bin/id"},
		{3, 0, 1, "name"},     {4, 0, 3, NULL},         {7, 0, 3, NULL},
		{2, 0, 2, NULL},       {13, 0, 1, NULL},        {5, 0, 3, NULL},
		{6, 0, 3, NULL},       {11, 0, 3, NULL},        {12, 0, 1, NULL},
		{14, 0, 0, NULL},      {15, 0, 1, NULL},        {17, 0, 2, "symbol"},
		{18, 0, 2, NULL},      {19, 0, 1, "/slice"},    {21, 0, 1, NULL},
		{30, 0, 2, NULL},
	};

	for (size_t i = 0; i < sizeof(simple) / sizeof(*simple); i++) {
		begin(b, simple[i].type, simple[i].misc);
		for (size_t k = 0; k < simple[i].numbers; k++)
			put64(b, k + 1);
		if (simple[i].text)
			put_text(b, simple[i].text, 8);
		all_trailer(b, 200 + i);
	}
	begin(b, 8, 0); /* READ */
	for (uint64_t i = 0; i < 7; i++)
		put64(b, i == 1 ? 1 : i);
	all_trailer(b, 150);
	begin(b, 16, 0); /* NAMESPACES */
	put64(b, 0);
	put64(b, 1);
	put64(b, 4);
	put64(b, 5);
	all_trailer(b, 151);
	begin(b, 20, 0); /* TEXT_POKE */
	put64(b, 0);
	put16(b, 2);
	put16(b, 2);
	put_bytes(b, "abcd", 4);
	all_trailer(b, 152);
}

static inline void all_cpu_maps(struct build *b)
{
	static const uint16_t maps[][8] = {
		{0, 2, 1, 2}, {1, 1, 4, 0, 5}, {1, 1, 8, 0, 0, 5}, {2, 0, 1, 4}};

	for (size_t i = 0; i < 4; i++) {
		begin(b, 74, 0);
		for (size_t k = 0; k < 8; k++)
			put16(b, maps[i][k]);
		put_zeros(b, 8);
		end(b);
	}
}

static inline void all_of_perf(struct build *b)
{
	begin(b, 70, 0); /* AUXTRACE_INFO */
	put32(b, 4);
	put32(b, 0);
	put64(b, 9);
	put64(b, 1);
	end(b);
	begin(b, 79, 0); /* TIME_CONV */
	for (uint64_t i = 0; i < 6; i++)
		put64(b, i);
	end(b);
	begin(b, 71, 0); /* AUXTRACE */
	put64(b, 16);
	for (uint64_t i = 0; i < 4; i++)
		put64(b, 0);
	end(b);
	put_zeros(b, 16);
	begin(b, 72, 0); /* AUXTRACE_ERROR */
	put_zeros(b, 112);
	end(b);
	begin(b, 73, 0); /* THREAD_MAP */
	put64(b, 1);
	put_zeros(b, 24);
	end(b);
	all_cpu_maps(b);
	begin(b, 78, 0); /* EVENT_UPDATE */
	put64(b, 2);
	put64(b, 6);
	put_text(b, "updated", 8);
	end(b);
	begin(b, 67, 0x8000); /* BUILD_ID */
	put_zeros(b, 24);
	put32(b, 16 << (b->big ? 24 : 0));
	put_text(b, "/bin/true", 16);
	end(b);
	begin(b, 69, 0); /* ID_INDEX */
	put64(b, 0);
	end(b);
	begin(b, 66, 0); /* TRACING_DATA */
	put64(b, b->big ? UINT64_C(8) << 32 : 8);
	end(b);
	put_zeros(b, 8);
}

static inline void all_features(struct build *b)
{
	size_t from;

	text_feature(b, PLUMB_FEATURE_HOSTNAME, "host");
	from = feature_begin(b, PLUMB_FEATURE_CMDLINE);
	put32(b, 1);
	put_string(b, "perf");
	feature_end(b, PLUMB_FEATURE_CMDLINE, from);
	from = feature_begin(b, PLUMB_FEATURE_EVENT_DESC);
	put32(b, 1);
	put32(b, 136);
	put_attr(b, &attrs_of_all[0]);
	put32(b, 1);
	put_string(b, "all");
	put64(b, 5);
	feature_end(b, PLUMB_FEATURE_EVENT_DESC, from);
}

static inline void build_all(struct build *b)
{
	build_begin(b, attrs_of_all, 2);
	all_features(b);
	all_of_perf(b);
	all_samples(b);
	all_of_the_kernel(b);
	begin(b, 68, 0);
	end(b);
	begin(b, 82, 0);
	end(b);
	build_end(b);
}

#endif
