/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures whole processes, from fork to exit: plumb's quick answers; an empty program as the lower
 * bound; and Python finding the same answer in Arm's file, as the peer.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RUNS      200
#define MAX_WORDS 8 /* words of a command, with the NULL at its end */

#define COMMAND(...) ((const char *const[MAX_WORDS]){__VA_ARGS__})

static int failed;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Runs the command once and discards its output. Returns milliseconds, or a negative value if it
 * did not exit with 0. */
static double run(const char *const words[])
{
	char *argv[MAX_WORDS];
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	/* posix_spawn() takes pointers to non-const, but changes nothing. */
	memcpy(argv, words, sizeof(argv));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);

	double start = now_ms();

	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) == 0)
		waitpid(pid, &status, 0);

	double took = now_ms() - start;

	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? took : -1;
}

static void measure(const char *what, int runs, const char *const words[])
{
	static double times[RUNS];

	for (int i = 0; i < runs; i++) {
		times[i] = run(words);
		if (times[i] < 0) {
			printf("%-44s does not run\n", what);
			failed = 1;
			return;
		}
	}
	qsort(times, (size_t)runs, sizeof(*times), ascending);
	printf("%-44s %8.2f ms median, %.2f to %.2f ms in %d runs\n", what, times[runs / 2],
	       times[0], times[runs - 1], runs);
}

int main(void)
{
	static const char script[] = "import json, sys\n"
				     "events = json.load(open(sys.argv[1]))['events']\n"
				     "print(events['INST_RETIRED'])";
	const char *reference = getenv("PLUMB_REFERENCE");
	const char *plumb = getenv("PLUMB");
	char file[4096];

	if (!plumb) {
		fprintf(stderr, "startup: PLUMB, the program to measure, is not set\n");
		return 1;
	}
	measure("true", RUNS, COMMAND("true"));
	measure("plumb --help", RUNS, COMMAND(plumb, "--help"));
	measure("plumb spec show INST_RETIRED", RUNS,
		COMMAND(plumb, "spec", "show", "INST_RETIRED"));
	measure("plumb spec tree --cpu neoverse-n3", RUNS,
		COMMAND(plumb, "spec", "tree", "--cpu", "neoverse-n3"));
	snprintf(file, sizeof(file), "%s/mrs/cpu/neoverse_n3_r0p0_pmu.json",
		 reference ? reference : "");
	if (access(file, R_OK) == 0)
		measure("python3: INST_RETIRED of neoverse_n3 as JSON", RUNS / 10,
			COMMAND("/usr/bin/python3", "-c", script, file));
	else
		printf("python3: skipped, no reference documents\n");
	return failed;
}
