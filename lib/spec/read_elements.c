/* SPDX-License-Identifier: Apache-2.0 */
/* Reads events, metrics and groups. */
#include <string.h>

#include "base/quote.h"
#include "spec/check.h"
#include "spec/read_mrs.h"

static const struct member event_members[] = {
	{"code", MEMBER_STRING | MEMBER_REQUIRED},
	{"title", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"accesses", MEMBER_ARRAY | MEMBER_REQUIRED},
	{"architecture_defined", MEMBER_BOOLEAN | MEMBER_REQUIRED},
	{"product_defined", MEMBER_BOOLEAN | MEMBER_REQUIRED},
	{"product_defined_attributes", MEMBER_OBJECT | MEMBER_NULL},
	{"properties", MEMBER_OBJECT | MEMBER_NULL | MEMBER_UNREAD},
	{"system", MEMBER_BOOLEAN},
};

static const struct member private_event_members[] = {
	{"code", MEMBER_STRING | MEMBER_REQUIRED},
};

static const struct member attribute_members[] = {
	{"debug", MEMBER_BOOLEAN | MEMBER_REQUIRED},
};

static const struct member metric_members[] = {
	{"title", MEMBER_STRING | MEMBER_REQUIRED},
	{"formula", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"units", MEMBER_STRING | MEMBER_REQUIRED},
	{"events", MEMBER_ARRAY | MEMBER_REQUIRED},
	{"sample_events", MEMBER_ARRAY | MEMBER_REQUIRED},
};

static const struct member groups_members[] = {
	{"function", MEMBER_OBJECT},
	{"metrics", MEMBER_OBJECT},
};

static const struct member metric_group_members[] = {
	{"title", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"metrics", MEMBER_ARRAY | MEMBER_NULL},
	{"events", MEMBER_ARRAY | MEMBER_NULL | MEMBER_UNREAD},
};

static const struct member functional_group_members[] = {
	{"title", MEMBER_STRING | MEMBER_REQUIRED},
	{"description", MEMBER_STRING | MEMBER_REQUIRED},
	{"events", MEMBER_ARRAY | MEMBER_NULL},
	{"metrics", MEMBER_ARRAY | MEMBER_NULL | MEMBER_UNREAD},
};

static bool read_code(struct reader *reader, const json_t *json, uint16_t *code)
{
	const char *text = json_string_value(json_object_get(json, "code"));
	char quoted[QUOTE_ROOM];
	uint32_t value = 0;
	int err;

	if (!text)
		return false;
	err = strncmp(text, "0x", 2) ? PLUMB_ERR_INVALID : read_digits(text, UINT16_MAX, &value);
	report_enter(&reader->report, "code");
	if (err == PLUMB_ERR_INVALID) {
		report_add(&reader->report, finding_bad_code, "\"%s\" is not a hexadecimal number",
			   quote(quoted, text));
		report_hint(&reader->report, "write it as in \"0x0011\"");
	} else if (err) {
		report_add(&reader->report, finding_code_range, "%s exceeds 16 bits",
			   quote(quoted, text));
	}
	report_leave(&reader->report, 1);
	*code = (uint16_t)value;
	return !err;
}

static bool read_accesses(struct reader *reader, const json_t *json, uint8_t *accesses)
{
	static const char *const names[] = {"PMU", "ETE"};
	const json_t *array = json_object_get(json, "accesses");
	bool good = json_is_array(array);

	report_enter(&reader->report, "accesses");
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *element = json_array_get(array, i);
		const char *name = json_string_value(element);
		char quoted[QUOTE_ROOM];
		unsigned bit = 0;

		report_enter_element(&reader->report, i);
		while (name && bit < COUNT(names) && strcmp(name, names[bit]) != 0)
			bit++;
		if (!name)
			read_wrong_type(reader, element, MEMBER_STRING);
		else if (bit == COUNT(names))
			report_add(&reader->report, finding_unknown_access,
				   "\"%s\" is neither PMU nor ETE", quote(quoted, name));
		else if (*accesses & 1u << bit)
			report_add(&reader->report, finding_duplicate_item, "duplicate item %s",
				   name);
		if (!name || bit == COUNT(names))
			good = false;
		else
			*accesses |= (uint8_t)(1u << bit);
		report_leave(&reader->report, 1);
	}
	report_leave(&reader->report, 1);
	return good;
}

static void read_attributes(struct reader *reader, const json_t *json, struct plumb_event *event)
{
	const json_t *attributes = json_object_get(json, "product_defined_attributes");

	if (!json_is_object(attributes))
		return;
	report_enter(&reader->report, "product_defined_attributes");
	read_members(reader, attributes, attribute_members, COUNT(attribute_members));
	report_leave(&reader->report, 1);
	event->has_attributes = true;
	event->debug = json_is_true(json_object_get(attributes, "debug"));
}

static int read_event(struct reader *reader, const json_t *json, void *element, uint8_t *known)
{
	struct plumb_event *event = element;
	const json_t *by_architecture = json_object_get(json, "architecture_defined");
	const json_t *by_product = json_object_get(json, "product_defined");

	if (json_object_size(json) == 1 && json_object_get(json, "code")) {
		/* The schema's PrivateEvent. */
		read_members(reader, json, private_event_members, COUNT(private_event_members));
		event->title = event->description = "";
		*known = read_code(reader, json, &event->code) ? 0 : KNOWN_CODE;
		return 0;
	}
	read_members(reader, json, event_members, COUNT(event_members));
	if (!read_code(reader, json, &event->code))
		*known |= KNOWN_CODE;
	if (!read_accesses(reader, json, &event->accesses))
		*known |= KNOWN_ACCESSES;
	if (!json_is_boolean(by_architecture) || !json_is_boolean(by_product))
		*known |= KNOWN_DEFINED;
	event->architecture_defined = json_is_true(by_architecture);
	event->product_defined = json_is_true(by_product);
	read_attributes(reader, json, event);
	if (json_is_true(json_object_get(json, "system"))) {
		report_enter(&reader->report, "system");
		report_add(&reader->report, finding_system_event,
			   "a system event, which no counter of a CPU can count");
		report_leave(&reader->report, 1);
	}
	return read_prose(reader, json, &event->title, &event->description);
}

static int read_metric(struct reader *reader, const json_t *json, void *element, uint8_t *known)
{
	struct plumb_metric *metric = element;
	int err;

	read_members(reader, json, metric_members, COUNT(metric_members));
	err = read_prose(reader, json, &metric->title, &metric->description);
	if (!err)
		err = read_text(reader, json, "units", &metric->units);
	if (!err)
		err = read_text(reader, json, "formula", &metric->formula);
	if (!err && !metric->formula) {
		*known |= KNOWN_FORMULA;
		metric->formula = "";
	}
	if (!json_is_array(json_object_get(json, "events")))
		*known |= KNOWN_EVENTS;
	if (!err)
		err = read_list(reader, json, "events", &reader->events, finding_unknown_event,
				&metric->events);
	if (!err)
		err = read_list(reader, json, "sample_events", &reader->events,
				finding_unknown_event, &metric->sample_events);
	return err;
}

static int read_metric_group(struct reader *reader, const json_t *json, void *element,
			     uint8_t *known)
{
	struct plumb_metric_group *group = element;
	int err;

	(void)known;
	read_members(reader, json, metric_group_members, COUNT(metric_group_members));
	err = read_prose(reader, json, &group->title, &group->description);
	return err ? err
		   : read_list(reader, json, "metrics", &reader->metrics, finding_unknown_metric,
			       &group->metrics);
}

static int read_functional_group(struct reader *reader, const json_t *json, void *element,
				 uint8_t *known)
{
	struct plumb_functional_group *group = element;
	int err;

	(void)known;
	read_members(reader, json, functional_group_members, COUNT(functional_group_members));
	err = read_prose(reader, json, &group->title, &group->description);
	return err ? err
		   : read_list(reader, json, "events", &reader->events, finding_unknown_event,
			       &group->events);
}

static int read_groups(struct reader *reader, const json_t *groups)
{
	struct plumb_spec *spec = reader->spec;
	struct section functions;
	int err;

	if (json_is_object(groups))
		read_members(reader, groups, groups_members, COUNT(groups_members));
	report_enter(&reader->report, "metrics");
	err = read_section(reader, json_object_get(groups, "metrics"),
			   sizeof(struct plumb_metric_group), read_metric_group,
			   &reader->metric_groups);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	reader->metric_groups.unknown |= !json_is_object(groups);
	spec->metric_groups = reader->metric_groups.named.elements;
	spec->metric_group_count = reader->metric_groups.named.count;

	report_enter(&reader->report, "function");
	err = read_section(reader, json_object_get(groups, "function"),
			   sizeof(struct plumb_functional_group), read_functional_group,
			   &functions);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	spec->functional_groups = functions.named.elements;
	spec->functional_group_count = functions.named.count;
	return 0;
}

int read_elements(struct reader *reader, const json_t *root)
{
	struct plumb_spec *spec = reader->spec;
	int err;

	report_enter(&reader->report, "events");
	err = read_section(reader, json_object_get(root, "events"), sizeof(struct plumb_event),
			   read_event, &reader->events);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	reader->events.unknown |= !json_object_get(root, "events");
	spec->events = reader->events.named.elements;
	spec->event_count = reader->events.named.count;

	report_enter(&reader->report, "metrics");
	err = read_section(reader, json_object_get(root, "metrics"), sizeof(struct plumb_metric),
			   read_metric, &reader->metrics);
	report_leave(&reader->report, 1);
	if (err)
		return err;
	reader->metrics.unknown |= !json_object_get(root, "metrics");
	spec->metrics = reader->metrics.named.elements;
	spec->metric_count = reader->metrics.named.count;

	report_enter(&reader->report, "groups");
	err = read_groups(reader, json_object_get(root, "groups"));
	report_leave(&reader->report, 1);
	return err;
}
