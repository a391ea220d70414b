/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/core_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/quote.h"

#define CORE_FILE_MAX (1u << 20) /* bytes */
#define NAME_ROOM     120        /* of a parameter, with all its parts */

struct reader {
	const char *path;
	struct core_file *file;
	struct plumb_diagnostics *diagnostics;
	int error;
};

static void refuse(struct reader *reader, int error, const char *id, const char *name,
		   const char *why)
{
	char quoted[QUOTE_ROOM];

	diagnostics_add(reader->diagnostics, PLUMB_ERROR, id, &(struct place){.file = reader->path},
			"%s: %s", quote(quoted, name), why);
	if (!reader->error)
		reader->error = error;
}

/* Refuses members that mean nothing here: they are misspelt, or what they say would not count. */
static void check_members(struct reader *reader, const char *of, json_t *object,
			  const char *const *known)
{
	const char *key;
	json_t *member;

	json_object_foreach(object, key, member)
	{
		char name[2 * NAME_ROOM];
		size_t i = 0;

		while (known[i] && strcmp(known[i], key) != 0)
			i++;
		if (known[i])
			continue;
		snprintf(name, sizeof(name), "%s%s%s", of, *of ? "." : "", key);
		refuse(reader, PLUMB_ERR_INVALID, "unknown-member", name, "unknown member");
	}
}

static const char *const figure_members[] = {"value", "source", "interval", NULL};

/* Returns the member `key` of the file, or NULL if there is none. */
static json_t *part(struct reader *reader, json_t *root, const char *key, json_type type)
{
	json_t *member = json_object_get(root, key);

	if (!member || json_typeof(member) == type)
		return member;
	refuse(reader, PLUMB_ERR_INVALID, "bad-member", key,
	       type == JSON_ARRAY ? "not an array" : "not an object");
	return NULL;
}

static void add_change(struct reader *reader, const char *name, const json_t *value)
{
	struct core_file *file = reader->file;
	struct core_change changes[CORE_CHANGE_PARTS];
	struct core_range range;
	enum core_change_error error;
	unsigned count;
	char why[80];

	if (!json_is_number(value)) {
		refuse(reader, PLUMB_ERR_INVALID, "bad-figure", name, "not a number");
		return;
	}
	error = core_change_find(file->base, name, json_number_value(value), changes, &count,
				 &range);
	if (error == CORE_CHANGE_UNKNOWN) {
		refuse(reader, PLUMB_ERR_INVALID, "unknown-figure", name,
		       "not a figure that a core file can change");
	} else if (error == CORE_CHANGE_RANGE) {
		snprintf(why, sizeof(why), "%.10g is out of range, which is %.10g to %.10g",
			 json_number_value(value), range.least, range.most);
		refuse(reader, PLUMB_ERR_INVALID, "bad-figure", name, why);
	} else if (error == CORE_CHANGE_WHOLE) {
		refuse(reader, PLUMB_ERR_INVALID, "bad-figure", name, "not a whole number");
	} else if (file->change_count + count > CORE_CHANGES_MAX) {
		refuse(reader, PLUMB_ERR_LIMIT, "too-many-figures", name, "too many figures");
	} else {
		memcpy(file->changes + file->change_count, changes, count * sizeof(*changes));
		file->change_count += count;
	}
}

/* Reads the figures in an object, and in the objects in it; of those one level is enough. */
static void read_figures(struct reader *reader, const char *prefix, json_t *object, bool inner)
{
	const char *key;
	json_t *member;

	json_object_foreach(object, key, member)
	{
		json_t *value = json_object_get(member, "value");
		char name[NAME_ROOM], inner_prefix[NAME_ROOM + 1];

		if (snprintf(name, sizeof(name), "%s%s", prefix, key) >= (int)sizeof(name)) {
			refuse(reader, PLUMB_ERR_INVALID, "unknown-figure", name,
			       "the name is too long");
		} else if (value) {
			check_members(reader, name, member, figure_members);
			add_change(reader, name, value);
		} else if (json_is_object(member) && !inner) {
			snprintf(inner_prefix, sizeof(inner_prefix), "%s.", name);
			read_figures(reader, inner_prefix, member, true);
		} else {
			refuse(reader, PLUMB_ERR_INVALID, "bad-figure", name,
			       "not an object with a value");
		}
	}
}

static void read_queues(struct reader *reader, const json_t *queues)
{
	static const char *const known[] = {"name", "entries", NULL};
	json_t *queue;
	size_t i;

	json_array_foreach(queues, i, queue)
	{
		const char *of = json_string_value(json_object_get(queue, "name"));
		char name[NAME_ROOM];

		snprintf(name, sizeof(name), "queues.%.40s", of ? of : "");
		check_members(reader, name, queue, known);
		snprintf(name, sizeof(name), "queues.%.40s.entries", of ? of : "");
		check_members(reader, name, json_object_get(queue, "entries"), figure_members);
		add_change(reader, name,
			   json_object_get(json_object_get(queue, "entries"), "value"));
	}
}

static void read_classes(struct reader *reader, json_t *classes)
{
	static const char *const known[] = {"latency", "source", "interval", NULL};
	const char *key;
	json_t *class;

	json_object_foreach(classes, key, class)
	{
		char name[NAME_ROOM];

		snprintf(name, sizeof(name), "classes.%.80s", key);
		check_members(reader, name, class, known);
		snprintf(name, sizeof(name), "classes.%.80s.latency", key);
		add_change(reader, name, json_object_get(class, "latency"));
	}
}

/* Warns of sizes that the model cannot have, unless the core that the file is like has them, too.
 */
static void warn_of_sizes(struct reader *reader, const struct core_params *changed)
{
	struct core_size size, before;
	char quoted[QUOTE_ROOM];

	for (unsigned i = 0; core_change_size(changed, i, &size); i++) {
		core_change_size(reader->file->base, i, &before);
		if (size.given == size.used ||
		    (size.given == before.given && size.used == before.used))
			continue;
		diagnostics_add(reader->diagnostics, PLUMB_WARNING, "rounded-figure",
				&(struct place){.file = reader->path},
				"%s: %u is rounded down to %u: the model has whole sets%s",
				quote(quoted, size.name), size.given, size.used,
				strstr(size.name, ".bytes") ? "" : ", a power of two of them");
	}
}

static void read_root(struct reader *reader, json_t *root)
{
	/* As "plumb calibrate --json" has them, too. */
	static const char *const known[] = {"plumb",  "name",    "like",    "sources", "core",
					    "queues", "classes", "unknown", NULL};
	const char *like = json_string_value(json_object_get(root, "like"));
	struct core_params changed;
	const char *refusal;

	reader->file->base = like ? model_core_find(like) : NULL;
	if (!like) {
		refuse(reader, PLUMB_ERR_INVALID, "no-core", "like",
		       "the file does not say which core it is like");
		return;
	}
	if (!reader->file->base) {
		refuse(reader, PLUMB_ERR_NOT_FOUND, "no-core", like, "the model has no such core");
		return;
	}
	check_members(reader, "", root, known);
	read_figures(reader, "", part(reader, root, "core", JSON_OBJECT), false);
	read_queues(reader, part(reader, root, "queues", JSON_ARRAY));
	read_classes(reader, part(reader, root, "classes", JSON_OBJECT));
	changed = *reader->file->base;
	core_change_apply(&changed, reader->file->changes, reader->file->change_count);
	refusal = reader->error ? NULL : core_change_refusal(&changed);
	if (refusal)
		refuse(reader, PLUMB_ERR_INVALID, "bad-figure", "core", refusal);
	if (!reader->error)
		warn_of_sizes(reader, &changed);
}

int core_file_read(const char *path, struct core_file *file, struct plumb_diagnostics *diagnostics)
{
	struct reader reader = {.path = path, .file = file, .diagnostics = diagnostics};
	const struct place place = {.file = path};
	json_error_t bad;
	json_t *root;
	char *text;
	size_t size;
	int error = file_read(path, CORE_FILE_MAX, &text, &size);

	memset(file, 0, sizeof(*file));
	if (error) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "core-file", &place, "%s",
				error == PLUMB_ERR_IO ? strerror(errno) : plumb_error_name(error));
		return error;
	}
	root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &bad);
	free(text);
	if (!root) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "bad-json",
				&(struct place){.file = path, .line = (unsigned)bad.line}, "%s",
				bad.text);
		return PLUMB_ERR_SYNTAX;
	}
	read_root(&reader, root);
	json_decref(root);
	return reader.error;
}
