/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/program.h"

#include "base/diagnostics.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sent to the child: answer, or become the program. */
enum { BEGIN, TURN };

/*
 * Ignores the caller's signal handlers until execve(2) resets them: they are not for the program.
 */
static void forget_handlers(void)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(number, SIG_DFL);
	}
}

/* Runs in the child: waits until its events are open, then becomes the program. Does not return. */
static _Noreturn void become_program(const char *path, char *const *argv, int line)
{
	char byte;
	int error;

	forget_handlers();
	/* Nothing runs on that nobody measures any more. If that has happened already, there is no
	 * byte. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do
		if (recv(line, &byte, 1, 0) != 1)
			_exit(127);
	while (byte == TURN && send(line, &byte, 1, MSG_NOSIGNAL) == 1);
	execve(path, argv, environ);
	error = errno;
	send(line, &error, sizeof(error), MSG_NOSIGNAL);
	_exit(127);
}

int perf_program_start(struct perf_program *program, const char *path, char *const *argv)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	*program = (struct perf_program){.pid = fork(), .line = ends[0]};
	if (program->pid == 0) {
		close(ends[0]);
		become_program(path, argv, ends[1]);
	}
	close(ends[1]);
	if (program->pid > 0)
		return 0;
	close(ends[0]);
	return -EAGAIN;
}

bool perf_program_turn(const struct perf_program *program)
{
	char byte = TURN;
	ssize_t got;

	if (send(program->line, &byte, 1, MSG_NOSIGNAL) != 1)
		return false;
	do
		got = recv(program->line, &byte, 1, 0);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

int perf_program_let_go(const struct perf_program *program)
{
	const char byte = BEGIN;
	int error = 0;
	ssize_t got;

	/* The reader is gone: a signal has ended it. */
	if (send(program->line, &byte, 1, MSG_NOSIGNAL) == 1) {
		/* A successful execve() closes the pipe, so this ends either way. */
		do
			got = recv(program->line, &error, sizeof(error), MSG_WAITALL);
		while (got < 0 && errno == EINTR);
	}
	close(program->line);
	return -error;
}

int perf_program_wait(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void perf_program_give_up(const struct perf_program *program)
{
	close(program->line);
	perf_program_wait(program->pid);
}

/* Returns whether it is an AArch64 program, which this machine cannot run. */
static bool is_foreign(const char *path)
{
#ifdef __aarch64__
	(void)path;
	return false;
#else
	Elf64_Ehdr header;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header);

	if (fd >= 0)
		close(fd);
	return whole && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_AARCH64;
#endif
}

int perf_program_complain(const char *path, int error, struct plumb_diagnostics *diagnostics)
{
	struct place where = {.file = path};

	if (error == -ENOEXEC && is_foreign(path)) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-program", &where,
				"an AArch64 program, which this machine cannot run");
		diagnostics_remedy(diagnostics, "run-in-model", NULL,
				   "use the model source to run it");
		return PLUMB_ERR_EXEC;
	}
	diagnostics_add(diagnostics, PLUMB_ERROR, "no-program", &where, "%s", strerror(-error));
	return error == -ENOENT   ? PLUMB_ERR_NO_PROGRAM
	       : error == -EAGAIN ? PLUMB_ERR_BUSY
				  : PLUMB_ERR_EXEC;
}
