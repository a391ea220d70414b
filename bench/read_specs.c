/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures loading all of Arm's machine-readable CPU specifications in one process: read, checked
 * and linked by libplumb; parsed by Python's json.load, the peer; and parsed by jansson, which
 * libplumb uses. Times are the fastest of several rounds, inside the process and with the files in
 * the page cache. Also measures peak memory.
 */
#include <dirent.h>
#include <jansson.h>
#include <plumb/spec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"

#define ROUNDS    20
#define MAX_FILES 100

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Every file in the folder is a CPU's specification, except the table of MIDRs. */
static int is_specification(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 &&
	       strcmp(entry->d_name, "mapping.json") != 0;
}

/* The result of one way of loading; `ms` is negative if it did not run. */
struct result {
	double ms;
	double megabytes;
};

/* Returns this process's peak memory so far. */
static double peak_megabytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static int load_with_plumb(const char *path)
{
	struct plumb_spec *spec;
	int error = plumb_spec_read_file(path, &spec, NULL);

	if (error < 0)
		fprintf(stderr, "%s: %s\n", path, plumb_error_name(error));
	plumb_spec_free(spec);
	return error;
}

static int load_with_jansson(const char *path)
{
	char *bytes;
	size_t size;
	int error = file_read(path, PLUMB_SPEC_MAX_BYTES, &bytes, &size);
	json_t *json = error ? NULL : json_loadb(bytes, size, 0, NULL);

	json_decref(json);
	free(bytes);
	return json ? 0 : -1;
}

static struct result measure(const char paths[][4096], int count, int load(const char *))
{
	struct result best = {.ms = -1};

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ms(), took;

		for (int i = 0; i < count; i++)
			if (load(paths[i]) < 0)
				return (struct result){.ms = -1};
		took = now_ms() - start;
		if (best.ms < 0 || took < best.ms)
			best.ms = took;
	}
	best.megabytes = peak_megabytes();
	return best;
}

/* Measures json.load, which Python times itself. */
static struct result measure_python(const char *folder)
{
	static const char script[] =
		"import glob, json, resource, sys, time\n"
		"paths = [p for p in glob.glob(sys.argv[1] + '/*.json') if 'mapping' not in p]\n"
		"best = None\n"
		"for _ in range(int(sys.argv[2])):\n"
		"    start = time.perf_counter()\n"
		"    for path in paths:\n"
		"        with open(path) as file:\n"
		"            json.load(file)\n"
		"    took = time.perf_counter() - start\n"
		"    best = took if best is None else min(best, took)\n"
		"print(best * 1e3, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)\n";
	struct result result = {.ms = -1};
	char command[8192], line[64], *end;
	FILE *out;

	snprintf(command, sizeof(command), "/usr/bin/python3 -c \"%s\" '%s' %d", script, folder,
		 ROUNDS);
	out = popen(command, "r");
	if (!out)
		return result;
	if (fgets(line, sizeof(line), out)) {
		result.ms = strtod(line, &end);
		result.megabytes = strtod(end, NULL);
	}
	pclose(out);
	return result;
}

static void print(const char *what, struct result result, double bytes, struct result ours)
{
	if (result.ms <= 0) {
		printf("%-40s  skipped\n", what);
		return;
	}
	printf("%-40s %7.1f %7.0f ", what, result.ms, bytes / 1e3 / result.ms);
	if (result.megabytes > 0)
		printf("%8.1f", result.megabytes);
	else
		printf("%8s", "");
	printf(" %7.2f x\n", ours.ms / result.ms);
}

int main(void)
{
	static char paths[MAX_FILES][4096];
	const char *reference = getenv("PLUMB_REFERENCE");
	char folder[4000];
	struct dirent **entries;
	double bytes = 0;

	snprintf(folder, sizeof(folder), "%s/mrs/cpu", reference ? reference : "");

	int count = scandir(folder, &entries, is_specification, alphasort);

	if (count <= 0) {
		printf("read_specs: skipped, no reference documents\n");
		return 0;
	}
	if (count > MAX_FILES)
		count = MAX_FILES;
	for (int i = 0; i < count; i++) {
		struct stat info;

		snprintf(paths[i], sizeof(paths[i]), "%s/%.90s", folder, entries[i]->d_name);
		if (stat(paths[i], &info) == 0)
			bytes += (double)info.st_size;
		free(entries[i]);
	}
	free(entries);

	struct result ours = measure(paths, count, load_with_plumb);
	struct result jansson = measure(paths, count, load_with_jansson);
	struct result python = measure_python(folder);

	if (ours.ms < 0)
		return 1;
	/* Of the same process, whose peak has been plumb's. */
	jansson.megabytes = 0;
	printf("%d specifications, %.1f MB in all%s %7s %7s %8s %8s\n", count, bytes / 1e6,
	       "          ", "ms", "MB/s", "peak MB", "plumb is");
	print("plumb: read, checked and linked", ours, bytes, ours);
	print("jansson, of that: parsed", jansson, bytes, ours);
	print("python3 json.load: parsed", python, bytes, ours);
	return 0;
}
