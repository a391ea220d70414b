/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure FILE PROGRAM [ARGUMENT...]: runs the program, and writes its time in seconds, its CPU
 * time in seconds and its peak memory in KiB to FILE. Linux reports at least the memory of the
 * process that forks, so this is a small program and not part of the script.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	double begun = now();
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
		return 2;
	out = fopen(argv[1], "we");
	if (!out)
		return 2;
	fprintf(out, "%.6f %.6f %ld\n", now() - begun,
		seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
	if (fclose(out) != 0)
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
