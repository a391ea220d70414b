/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/qemu.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `path option` prints, at most `size` - 1 bytes of it. Returns 0 or an errno value. */
static int ask(const char *path, const char *option, char *out, size_t size)
{
	char *argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)option, NULL};
	posix_spawn_file_actions_t actions;
	size_t used = 0;
	int ends[2], status, error;
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while (!error) {
		char spare[4096];
		bool full = used == size - 1;

		got = read(ends[0], full ? spare : out + used,
			   full ? sizeof(spare) : size - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (!full)
			used += (size_t)got;
	}
	close(ends[0]);
	out[used] = '\0';
	if (!error)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	return error;
}

/* "7.2.22 (Debian ...)": major and minor. */
static bool read_version(const char *text, struct qemu *qemu)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	qemu->major = (unsigned)strtoul(text, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]))
		return false;
	qemu->minor = (unsigned)strtoul(end + 1, NULL, 10);
	return true;
}

/* The plugin interface of a QEMU: model/qemu/qemu_plugin.h has the table. */
static unsigned interface_of(const struct qemu *qemu)
{
	if (qemu->major < 9)
		return 1;
	return qemu->major == 9 && qemu->minor == 0 ? 2 : 3;
}

int qemu_probe(const char *path, const char *plugin_dir, struct qemu *qemu,
	       struct plumb_diagnostics *found)
{
	struct plumb_place where = {.file = path};
	char text[32768];
	const char *version;
	int error;

	error = ask(path, "--version", text, sizeof(text));
	if (error) {
		plumb_diagnostics_add(found, PLUMB_ERROR, "no-qemu", &where,
				      "QEMU cannot be started: %s", strerror(error));
		plumb_diagnostics_hint(found, "apt-get install qemu-user");
		return error == ENOENT ? PLUMB_ERR_NOT_FOUND : PLUMB_ERR_IO;
	}
	version = strstr(text, " version ");
	if (!version || !read_version(version + strlen(" version "), qemu)) {
		plumb_diagnostics_add(found, PLUMB_ERROR, "not-qemu", &where,
				      "does not answer like QEMU when asked for its version");
		return PLUMB_ERR_UNSUPPORTED;
	}
	error = ask(path, "--help", text, sizeof(text));
	if (error || qemu->major < 6 || !strstr(text, "-plugin")) {
		plumb_diagnostics_add(found, PLUMB_ERROR, "no-plugins", &where,
				      "QEMU %u.%u without support for plugins, which the model is",
				      qemu->major, qemu->minor);
		plumb_diagnostics_hint(found, "Debian's qemu-user has it (qemu-user-static has "
					      "not): apt-get install qemu-user");
		return PLUMB_ERR_UNSUPPORTED;
	}
	snprintf(qemu->plugin, sizeof(qemu->plugin), "%s/plumb-model-%u.so", plugin_dir,
		 interface_of(qemu));
	if (access(qemu->plugin, R_OK)) {
		where.file = qemu->plugin;
		plumb_diagnostics_add(found, PLUMB_ERROR, "no-plugin", &where,
				      "the model's plugin cannot be read: %s", strerror(errno));
		plumb_diagnostics_hint(found, "install plumb whole, or build it");
		return PLUMB_ERR_NOT_FOUND;
	}
	return 0;
}
