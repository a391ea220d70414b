/* SPDX-License-Identifier: Apache-2.0 */
/* Reads findings from JSON, which is not trusted: anyone may have sent the folder. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "profile/findings.h"
#include "profile/findings_json.h"

#define PATH_ROOM    160
#define WORDS_MAX    4096 /* of a command */
#define WARNINGS_MAX 1000
#define SHARE_MAX    100.5 /* percent: sums of rounded numbers */
#define SLOTS_MAX    200.0
#define SECONDS_MAX  1e12

const char *const findings_verdicts[] = {
	[PLUMB_VERDICT_UNKNOWN] = "unknown",
	[PLUMB_VERDICT_LOSS] = "loss",
	[PLUMB_VERDICT_WORK] = "work",
	[PLUMB_VERDICT_SPREAD] = "spread",
	NULL,
};

const char *const findings_views[] = {
	[PLUMB_VIEW_NONE] = "none",
	[PLUMB_VIEW_SAMPLES] = "samples",
	[PLUMB_VIEW_FUNCTION] = "function",
	[PLUMB_VIEW_SHARING] = "sharing",
	NULL,
};

struct reader {
	struct findings *made;
	const char *file;
	struct plumb_diagnostics *diagnostics;
	int error; /* the first */
};

/* A value and where it is: "/findings/0/slots". */
struct node {
	const json_t *value;
	char path[PATH_ROOM];
};

static void refuse(struct reader *r, const struct node *node, const char *id, const char *why, ...)
	PLUMB_PRINTF(4, 5);

static void refuse(struct reader *r, const struct node *node, const char *id, const char *why, ...)
{
	const struct place where = {.file = r->file, .path = node->path};
	va_list args;

	va_start(args, why);
	diagnostics_vadd(r->diagnostics, PLUMB_ERROR, id, &where, why, args);
	va_end(args);
	if (!r->error)
		r->error = PLUMB_ERR_INVALID;
}

static struct node member(const struct node *of, const char *key)
{
	struct node node = {.value = json_object_get(of->value, key)};

	snprintf(node.path, sizeof(node.path), "%.120s/%s", of->path, key);
	return node;
}

static struct node element(const struct node *of, size_t i)
{
	struct node node = {.value = json_array_get(of->value, i)};

	snprintf(node.path, sizeof(node.path), "%.120s/%zu", of->path, i);
	return node;
}

/* Returns whether a member is there and not null; refuses it if it is missing, but `needed`. */
static bool is_given(struct reader *r, const struct node *node, bool needed)
{
	if (node->value && !json_is_null(node->value))
		return true;
	if (needed)
		refuse(r, node, "missing-member", "missing member");
	return false;
}

static const char *read_text(struct reader *r, const struct node *of, const char *key, bool needed)
{
	const struct node node = member(of, key);

	if (!is_given(r, &node, needed))
		return needed ? "" : NULL;
	if (!json_is_string(node.value)) {
		refuse(r, &node, "bad-member", "not a string");
		return needed ? "" : NULL;
	}
	return findings_copy(r->made, json_string_value(node.value));
}

/* Reads a number from `least` to `most`; NaN if it is null or missing. */
static double read_number(struct reader *r, const struct node *node, double least, double most)
{
	double value;

	if (!node->value || json_is_null(node->value))
		return NAN;
	value = json_number_value(node->value);
	if (!json_is_number(node->value))
		refuse(r, node, "bad-member", "not a number");
	else if (!(value >= least && value <= most))
		refuse(r, node, "bad-number", "%g is out of range, which is %g to %g", value, least,
		       most);
	else
		return value;
	return NAN;
}

static double read_share(struct reader *r, const struct node *of, const char *key, double most)
{
	const struct node node = member(of, key);
	double value;

	if (!is_given(r, &node, true))
		return 0;
	value = read_number(r, &node, 0, most);
	return isnan(value) ? 0 : value;
}

/* Reads a whole number up to `most`; 0 if it is missing. */
static uint64_t read_whole(struct reader *r, const struct node *of, const char *key, int64_t most)
{
	const struct node node = member(of, key);

	if (!is_given(r, &node, false))
		return 0;
	if (!json_is_integer(node.value)) {
		refuse(r, &node, "bad-member", "not a whole number");
	} else if (json_integer_value(node.value) < 0 || json_integer_value(node.value) > most) {
		refuse(r, &node, "bad-number", "%lld is out of range, which is 0 to %lld",
		       (long long)json_integer_value(node.value), (long long)most);
	} else {
		return (uint64_t)json_integer_value(node.value);
	}
	return 0;
}

static bool read_flag(struct reader *r, const struct node *of, const char *key)
{
	const struct node node = member(of, key);

	if (is_given(r, &node, true) && !json_is_boolean(node.value))
		refuse(r, &node, "bad-member", "not true or false");
	return json_is_true(node.value);
}

/* Returns how many elements an array has; 0 if it is none, or has more than `most`. */
static size_t array_size(struct reader *r, const struct node *node, size_t most)
{
	if (!is_given(r, node, true))
		return 0;
	if (!json_is_array(node->value)) {
		refuse(r, node, "bad-member", "not an array");
	} else if (json_array_size(node->value) > most) {
		refuse(r, node, "too-many", "%zu elements, at most %zu are supported",
		       json_array_size(node->value), most);
	} else {
		return json_array_size(node->value);
	}
	return 0;
}

static const char *const *read_list(struct reader *r, const struct node *of, const char *key,
				    size_t most)
{
	const struct node node = member(of, key);
	const size_t count = array_size(r, &node, most);
	const char **texts = calloc(count + 1, sizeof(*texts));
	const char *const *copy;

	if (!texts) {
		r->made->error = PLUMB_ERR_NO_MEMORY;
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		const struct node text = element(&node, i);

		texts[i] = json_string_value(text.value);
		if (!texts[i]) {
			refuse(r, &text, "bad-member", "not a string");
			texts[i] = "";
		}
	}
	copy = findings_copy_list(r->made, texts);
	free(texts);
	return copy;
}

static void read_place(struct reader *r, const struct node *node, struct plumb_finding_place *place)
{
	const struct node interval = member(node, "interval");

	if (!json_is_object(node->value)) {
		refuse(r, node, "bad-member", "not an object");
		return;
	}
	place->name = read_text(r, node, "name", true);
	place->file = read_text(r, node, "file", false);
	place->line = (unsigned)read_whole(r, node, "line", INT32_MAX);
	place->text = read_text(r, node, "text", false);
	place->bytes = read_whole(r, node, "bytes", INT64_MAX);
	place->samples = read_whole(r, node, "samples", INT64_MAX);
	place->share = read_share(r, node, "share", SHARE_MAX);
	place->low = place->high = NAN;
	if (interval.value && !json_is_null(interval.value) && array_size(r, &interval, 2) == 2) {
		const struct node low = element(&interval, 0), high = element(&interval, 1);

		place->low = read_number(r, &low, 0, SHARE_MAX);
		place->high = read_number(r, &high, 0, SHARE_MAX);
		if (isnan(place->low) || isnan(place->high))
			place->low = place->high = NAN;
	}
}

static void read_places(struct reader *r, const struct node *of, const char *key,
			struct plumb_finding_places *places)
{
	const struct node node = member(of, key);
	const struct node at = member(&node, "places");
	size_t count;

	if (!is_given(r, &node, true))
		return;
	if (!json_is_object(node.value)) {
		refuse(r, &node, "bad-member", "not an object");
		return;
	}
	places->basis = read_text(r, &node, "basis", false);
	places->exact = read_flag(r, &node, "exact");
	places->samples = read_whole(r, &node, "samples", INT64_MAX);
	count = array_size(r, &at, PLUMB_PLACES_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct node place = element(&at, i);

		read_place(r, &place, &places->at[places->count++]);
	}
}

/* Returns the number of one of `names`, which end with NULL; 0 with an error if it is none. */
static unsigned read_name(struct reader *r, const struct node *of, const char *key,
			  const char *const *names)
{
	const struct node node = member(of, key);
	const char *name = json_string_value(node.value);

	if (!is_given(r, &node, true))
		return 0;
	for (unsigned i = 0; name && names[i]; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	if (name)
		refuse(r, &node, "bad-member", "unknown name \"%.40s\"", name);
	else
		refuse(r, &node, "bad-member", "not a string");
	return 0;
}

/* Reads the ranges of time, of which each begins after the one before it. */
static void read_ranges(struct reader *r, const struct node *of, struct plumb_finding_when *when)
{
	const struct node node = member(of, "ranges");
	const size_t count = array_size(r, &node, PLUMB_RANGES_MAX);
	double last = 0;

	when->range_count = (unsigned)read_whole(r, of, "range_count", INT32_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct node range = element(&node, i);
		const struct node from = element(&range, 0), to = element(&range, 1);

		if (array_size(r, &range, 2) != 2) {
			refuse(r, &range, "bad-member", "not two numbers");
			return;
		}
		when->ranges[i].from = read_number(r, &from, last, SECONDS_MAX);
		when->ranges[i].to = read_number(r, &to, last, SECONDS_MAX);
		if (!(when->ranges[i].to > when->ranges[i].from)) {
			refuse(r, &range, "bad-number", "ends before it begins");
			return;
		}
		last = when->ranges[i].to;
	}
	if (count != (when->range_count < PLUMB_RANGES_MAX ? when->range_count : PLUMB_RANGES_MAX))
		refuse(r, &node, "bad-number", "%zu ranges, not as range_count says", count);
	else if (when->throughout != !count)
		refuse(r, &node, "bad-member", "must be empty if, and only if, it is throughout");
}

/* Older files have none. */
static void read_when(struct reader *r, const struct node *of, struct plumb_finding_when *when)
{
	const struct node node = member(of, "when"), elsewhere = member(&node, "elsewhere");

	if (!is_given(r, &node, false))
		return;
	if (!json_is_object(node.value)) {
		refuse(r, &node, "bad-member", "not an object");
		return;
	}
	when->known = true;
	when->throughout = read_flag(r, &node, "throughout");
	when->slots = read_share(r, &node, "slots", SLOTS_MAX);
	when->elsewhere = read_number(r, &elsewhere, -SLOTS_MAX, SLOTS_MAX);
	read_ranges(r, &node, when);
}

static void read_finding(struct reader *r, const struct node *node, size_t i)
{
	struct plumb_finding *finding = &r->made->at[i];

	if (!json_is_object(node->value)) {
		refuse(r, node, "bad-member", "not an object");
		return;
	}
	finding->node = read_text(r, node, "node", true);
	finding->cause = read_text(r, node, "cause", true);
	finding->slots = read_share(r, node, "slots", SLOTS_MAX);
	finding->brief = read_text(r, node, "brief", true);
	finding->means = read_text(r, node, "means", false);
	finding->helps = read_text(r, node, "helps", false);
	read_places(r, node, "functions", &finding->functions);
	read_places(r, node, "lines", &finding->lines);
	read_places(r, node, "data", &finding->data);
	/* Older files have none. */
	if (json_object_get(node->value, "waits"))
		read_places(r, node, "waits", &r->made->waits[i]);
	if (json_object_get(node->value, "callers"))
		read_places(r, node, "callers", &r->made->callers[i]);
	read_when(r, node, &r->made->when[i]);
	finding->view = (enum plumb_finding_view)read_name(r, node, "view", findings_views);
	if (finding->view == PLUMB_VIEW_FUNCTION && !finding->functions.count)
		refuse(r, node, "bad-view", "shows a function, and has none");
}

/* A recording is in the same folder: its name has no part that leads elsewhere. */
static const char *read_recording(struct reader *r, const struct node *root)
{
	const char *name = read_text(r, root, "recording", false);
	const struct node node = member(root, "recording");

	if (!name || strcmp(name, PLUMB_FOLDER_RECORDING) == 0)
		return name;
	refuse(r, &node, "bad-member", "not \"" PLUMB_FOLDER_RECORDING "\"");
	return NULL;
}

static void read_cpu(struct reader *r, const struct node *root)
{
	const struct node cpu = member(root, "cpu");
	const struct node node = member(&cpu, "midr");
	const char *midr;
	char *end;

	if (!is_given(r, &cpu, true))
		return;
	r->made->given.cpu = read_text(r, &cpu, "name", true);
	midr = read_text(r, &cpu, "midr", false);
	if (!midr)
		return;
	errno = 0;
	r->made->given.midr = (uint32_t)strtoul(midr, &end, 16);
	if (strncmp(midr, "0x", 2) != 0 || *end || errno || strlen(midr) > 10)
		refuse(r, &node, "bad-member", "not a MIDR, such as \"0x410fd8e0\"");
}

/* Older files have none. */
static void read_ruled_out(struct reader *r, const struct node *root)
{
	const struct node node = member(root, "ruled_out"), least = member(root, "least");
	size_t count;

	if (!node.value)
		return;
	r->made->given.least = read_number(r, &least, 0, 100);
	count = array_size(r, &node, PLUMB_RULED_OUT_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct node left = element(&node, i), slots = member(&left, "slots");
		struct plumb_ruled_out *out = &r->made->ruled_out[i];

		if (!json_is_object(left.value)) {
			refuse(r, &left, "bad-member", "not an object");
			return;
		}
		out->node = read_text(r, &left, "node", true);
		out->slots = read_number(r, &slots, -SLOTS_MAX, SLOTS_MAX);
		r->made->given.ruled_out_count++;
	}
}

/* Older files have none. It names a finding, which is read before it. */
static void read_undivided(struct reader *r, const struct node *root)
{
	const struct node node = member(root, "undivided");
	struct plumb_findings *given = &r->made->given;
	size_t count;

	if (!node.value)
		return;
	count = array_size(r, &node, PLUMB_UNDIVIDED_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct node left = element(&node, i);
		struct plumb_undivided *undivided = &r->made->undivided[i];

		if (!json_is_object(left.value)) {
			refuse(r, &left, "bad-member", "not an object");
			return;
		}
		undivided->node = read_text(r, &left, "node", true);
		undivided->slots = read_share(r, &left, "slots", SLOTS_MAX);
		undivided->finding =
			(unsigned)read_whole(r, &left, "finding", (int)given->finding_count);
		given->undivided_count++;
	}
}

/* Older files have none. */
static void read_work(struct reader *r, const struct node *root)
{
	const struct node node = member(root, "work_at");

	if (!node.value)
		return;
	if (!json_is_object(node.value)) {
		refuse(r, &node, "bad-member", "not an object");
		return;
	}
	read_places(r, &node, "functions", &r->made->work_at.functions);
	read_places(r, &node, "lines", &r->made->work_at.lines);
	read_places(r, &node, "callers", &r->made->work_at.callers);
}

static void read_all(struct reader *r, const struct node *root)
{
	struct plumb_findings *given = &r->made->given;
	const struct node findings = member(root, "findings"), work = member(root, "work");
	const struct node seconds = member(root, "seconds");
	size_t count;

	given->source = read_text(r, root, "source", true);
	given->label = read_text(r, root, "label", false);
	read_cpu(r, root);
	given->command = read_list(r, root, "command", WORDS_MAX);
	given->target = read_text(r, root, "target", false);
	given->seconds = read_number(r, &seconds, 0, SECONDS_MAX);
	given->runs = (unsigned)read_whole(r, root, "runs", INT32_MAX);
	given->exit_status = (int)read_whole(r, root, "exit_status", 255);
	given->signal = (int)read_whole(r, root, "signal", 127);
	given->interrupted = read_flag(r, root, "interrupted");
	given->whole = read_text(r, root, "whole", true);
	given->verdict = (enum plumb_verdict)read_name(r, root, "verdict", findings_verdicts);
	given->work = read_number(r, &work, 0, SHARE_MAX);
	given->recording = read_recording(r, root);
	given->tie = read_text(r, root, "tie", false);
	given->warnings = read_list(r, root, "warnings", WARNINGS_MAX);
	read_ruled_out(r, root);
	read_work(r, root);
	count = array_size(r, &findings, PLUMB_LOSSES_MAX);
	for (size_t i = 0; i < count; i++) {
		const struct node finding = element(&findings, i);

		read_finding(r, &finding, i);
		given->finding_count++;
	}
	read_undivided(r, root);
}

static int parse(struct reader *r, const char *bytes, size_t size)
{
	const struct place whole = {.file = r->file};
	json_error_t why;
	json_t *value = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
	struct node root = {.value = value}, format;

	if (!value) {
		if (json_error_code(&why) == json_error_out_of_memory)
			return PLUMB_ERR_NO_MEMORY;
		diagnostics_add(
			r->diagnostics, PLUMB_ERROR, "json",
			&(struct place){.file = r->file,
					.line = (unsigned)(why.line > 0 ? why.line : 0),
					.column = (unsigned)(why.column > 0 ? why.column : 0)},
			"%s", why.text);
		return PLUMB_ERR_SYNTAX;
	}
	format = member(&root, "format");
	if (!json_is_object(value) || !json_is_integer(format.value)) {
		diagnostics_add(r->diagnostics, PLUMB_ERROR, "no-findings", &whole,
				"not a file of findings");
		r->error = PLUMB_ERR_INVALID;
	} else if (json_integer_value(format.value) != FINDINGS_FORMAT) {
		diagnostics_add(r->diagnostics, PLUMB_ERROR, "format", &whole,
				"format %lld is unsupported: this version reads format %d",
				(long long)json_integer_value(format.value), FINDINGS_FORMAT);
		r->error = PLUMB_ERR_UNSUPPORTED;
	} else {
		read_all(r, &root);
	}
	json_decref(value);
	return r->error ? r->error : r->made->error;
}

int findings_parse(const char *bytes, size_t size, const char *path,
		   struct plumb_findings **findings, struct plumb_diagnostics *diagnostics)
{
	struct reader r = {.made = findings_new(), .file = path, .diagnostics = diagnostics};
	int error = r.made ? parse(&r, bytes, size) : PLUMB_ERR_NO_MEMORY;

	*findings = error == 0 ? &r.made->given : NULL;
	if (error < 0)
		plumb_findings_free(r.made ? &r.made->given : NULL);
	return error;
}

/* Reads a regular file that is no link: a pipe would wait, and a link may lead anywhere. */
static int read_file(const char *path, char **bytes, size_t *size, const char **why)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t got = 1;

	*size = 0;
	*why = fd < 0 && errno == ELOOP ? "a symbolic link" : strerror(errno);
	if (fd < 0)
		return PLUMB_ERR_IO;
	*why = "not a regular file";
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return PLUMB_ERR_IO;
	}
	*why = "larger than 4 MiB";
	if (status.st_size > (off_t)PLUMB_FINDINGS_FILE_MAX) {
		close(fd);
		return PLUMB_ERR_LIMIT;
	}
	*bytes = malloc((size_t)status.st_size + 1);
	while (*bytes && *size < (size_t)status.st_size && got != 0) {
		got = read(fd, *bytes + *size, (size_t)status.st_size - *size);
		if (got < 0 && errno != EINTR)
			break;
		*size += got > 0 ? (size_t)got : 0;
	}
	*why = strerror(errno);
	close(fd);
	if (!*bytes)
		return PLUMB_ERR_NO_MEMORY;
	return got < 0 ? PLUMB_ERR_IO : 0;
}

int plumb_findings_read(const char *path, struct plumb_findings **findings,
			struct plumb_diagnostics *diagnostics)
{
	char *bytes = NULL;
	const char *why;
	size_t size;
	int error = read_file(path, &bytes, &size, &why);

	*findings = NULL;
	if (error == 0)
		error = findings_parse(bytes, size, path, findings, diagnostics);
	else if (error != PLUMB_ERR_NO_MEMORY)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "unreadable", path, "%s", why);
	free(bytes);
	return error;
}
