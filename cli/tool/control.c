/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/complain.h"
#include "tool/memory.h"

static bool complain_control(const char *text)
{
	complain("invalid value '%s' for --control", text);
	advise("use fd:N, fd:N,M, fifo:FILE or fifo:FILE,FILE: commands come from the first, "
	       "acknowledgements go to the second");
	return false;
}

/* Opens a named pipe. Prints an error and returns -1 if it is none. */
static int open_pipe(const char *path)
{
	struct stat status;
	int fd;

	if (stat(path, &status) == 0 && !S_ISFIFO(status.st_mode)) {
		complain("--control: %s is not a named pipe", path);
		advise("make one with mkfifo");
		return -1;
	}
	/* To read and write, so that it neither waits for the other side nor ends with it. */
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		complain("--control: %s: %s", path, strerror(errno));
	return fd;
}

/* Reads the number of a descriptor. Prints an error and returns -1 if it is not open. */
static int read_descriptor(const char *text)
{
	char *end;
	const long number = strtol(text, &end, 10);

	if (end == text || *end || number < 0 || number > INT_MAX) {
		complain("--control: invalid descriptor '%s'", text);
	} else if (fcntl((int)number, F_GETFD) < 0) {
		complain("--control: descriptor %ld is not open", number);
	} else {
		return (int)number;
	}
	return -1;
}

bool control_read(const char *text, struct control *control)
{
	const bool fifo = text && strncmp(text, "fifo:", 5) == 0;
	int (*const get)(const char *) = fifo ? open_pipe : read_descriptor;
	char *copy, *ack;
	bool fine;

	*control = (struct control){.fd = -1, .ack_fd = -1};
	if (!text)
		return true;
	if (!fifo && strncmp(text, "fd:", 3) != 0)
		return complain_control(text);
	copy = memory_copy(strchr(text, ':') + 1, strlen(strchr(text, ':') + 1));
	ack = strchr(copy, ',');
	if (ack)
		*ack++ = '\0';
	if (!*copy || (ack && !*ack)) {
		free(copy);
		return complain_control(text);
	}
	control->fd = get(copy);
	if (ack && control->fd >= 0)
		control->ack_fd = get(ack);
	fine = control->fd >= 0 && (!ack || control->ack_fd >= 0);
	free(copy);
	control->wanted = true;
	return fine;
}
