/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>

#include "commands.h"
#include "tool/memory.h"

static void do_nothing(int number)
{
	(void)number;
}

int main(int count, char **arguments)
{
	memory_init();
	/*
	 * Writing more than a file may hold is an error, not the end. A handler does that and not
	 * SIG_IGN: what this process runs is not to inherit it.
	 */
	if (signal(SIGXFSZ, do_nothing) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
	return command_plumb.run(&command_plumb, count, arguments);
}
