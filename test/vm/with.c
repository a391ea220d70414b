/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command of the virtual machine under a condition, or beside something else. Conditions can
 * be chained: the command may begin with /with itself.
 *
 *     /with user COMMAND...                  without privileges
 *     /with on CPU COMMAND...                on one CPU
 *     /with cgroup FOLDER COMMAND...         in a control group
 *     /with limit KIND NUMBER COMMAND...     under a resource limit: files, locked, memory
 *     /with deny ERRNO COMMAND...            perf_event_open(2) fails, by a filter of system calls
 *     /with pin COUNT COMMAND...             that many counters of each CPU are taken
 *     /with after MS COMMAND...              later
 *     /with write FILE TEXT COMMAND...       after writing to FILE
 *     /with steadily FILE COMMAND...         something else counts up in FILE meanwhile, by 1 at a
 * time /with noting FILE COMMAND...           prints what is in FILE before and after /with later
 * MS write FILE TEXT COMMAND...    something else writes to FILE meanwhile /with later MS kill
 * SIGNAL COMMAND...        something else sends it a signal meanwhile /with beside LOAD... :
 * COMMAND...      while LOAD runs; PID in COMMAND is its process
 *
 * The exit status is the command's; 125 if the condition cannot be met.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY       65534
#define UNMET        125
#define INST_RETIRED 0x08
#define TICK_US      100

static _Noreturn void fail(const char *what)
{
	perror(what);
	exit(UNMET);
}

static void wait_ms(const char *ms)
{
	usleep((useconds_t)atoi(ms) * 1000);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

/* ---- conditions ----------------------------------------------------------------------------- */

static char **as_user(char **words)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		fail("user");
	return words;
}

static char **on_cpu(char **words)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)atoi(words[0]), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("on");
	return words + 1;
}

static char **in_cgroup(char **words)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/cgroup.procs", words[0]);
	write_text(path, "0");
	return words + 1;
}

static char **limited(char **words)
{
	const rlim_t most = (rlim_t)atol(words[1]);
	const struct rlimit limit = {most, most};
	const int kind = strcmp(words[0], "files") == 0    ? RLIMIT_NOFILE
			 : strcmp(words[0], "locked") == 0 ? RLIMIT_MEMLOCK
							   : RLIMIT_AS;

	if (setrlimit((__rlimit_resource_t)kind, &limit))
		fail("limit");
	return words + 2;
}

static char **denied(char **words)
{
	const unsigned error = (unsigned)atoi(words[0]);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("deny");
	return words + 1;
}

/* The descriptors stay open in the command, which knows nothing of them. */
static char **pinned(char **words)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = INST_RETIRED,
		.pinned = 1,
	};
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (long cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < atoi(words[0]); i++)
			if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0) < 0)
				fail("pin");
	return words + 1;
}

static char **after(char **words)
{
	wait_ms(words[0]);
	return words + 1;
}

static char **written(char **words)
{
	write_text(words[0], words[1]);
	return words + 2;
}

static long read_number(const char *path)
{
	long number = 0;
	FILE *file = fopen(path, "re");

	if (!file || fscanf(file, "%ld", &number) != 1)
		fail(path);
	fclose(file);
	return number;
}

/* Ends when the command does. */
static char **steadily(char **words)
{
	long number = read_number(words[0]);
	char text[32];

	if (fork() != 0)
		return words + 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		snprintf(text, sizeof(text), "%ld", ++number);
		write_text(words[0], text);
		usleep(TICK_US);
	}
}

static char **later(char **words)
{
	const bool writes = strcmp(words[1], "write") == 0;
	const pid_t command = getpid();

	if (fork() == 0) {
		wait_ms(words[0]);
		if (writes)
			write_text(words[2], words[3]);
		else
			kill(command, atoi(words[2]));
		_exit(0);
	}
	return words + (writes ? 4 : 3);
}

/* ---- beside --------------------------------------------------------------------------------- */

/* Returns once the load has been executed. */
static pid_t start(char **load)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		fail("pipe");
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		execv(load[0], load);
		_exit(UNMET);
	}
	close(ends[1]);
	if (pid < 0 || read(ends[0], &byte, 1) != 0)
		fail("beside");
	close(ends[0]);
	return pid;
}

static int beside(char **load)
{
	char **command = load, number[16];
	pid_t pid, child;
	int status;

	while (*command && strcmp(*command, ":") != 0)
		command++;
	if (!*command)
		return UNMET;
	*command++ = NULL;
	pid = start(load);
	snprintf(number, sizeof(number), "%d", pid);
	for (char **word = command; *word; word++)
		if (strcmp(*word, "PID") == 0)
			*word = number;
	child = fork();
	if (child == 0) {
		execv(command[0], command);
		_exit(UNMET);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return UNMET;
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int noting(char **words)
{
	const long before = read_number(words[0]);
	const pid_t child = fork();
	int status;

	if (child == 0) {
		execv(words[1], words + 1);
		_exit(UNMET);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return UNMET;
	printf("%ld %ld\n", before, read_number(words[0]));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		int words;
		char **(*meet)(char **words);
	} conditions[] = {
		{"user", 0, as_user},      {"on", 1, on_cpu},   {"cgroup", 1, in_cgroup},
		{"limit", 2, limited},     {"deny", 1, denied}, {"pin", 1, pinned},
		{"after", 1, after},       {"later", 3, later}, {"write", 2, written},
		{"steadily", 1, steadily},
	};

	if (count < 3)
		return UNMET;
	if (strcmp(words[1], "beside") == 0)
		return beside(words + 2);
	if (count > 3 && strcmp(words[1], "noting") == 0)
		return noting(words + 2);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		if (strcmp(words[1], conditions[i].name) != 0 || count < 3 + conditions[i].words)
			continue;
		words = conditions[i].meet(words + 2);
		if (*words)
			execv(words[0], words);
		return UNMET;
	}
	return UNMET;
}
