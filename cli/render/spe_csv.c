/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns, names and spelling are those of Arm's spe-parser, tools/spe_parser of its telemetry
 * solution, schema of version 0.5. Where it stops with an error, or prints an invalid address, this
 * prints what is meant: plumb-export(1) lists the differences.
 */
#include "render/spe_csv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"

#define NEOVERSE_N1 0x410fd0c0u /* whose names of data sources spe-parser uses */

static const struct {
	const char *name, *columns;
} tables[SPE_TABLES] = {
	[SPE_TABLE_ACCESSES] = {"ldst",
				"\"cpu\",\"op\",\"pc\",\"el\",\"atomic\",\"excl\",\"ar\","
				"\"subclass\",\"sve_evl\",\"sve_pred\",\"sve_sg\",\"event\","
				"\"issue_lat\",\"total_lat\",\"vaddr\",\"xlat_lat\",\"paddr\","
				"\"data_source\",\"context\",\"ts\"\n"},
	[SPE_TABLE_BRANCHES] = {"br",
				"\"cpu\",\"op\",\"pc\",\"el\",\"condition\",\"indirect\","
				"\"event\",\"issue_lat\",\"total_lat\",\"br_tgt\",\"br_tgt_lvl\","
				"\"pbt\",\"pbt_lvl\",\"context\",\"ts\"\n"},
	[SPE_TABLE_OTHERS] = {"other",
			      "\"cpu\",\"op\",\"pc\",\"el\",\"subclass\",\"sve_evl\",\"sve_pred\","
			      "\"sve_fp\",\"condition\",\"event\",\"issue_lat\",\"total_lat\","
			      "\"context\",\"ts\"\n"},
};

/* Indexed by the bit of the events packet. spe-parser has no others. */
static const struct {
	uint8_t bit;
	const char *name;
} events[] = {
	{PLUMB_SPE_EV_EXCEPTION, "EXCEPTION-GEN"},
	{PLUMB_SPE_EV_RETIRED, "RETIRED"},
	{PLUMB_SPE_EV_L1D_ACCESS, "L1D-ACCESS"},
	{PLUMB_SPE_EV_L1D_REFILL, "L1D-REFILL"},
	{PLUMB_SPE_EV_TLB_ACCESS, "TLB-ACCESS"},
	{PLUMB_SPE_EV_TLB_WALK, "TLB-REFILL"},
	{PLUMB_SPE_EV_NOT_TAKEN, "NOT-TAKEN"},
	{PLUMB_SPE_EV_MISPREDICTED, "MISPRED"},
	{PLUMB_SPE_EV_LLC_ACCESS, "LLC-ACCESS"},
	{PLUMB_SPE_EV_LLC_MISS, "LLC-REFILL"},
	{PLUMB_SPE_EV_REMOTE_ACCESS, "REMOTE-ACCESS"},
	{PLUMB_SPE_EV_MISALIGNED, "ALIGNMENT"},
	{PLUMB_SPE_EV_LATE_PREFETCH, "LATE-PREFETCH"},
	{PLUMB_SPE_EV_PARTIAL_PREDICATE, "SVE-PARTIAL-PRED"},
	{PLUMB_SPE_EV_EMPTY_PREDICATE, "SVE-EMPTY-PRED"},
};

/* Of other operations it sorts events by name, and leaves out those of memory (an erratum of
 * Neoverse N1, 1912195, sets them). */
static const uint8_t events_of_others[] = {11, 0, 12, 7, 6, 1, 18, 17};

const char *spe_csv_table_name(enum spe_table table)
{
	return tables[table].name;
}

static const char *event_name(unsigned bit)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i].bit == bit)
			return events[i].name;
	}
	return "";
}

/* ---- Cells, each with the comma before it ---- */

static void put_text(struct buffer *out, const char *text)
{
	buffer_char(out, ',');
	buffer_text(out, text);
}

static void put_truth(struct buffer *out, bool value)
{
	put_text(out, value ? "true" : "false");
}

static void put_number(struct buffer *out, uint64_t number)
{
	buffer_char(out, ',');
	buffer_decimal(out, number, 0);
}

static void put_hex(struct buffer *out, uint64_t number)
{
	put_text(out, "0x");
	buffer_hex(out, number, 0);
}

static void put_events(struct buffer *out, const struct plumb_spe_record *record)
{
	const char *between = "";

	buffer_char(out, ',');
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (!(record->events >> events[i].bit & 1))
			continue;
		buffer_text(out, between);
		buffer_text(out, events[i].name);
		between = ":";
	}
}

static void put_events_of_others(struct buffer *out, const struct plumb_spe_record *record)
{
	const char *between = "";

	buffer_char(out, ',');
	for (size_t i = 0; i < sizeof(events_of_others); i++) {
		if (!(record->events >> events_of_others[i] & 1))
			continue;
		buffer_text(out, between);
		buffer_text(out, event_name(events_of_others[i]));
		between = ":";
	}
}

/*
 * Code: bits 55:0, and of EL2 with the 0xff above them that the packet leaves out. Of EL1 it is
 * left out here, too.
 */
static void put_code(struct buffer *out, const struct plumb_spe_record *record,
		     enum plumb_spe_address which)
{
	uint64_t payload = record->addresses[which];
	uint64_t address = payload & UINT64_C(0x00ffffffffffffff);

	if (!(record->has & 1u << which)) {
		buffer_char(out, ',');
		return;
	}
	if (plumb_spe_exception_level(payload) == 2 && address >> 48 == 0xff)
		address |= UINT64_C(0xff) << 56;
	put_hex(out, address);
}

static void put_level(struct buffer *out, const struct plumb_spe_record *record,
		      enum plumb_spe_address which)
{
	put_number(out, plumb_spe_exception_level(record->addresses[which]));
}

static void put_data(struct buffer *out, const struct plumb_spe_record *record)
{
	uint64_t address = record->addresses[PLUMB_SPE_DATA_VIRTUAL];

	if (!(record->has & PLUMB_SPE_HAS_DATA_VIRTUAL)) {
		buffer_char(out, ',');
		return;
	}
	if (plumb_spe_exception_level(record->addresses[PLUMB_SPE_PC]) == 2 && address >> 55 & 1)
		address |= UINT64_C(0xff) << 56;
	put_hex(out, address);
}

static void put_physical(struct buffer *out, const struct plumb_spe_record *record)
{
	uint64_t payload = record->addresses[PLUMB_SPE_DATA_PHYSICAL];

	if (record->has & PLUMB_SPE_HAS_DATA_PHYSICAL)
		put_hex(out, plumb_spe_physical_address(payload));
	else
		buffer_char(out, ',');
}

/* Its own names where the number means what it means on a Neoverse N1, or nothing says otherwise;
 * another core's name; else the number. */
static void put_data_source(struct buffer *out, const struct plumb_spe_record *record,
			    uint32_t midr)
{
	static const char *const names[16] = {
		[0x0] = "L1D",           [0x8] = "L2D",      [0x9] = "PEER-CPU",
		[0xa] = "LOCAL-CLUSTER", [0xb] = "LL-CACHE", [0xc] = "PEER-CLUSTER",
		[0xd] = "REMOTE",        [0xe] = "DRAM",
	};
	uint64_t source = record->data_source;
	const char *name = plumb_spe_data_source_name(midr ? midr : NEOVERSE_N1, source);

	buffer_char(out, ',');
	if (!(record->has & PLUMB_SPE_HAS_DATA_SOURCE))
		return;
	if (name && name == plumb_spe_data_source_name(NEOVERSE_N1, source) && source < 16)
		buffer_text(out, names[source]);
	else if (name && !strchr(name, ','))
		buffer_text(out, name);
	else
		buffer_decimal(out, source, 0);
}

static void put_end(struct buffer *out, const struct plumb_spe_record *record)
{
	/* The last one wins: EL2's comes after EL1's. */
	if (record->has & PLUMB_SPE_HAS_CONTEXT_EL2)
		put_hex(out, record->contexts[1]);
	else if (record->has & PLUMB_SPE_HAS_CONTEXT_EL1)
		put_hex(out, record->contexts[0]);
	else
		buffer_char(out, ',');
	put_number(out, record->timestamp);
	buffer_char(out, '\n');
}

static void put_latencies(struct buffer *out, const struct plumb_spe_record *record)
{
	put_number(out, record->counters[PLUMB_SPE_ISSUE_LATENCY]);
	put_number(out, record->counters[PLUMB_SPE_TOTAL_LATENCY]);
}

/* ---- Rows ---- */

static const char *access_subclass(const struct plumb_spe_operation *operation)
{
	switch (operation->subclass) {
	case PLUMB_SPE_SUB_GENERAL:
		return "GP-REG";
	case PLUMB_SPE_SUB_SIMD_FP:
		return "SIMD-FP";
	case PLUMB_SPE_SUB_UNSPECIFIED:
		return "UNSPEC-REG";
	case PLUMB_SPE_SUB_TAG:
		return "MTE-TAG";
	case PLUMB_SPE_SUB_MEMORY_COPY:
		return "MEMCPY";
	case PLUMB_SPE_SUB_MEMORY_SET:
		return "MEMSET";
	case PLUMB_SPE_SUB_NESTED_VIRTUAL:
		return "NV-SYSREG";
	case PLUMB_SPE_SUB_SVE_SME:
		return "SVE";
	case PLUMB_SPE_SUB_GCS:
		return "GCS";
	default: /* atomic, exclusive, acquire or release: it has columns for these */
		return "";
	}
}

static void put_access(struct buffer *out, const struct plumb_spe_record *record, uint32_t midr)
{
	struct plumb_spe_operation operation =
		plumb_spe_operation(record->op_class, record->operation);

	put_code(out, record, PLUMB_SPE_PC);
	put_level(out, record, PLUMB_SPE_PC);
	put_truth(out, operation.flags & PLUMB_SPE_OP_ATOMIC);
	put_truth(out, operation.flags & PLUMB_SPE_OP_EXCLUSIVE);
	put_truth(out, operation.flags & PLUMB_SPE_OP_ACQUIRE_RELEASE);
	put_text(out, access_subclass(&operation));
	put_number(out, operation.vector_bits);
	put_truth(out, operation.flags & PLUMB_SPE_OP_PREDICATED);
	put_truth(out, operation.flags & PLUMB_SPE_OP_GATHER_SCATTER);
	put_events(out, record);
	put_latencies(out, record);
	put_data(out, record);
	put_number(out, record->counters[PLUMB_SPE_TRANSLATION_LATENCY]);
	put_physical(out, record);
	put_data_source(out, record, midr);
}

static void put_branch(struct buffer *out, const struct plumb_spe_record *record)
{
	struct plumb_spe_operation operation =
		plumb_spe_operation(record->op_class, record->operation);

	put_code(out, record, PLUMB_SPE_PC);
	put_level(out, record, PLUMB_SPE_PC);
	put_truth(out, operation.flags & PLUMB_SPE_OP_CONDITIONAL);
	put_truth(out, operation.subclass == PLUMB_SPE_SUB_INDIRECT);
	put_events(out, record);
	put_latencies(out, record);
	put_code(out, record, PLUMB_SPE_BRANCH_TARGET);
	put_level(out, record, PLUMB_SPE_BRANCH_TARGET);
	put_code(out, record, PLUMB_SPE_PREVIOUS_TARGET);
	put_level(out, record, PLUMB_SPE_PREVIOUS_TARGET);
}

static void put_other(struct buffer *out, const struct plumb_spe_record *record)
{
	struct plumb_spe_operation operation =
		plumb_spe_operation(record->op_class, record->operation);
	bool sve = operation.subclass == PLUMB_SPE_SUB_SVE;

	put_code(out, record, PLUMB_SPE_PC);
	put_level(out, record, PLUMB_SPE_PC);
	put_text(out, sve ? "SVE" : "OTHER");
	put_number(out, sve ? operation.vector_bits : 0);
	put_truth(out, sve && operation.flags & PLUMB_SPE_OP_PREDICATED);
	put_truth(out, sve && operation.flags & PLUMB_SPE_OP_FP);
	put_truth(out, operation.flags & PLUMB_SPE_OP_CONDITIONAL);
	put_events_of_others(out, record);
	put_latencies(out, record);
}

/* ---- Files ---- */

static struct buffer *text_of(struct spe_csv *csv, enum spe_table table)
{
	struct spe_csv_file *file = &csv->files[table];

	if (file->out.stream)
		return &file->text;
	file->path = memory_format("%s-%s.csv", csv->prefix, tables[table].name);
	if (inputs_refuse(file->path)) {
		csv->failed = true;
		return NULL;
	}
	file->out.stream = fopen(file->path, "we");
	if (!file->out.stream) {
		complain("cannot write %s: %s", file->path, strerror(errno));
		csv->failed = true;
		return NULL;
	}
	setvbuf(file->out.stream, NULL, _IONBF, 0);
	buffer_open(&file->text, &file->out);
	buffer_text(&file->text, tables[table].columns);
	return &file->text;
}

bool spe_csv_add(struct spe_csv *csv, const struct plumb_spe_record *record, uint32_t cpu,
		 uint32_t midr)
{
	static const char *const names[SPE_TABLES] = {
		[SPE_TABLE_BRANCHES] = "B",
		[SPE_TABLE_OTHERS] = "OTHER",
	};
	enum spe_table table;
	struct buffer *out;

	if (csv->failed)
		return false;
	/* A record without an operation is in none of the tables. */
	if (!(record->has & PLUMB_SPE_HAS_OPERATION) || record->op_class > PLUMB_SPE_BRANCH)
		return true;
	table = record->op_class == PLUMB_SPE_LOAD_STORE ? SPE_TABLE_ACCESSES
		: record->op_class == PLUMB_SPE_BRANCH   ? SPE_TABLE_BRANCHES
							 : SPE_TABLE_OTHERS;
	out = text_of(csv, table);
	if (!out)
		return false;
	csv->files[table].rows++;
	buffer_decimal(out, cpu, 0);
	put_text(out, table != SPE_TABLE_ACCESSES ? names[table]
		      : record->operation & 1     ? "ST"
						  : "LD");
	if (table == SPE_TABLE_ACCESSES)
		put_access(out, record, midr);
	else if (table == SPE_TABLE_BRANCHES)
		put_branch(out, record);
	else
		put_other(out, record);
	put_end(out, record);
	return !ferror(csv->files[table].out.stream);
}

bool spe_csv_close(struct spe_csv *csv)
{
	for (enum spe_table table = 0; table < SPE_TABLES; table++) {
		struct spe_csv_file *file = &csv->files[table];
		bool wrong;

		if (!file->out.stream)
			continue;
		buffer_close(&file->text);
		wrong = ferror(file->out.stream);
		if (fclose(file->out.stream) != 0 || wrong) {
			complain("cannot write %s: %s", file->path, strerror(errno));
			csv->failed = true;
		}
	}
	for (enum spe_table table = 0; table < SPE_TABLES; table++) {
		struct spe_csv_file *file = &csv->files[table];

		/* Not whole. */
		if (csv->failed && file->out.stream)
			file_remove(file->path);
		free(file->path);
		*file = (struct spe_csv_file){.rows = file->rows};
	}
	return !csv->failed;
}
