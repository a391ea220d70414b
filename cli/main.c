/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"
#include "tool/memory.h"

int main(int count, char **arguments)
{
	memory_init();
	return command_plumb.run(&command_plumb, count, arguments);
}
