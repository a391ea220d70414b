/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one of Arm's machine-readable CPU specifications. This file reads the text, checks its
 * kind, and reads the document and the product; other files read the rest.
 *
 * Reading continues after an error, so that everything wrong is reported at once. At the end, a
 * specification with errors is rejected.
 */
#include "spec/read_mrs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "spec/check.h"

/* A specification read from a file, with the memory it owns. */
struct spec_owner {
	struct plumb_spec spec; /* must be first: callers hold a pointer to it */
	struct arena arena;
};

static const struct member root_members[] = {
	{"$schema", MEMBER_STRING},
	{"_type", MEMBER_STRING},
	{"document", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"product_configuration", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"events", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"metrics", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"groups", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"methodologies", MEMBER_OBJECT | MEMBER_REQUIRED},
	{"instances", MEMBER_OBJECT | MEMBER_NULL | MEMBER_UNREAD},
};

static const struct member document_members[] = {
	{"timestamp", MEMBER_STRING | MEMBER_REQUIRED},
	{"copyright", MEMBER_STRING | MEMBER_REQUIRED},
	{"confidential", MEMBER_BOOLEAN | MEMBER_REQUIRED},
	{"quality", MEMBER_STRING | MEMBER_REQUIRED},
	{"license", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"revision", MEMBER_STRING | MEMBER_NULL},
	{"sha1", MEMBER_STRING | MEMBER_NULL},
};

/* The members of Arm's CPU files, which the schema leaves open, and Plumb's num_counters. */
static const struct member product_members[] = {
	{"product_name", MEMBER_STRING | MEMBER_REQUIRED},
	{"part_num", MEMBER_STRING | MEMBER_REQUIRED},
	{"major_revision", MEMBER_STRING | MEMBER_REQUIRED},
	{"minor_revision", MEMBER_STRING | MEMBER_REQUIRED},
	{"implementer", MEMBER_STRING | MEMBER_REQUIRED},
	{"architecture", MEMBER_STRING | MEMBER_REQUIRED},
	{"pmu_architecture", MEMBER_STRING | MEMBER_REQUIRED},
	{"num_slots", MEMBER_INTEGER},
	{"num_bus_slots", MEMBER_INTEGER},
	{"num_counters", MEMBER_INTEGER},
};

/* Members diagnostics only in specifications of interconnects (schema v1.2). */
static const char *const mesh_members[] = {"components",
					   "filter_specification",
					   "watchpoint_definition",
					   "watchpoints",
					   "payload_config",
					   "registers",
					   "event_code_payload_map"};

static int read_document(struct reader *reader, const json_t *json)
{
	struct plumb_document *document = &reader->spec->document;
	const struct {
		const char *name;
		const char **text;
	} texts[] = {
		{"timestamp", &document->timestamp},
		{"copyright", &document->copyright},
		{"quality", &document->quality},
		{"license", &document->license},
		{"description", &document->description},
		{"revision", &document->revision},
		{"sha1", &document->sha1},
	};
	int err = 0;

	if (!json_is_object(json))
		return 0;
	report_enter(&reader->report, "document");
	read_members(reader, json, document_members, COUNT(document_members));
	report_leave(&reader->report, 1);
	document->confidential = json_is_true(json_object_get(json, "confidential"));
	for (size_t i = 0; !err && i < COUNT(texts); i++)
		err = read_text(reader, json, texts[i].name, texts[i].text);
	return err;
}

/* Reads a number in a string, such as "0xd49" or "3"; 0 if there is none. */
static uint32_t read_number_text(struct reader *reader, const json_t *json, const char *name,
				 uint32_t most)
{
	const char *text = json_string_value(json_object_get(json, name));
	char quoted[QUOTE_ROOM];
	uint32_t value = 0;
	int err;

	if (!text)
		return 0;
	err = read_digits(text, most, &value);
	if (!err)
		return value;
	report_enter(&reader->report, name);
	if (err == PLUMB_ERR_INVALID)
		report_add(&reader->report, finding_bad_number, "\"%s\" is not a number",
			   quote(quoted, text));
	else
		report_add(&reader->report, finding_number_range,
			   "%s is too large: the maximum "
			   "is %u",
			   quote(quoted, text), most);
	report_leave(&reader->report, 1);
	return 0;
}

static uint16_t read_integer(struct reader *reader, const json_t *json, const char *name,
			     uint16_t most)
{
	json_int_t value = json_integer_value(json_object_get(json, name));

	if (value >= 0 && value <= most)
		return (uint16_t)value;
	report_enter(&reader->report, name);
	report_add(&reader->report, finding_number_range,
		   "%lld is out of range: it must be 0 to "
		   "%u",
		   (long long)value, most);
	report_leave(&reader->report, 1);
	return 0;
}

/* Makes an id: "neoverse-n2-r0p3" for "Neoverse N2" with revisions 0 and 3. */
static const char *make_id(struct arena *arena, const struct plumb_product *product)
{
	size_t length = product->name ? strlen(product->name) : 0, at = 0;
	char *id = arena_alloc(arena, length + sizeof("-r15p15"));

	if (!id)
		return NULL;
	for (size_t i = 0; i < length; i++) {
		char c = text_lower(product->name[i]);

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			id[at++] = c;
		else if (at && id[at - 1] != '-')
			id[at++] = '-';
	}
	if (at && id[at - 1] == '-')
		at--;
	sprintf(id + at, "-r%up%u", product->major_revision & 0xfu, product->minor_revision & 0xfu);
	return id;
}

static int read_product(struct reader *reader, const json_t *json)
{
	struct plumb_product *product = &reader->spec->product;
	int err;

	if (!json_is_object(json))
		return 0;
	report_enter(&reader->report, "product_configuration");
	read_members(reader, json, product_members, COUNT(product_members));
	product->implementer = (uint8_t)read_number_text(reader, json, "implementer", 0xff);
	product->part = (uint16_t)read_number_text(reader, json, "part_num", 0xfff);
	product->major_revision = (uint8_t)read_number_text(reader, json, "major_revision", 0xf);
	product->minor_revision = (uint8_t)read_number_text(reader, json, "minor_revision", 0xf);
	product->slots = read_integer(reader, json, "num_slots", UINT16_MAX);
	product->bus_slots = read_integer(reader, json, "num_bus_slots", UINT16_MAX);
	product->counters = (uint8_t)read_integer(reader, json, "num_counters", UINT8_MAX);
	report_leave(&reader->report, 1);
	err = read_text(reader, json, "product_name", &product->name);
	if (!err)
		err = read_text(reader, json, "architecture", &product->architecture);
	if (!err)
		err = read_text(reader, json, "pmu_architecture", &product->pmu_architecture);
	if (err)
		return err;
	reader->spec->id = make_id(reader->arena, product);
	return reader->spec->id ? 0 : PLUMB_ERR_NO_MEMORY;
}

/* Whether this is the specification of a CPU. If not, reports only that. */
static bool check_kind(struct reader *reader, const json_t *root)
{
	struct report *report = &reader->report;
	const json_t *product = json_object_get(root, "product_configuration");
	const char *name = json_string_value(json_object_get(product, "product_name"));
	unsigned members = 0;
	char quoted[QUOTE_ROOM];
	bool mesh = false;

	for (size_t i = 0; i < COUNT(mesh_members); i++)
		mesh |= json_object_get(root, mesh_members[i]) != NULL;
	if (mesh) {
		report_as(report, PLUMB_ERR_UNSUPPORTED, finding_not_cpu,
			  "not a CPU specification: %s describes an interconnect",
			  name ? quote(quoted, name) : "it");
		report_hint(report, "only CPU specifications are supported");
		return false;
	}
	for (size_t i = 0; i < COUNT(root_members); i++)
		members += root_members[i].rule & MEMBER_REQUIRED &&
			   json_object_get(root, root_members[i].name);
	if (members)
		return true;
	report_add(report, finding_not_specification,
		   "not a telemetry specification: all its sections are missing");
	report_hint(report, "use one of Arm's files named after a CPU, such as "
			    "neoverse_n2_r0p3_pmu.json");
	return false;
}

/* The schema's name is informative only, but a different one may mean a different format. */
static void check_schema(struct reader *reader, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "$schema"));
	const char *type = json_string_value(json_object_get(root, "_type"));
	char quoted[QUOTE_ROOM];

	if (schema && strcmp(schema, "v1.0.schema.json") != 0) {
		report_enter(&reader->report, "$schema");
		report_add(&reader->report, finding_unknown_schema,
			   "unknown schema \"%s\": expected v1.0.schema.json",
			   quote(quoted, schema));
		report_leave(&reader->report, 1);
	}
	if (type && strcmp(type, "PMU_Specification") != 0) {
		report_enter(&reader->report, "_type");
		report_add(&reader->report, finding_unknown_schema,
			   "unknown type \"%s\": expected PMU_Specification", quote(quoted, type));
		report_leave(&reader->report, 1);
	}
}

static int read_root(struct reader *reader, const json_t *root)
{
	const json_t *product = json_object_get(root, "product_configuration");
	int err;

	if (!check_kind(reader, root))
		return 0;
	err = report_duplicate_keys(&reader->report);
	read_members(reader, root, root_members, COUNT(root_members));
	check_schema(reader, root);
	if (!err)
		err = read_document(reader, json_object_get(root, "document"));
	if (!err)
		err = read_product(reader, product);
	if (!err)
		err = read_elements(reader, root);
	if (!err)
		err = read_methodologies(reader, root);
	if (!err)
		err = spec_index(reader->spec, reader->arena);
	if (!err) {
		struct check_known known = {reader->events.known, reader->metrics.known};

		err = check_spec(reader->spec, &reader->report, &known);
	}
	return err;
}

static void report_too_large(struct report *report)
{
	report_at(report, PLUMB_ERR_LIMIT, finding_too_large, 0, 0,
		  "larger than the limit of %u MiB", PLUMB_SPEC_MAX_BYTES >> 20);
}

static bool is_blank(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && text[i] && strchr(" \t\r\n", text[i]))
		i++;
	return i == size;
}

/* Reports jansson's error and its place. */
static int report_json_error(struct report *report, const char *text, size_t size,
			     const json_error_t *error)
{
	size_t at = error->position > 0 ? (size_t)error->position : 0, line_start;
	enum finding_kind kind = finding_bad_json;
	char quoted[QUOTE_ROOM];

	/*
	 * When out of memory, jansson (2.14) may give no message, or report malformed text
	 * instead.
	 */
	if (json_error_code(error) == json_error_out_of_memory || !error->text[0])
		return PLUMB_ERR_NO_MEMORY;
	if (json_error_code(error) == json_error_invalid_utf8)
		kind = finding_bad_utf8;
	if (at > size)
		at = size;
	for (line_start = at; line_start > 0 && text[line_start - 1] != '\n';)
		line_start--;
	report_at(report, PLUMB_ERR_SYNTAX, kind, (unsigned)error->line,
		  (unsigned)(at - line_start) + 1, "invalid JSON: %s", quote(quoted, error->text));
	if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2) ||
			  (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))))
		report_hint(report, "save it as UTF-8 without a byte order mark");
	return 0;
}

/*
 * Maps the text, then parses it. The map comes first since it rejects text that would take a parser
 * too much memory. If it has reported an error, returns 0 and sets `*root` to NULL.
 */
static int parse(struct report *report, const char *text, size_t size, struct json_keys *keys,
		 json_t **root)
{
	json_error_t error;
	int err = json_keys_scan(text, size, keys);

	*root = NULL;
	if (err == PLUMB_ERR_NO_MEMORY)
		return err;
	if (err == PLUMB_ERR_LIMIT) {
		if (keys->depth == JSON_KEYS_MAX_DEPTH)
			report_at(report, err, finding_too_deep, keys->line, keys->column,
				  "nested more than %d levels deep", JSON_KEYS_MAX_DEPTH);
		else
			report_at(report, err, finding_too_large, keys->line, keys->column,
				  "more than %u values", JSON_KEYS_MAX_VALUES);
		return 0;
	}
	if (is_blank(text, size)) {
		report_at(report, PLUMB_ERR_SYNTAX, finding_empty_file, 0, 0, "the file is empty");
		return 0;
	}
	*root = json_loadb(text, size, 0, &error);
	if (!*root)
		return report_json_error(report, text, size, &error);
	if (err) {
		/* Both should fail or neither. If only the map fails, places are unknown. */
		report_at(report, err, finding_bad_json, keys->line, keys->column, "invalid JSON");
		json_decref(*root);
		*root = NULL;
	}
	return 0;
}

static int read_specification(const char *text, size_t size, struct spec_owner *owner,
			      struct report *report)
{
	struct json_keys keys;
	struct reader reader = {.spec = &owner->spec, .arena = &owner->arena};
	json_t *root;
	int err = parse(report, text, size, &keys, &root);

	if (root) {
		reader.report = *report;
		reader.report.keys = &keys;
		err = read_root(&reader, root);
		report->errors = reader.report.errors;
		report->result = reader.report.result;
		arena_free(&reader.scratch);
		json_decref(root);
	}
	json_keys_free(&keys);
	return err;
}

int spec_read_memory(const void *bytes, size_t size, const char *name, struct plumb_spec **spec,
		     struct plumb_diagnostics *diagnostics)
{
	struct report report = {.diagnostics = diagnostics, .file = name};
	struct spec_owner *owner;
	int err;

	*spec = NULL;
	if (size > PLUMB_SPEC_MAX_BYTES) {
		report_too_large(&report);
		return report.result;
	}
	owner = calloc(1, sizeof(*owner));
	if (!owner)
		return PLUMB_ERR_NO_MEMORY;
	owner->spec.file = name ? arena_strdup(&owner->arena, name) : NULL;
	err = name && !owner->spec.file ? PLUMB_ERR_NO_MEMORY
					: read_specification(bytes, size, owner, &report);
	if (!err)
		err = report.result;
	if (err)
		plumb_spec_free(&owner->spec);
	else
		*spec = &owner->spec;
	return err;
}

int plumb_spec_read_file(const char *path, struct plumb_spec **spec,
			 struct plumb_diagnostics *diagnostics)
{
	struct report report = {.diagnostics = diagnostics, .file = path};
	char *bytes;
	size_t size;
	int err = file_read(path, PLUMB_SPEC_MAX_BYTES, &bytes, &size);

	*spec = NULL;
	if (err == PLUMB_ERR_LIMIT)
		report_too_large(&report);
	else if (err == PLUMB_ERR_IO)
		report_at(&report, err, finding_cannot_read, 0, 0, "%s", strerror(errno));
	if (err)
		return err;
	err = spec_read_memory(bytes, size, path, spec, diagnostics);
	free(bytes);
	return err;
}

void plumb_spec_free(struct plumb_spec *spec)
{
	struct spec_owner *owner = (struct spec_owner *)spec;

	if (!owner)
		return;
	arena_free(&owner->arena);
	free(owner);
}
