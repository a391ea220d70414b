/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "tool/memory.h"

static void do_nothing(int number)
{
	(void)number;
}

/*
 * Occupies the standard descriptors that are closed, so that no file gets one of them, into which
 * messages or results would then be written. Using them fails as before, and what this process
 * executes finds them closed.
 */
static void occupy_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)open("/dev/null",
				   (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

int main(int count, char **arguments)
{
	occupy_descriptors();
	memory_init();
	/*
	 * Writing more than a file may hold is an error, not the end. A handler does that and not
	 * SIG_IGN: what this process runs is not to inherit it.
	 */
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	return command_plumb.run(&command_plumb, count, arguments);
}
