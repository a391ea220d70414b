/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small machine-readable specification, made by hand, with nothing wrong in it. Tests make
 * something wrong by replacing part of it.
 */
#ifndef TEST_SMALL_JSON_H
#define TEST_SMALL_JSON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const char small_json[] =
"{\n"
"  \"$schema\": \"v1.0.schema.json\",\n"
"  \"document\": {\n"
"    \"timestamp\": \"today\",\n"
"    \"copyright\": \"nobody\",\n"
"    \"confidential\": false,\n"
"    \"quality\": \"Test\",\n"
"    \"license\": \"Apache-2.0\",\n"
"    \"description\": \"a core that nobody built\"\n"
"  },\n"
"  \"product_configuration\": {\n"
"    \"product_name\": \"Small Core 1\",\n"
"    \"part_num\": \"0xd99\",\n"
"    \"major_revision\": \"1\",\n"
"    \"minor_revision\": \"2\",\n"
"    \"implementer\": \"0x41\",\n"
"    \"architecture\": \"armv9.9\",\n"
"    \"pmu_architecture\": \"pmu_v3\",\n"
"    \"num_slots\": 4,\n"
"    \"num_bus_slots\": 999\n"
"  },\n"
"  \"events\": {\n"
"    \"CYCLES\": {\n"
"      \"code\": \"0x0011\",\n"
"      \"title\": \"Cycles\",\n"
"      \"description\": \"Counts cycles.\",\n"
"      \"accesses\": [\"PMU\", \"ETE\"],\n"
"      \"architecture_defined\": true,\n"
"      \"product_defined\": false\n"
"    },\n"
"    \"STALLS\": {\n"
"      \"code\": \"0x24\",\n"
"      \"title\": \"Stalls\",\n"
"      \"description\": \"Counts stalls.\",\n"
"      \"accesses\": [\"PMU\"],\n"
"      \"architecture_defined\": true,\n"
"      \"product_defined\": false\n"
"    },\n"
"    \"OWN\": {\n"
"      \"code\": \"0x0123\",\n"
"      \"title\": \"The core's own\",\n"
"      \"description\": \"Counts what is its own.\",\n"
"      \"accesses\": [\"PMU\"],\n"
"      \"architecture_defined\": false,\n"
"      \"product_defined\": true,\n"
"      \"product_defined_attributes\": {\n"
"        \"debug\": true\n"
"      }\n"
"    },\n"
"    \"TRACED\": {\n"
"      \"code\": \"0x0124\",\n"
"      \"title\": \"Seen by the trace unit alone\",\n"
"      \"description\": \"Counts what is traced.\",\n"
"      \"accesses\": [\"ETE\"],\n"
"      \"architecture_defined\": true,\n"
"      \"product_defined\": false\n"
"    }\n"
"  },\n"
"  \"metrics\": {\n"
"    \"bound\": {\n"
"      \"title\": \"Bound\",\n"
"      \"formula\": \"STALLS / CYCLES * 100\",\n"
"      \"description\": \"How much is stalled.\",\n"
"      \"units\": \"percent of cycles\",\n"
"      \"events\": [\"STALLS\", \"CYCLES\"],\n"
"      \"sample_events\": [\"STALLS\"]\n"
"    },\n"
"    \"own_rate\": {\n"
"      \"title\": \"Own Rate\",\n"
"      \"formula\": \"OWN / CYCLES\",\n"
"      \"description\": \"How much is its own.\",\n"
"      \"units\": \"per cycle\",\n"
"      \"events\": [\"OWN\", \"CYCLES\"],\n"
"      \"sample_events\": []\n"
"    },\n"
"    \"other_rate\": {\n"
"      \"title\": \"Other Rate\",\n"
"      \"formula\": \"1 - OWN / CYCLES\",\n"
"      \"description\": \"How much is not its own.\",\n"
"      \"units\": \"per cycle\",\n"
"      \"events\": [\"OWN\", \"CYCLES\"],\n"
"      \"sample_events\": []\n"
"    }\n"
"  },\n"
"  \"groups\": {\n"
"    \"function\": {\n"
"      \"All\": {\n"
"        \"title\": \"All\",\n"
"        \"description\": \"All there is.\",\n"
"        \"events\": [\"CYCLES\", \"STALLS\", \"OWN\"]\n"
"      }\n"
"    },\n"
"    \"metrics\": {\n"
"      \"First\": {\n"
"        \"title\": \"First\",\n"
"        \"description\": \"Look here first.\",\n"
"        \"metrics\": [\"bound\"]\n"
"      },\n"
"      \"Rates\": {\n"
"        \"title\": \"Rates\",\n"
"        \"description\": \"Then look here.\",\n"
"        \"metrics\": [\"own_rate\", \"other_rate\"]\n"
"      }\n"
"    }\n"
"  },\n"
"  \"methodologies\": {\n"
"    \"topdown\": {\n"
"      \"title\": \"Top-down\",\n"
"      \"description\": \"From the top down.\",\n"
"      \"metric_grouping\": {\n"
"        \"stage_1\": [\"First\"],\n"
"        \"stage_2\": [\"Rates\"]\n"
"      },\n"
"      \"decision_tree\": {\n"
"        \"root_nodes\": [\"bound\"],\n"
"        \"metrics\": [\n"
"          {\n"
"            \"name\": \"bound\",\n"
"            \"group\": \"First\",\n"
"            \"next_items\": [\"own_rate\", \"Rates\"],\n"
"            \"sample_events\": [\"STALLS\"]\n"
"          },\n"
"          {\n"
"            \"name\": \"own_rate\",\n"
"            \"group\": \"Rates\",\n"
"            \"next_items\": [\"other_rate\"],\n"
"            \"sample_events\": []\n"
"          }\n"
"        ]\n"
"      }\n"
"    }\n"
"  }\n"
"}\n";
/* clang-format on */

/* `text` with the first `old` in it replaced, which must be there; to be freed. */
static inline char *replace_first(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *out = malloc(strlen(text) + strlen(new) + 1);

	if (!at || !out)
		abort();
	sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	return out;
}

/* The same for each pair of old and new in turn. */
static inline char *replace_each(const char *text, const char *const edits[][2], size_t count)
{
	char *edited = replace_first(text, "", "");

	for (size_t i = 0; i < count; i++) {
		char *next = replace_first(edited, edits[i][0], edits[i][1]);

		free(edited);
		edited = next;
	}
	return edited;
}

/* The line, from 1, on which the first `what` in `text` begins; 0 if it is not there. */
static inline unsigned line_of(const char *text, const char *what)
{
	const char *at = strstr(text, what);
	unsigned line = 1;

	if (!at)
		return 0;
	for (const char *c = text; c < at; c++)
		line += *c == '\n';
	return line;
}

#endif
