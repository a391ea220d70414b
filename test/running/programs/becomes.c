/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Becomes itself in a way that its first argument names, with the rest as arguments; or, as
 * "list", prints its arguments and its open descriptors.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int list(int count, char **arguments)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;

	for (int i = 0; i < count; i++)
		printf("[%s]", arguments[i]);
	printf(" open:");
	while (folder && (entry = readdir(folder)))
		if (*entry->d_name != '.' && atoi(entry->d_name) != dirfd(folder))
			printf(" %s", entry->d_name);
	printf("\n");
	return 77;
}

static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
}

static void become(const char *how, const char *self, char **arguments)
{
	int fd;

	if (!strcmp(how, "close")) {
		close_all();
		execv(self, arguments);
	} else if (!strcmp(how, "range")) {
		syscall(SYS_close_range, 3, ~0u, 0);
		execv(self, arguments);
	} else if (!strcmp(how, "dup")) {
		for (fd = 490; fd < 520; fd++)
			dup2(1, fd);
		execv(self, arguments);
	} else if (!strcmp(how, "self")) {
		if (chdir("/") == 0)
			execv("/proc/self/exe", arguments);
	} else if (!strcmp(how, "fexecve")) {
		fd = open(self, O_RDONLY | O_CLOEXEC);
		fexecve(fd, arguments, environ);
	} else if (!strcmp(how, "at")) {
		fd = open(self, O_RDONLY | O_CLOEXEC);
		syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
	} else if (!strcmp(how, "chroot")) {
		if (chroot(".") == 0)
			execv("./becomes", arguments);
	} else if (!strcmp(how, "user")) {
		if (setgid(65534) == 0 && setuid(65534) == 0)
			execv(self, arguments);
	} else if (!strcmp(how, "replace")) { /* list FILE BY: with a file changed before */
		if (rename(arguments[3], arguments[2]) == 0)
			execv(self, arguments);
	} else {
		execv(how, arguments);
	}
	perror(how);
	exit(3);
}

int main(int count, char **arguments)
{
	static char self[PATH_MAX];
	const char *how;
	int status;

	if (count < 2 || !realpath("/proc/self/exe", self))
		return 2;
	if (!strcmp(arguments[1], "list"))
		return list(count, arguments);
	if (!strcmp(arguments[1], "child")) {
		if (fork() == 0) {
			close_all();
			arguments[1] = arguments[0];
			execv(self, arguments + 1);
			_exit(9);
		}
		wait(&status);
		printf("child: %d\n", WEXITSTATUS(status));
		return 0;
	}
	/* Its name stays argv[0]. */
	how = arguments[1];
	arguments[1] = arguments[0];
	become(how, self, arguments + 1);
	return 1;
}
