/* SPDX-License-Identifier: Apache-2.0 */
/* Has COUNT children, one after the other, of which each second one is killed: spawns COUNT */
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **arguments)
{
	long children = count > 1 ? atol(arguments[1]) : 0;

	for (long i = 0; i < children; i++) {
		uint64_t turns = 1000; /* of four instructions each */
		pid_t pid = fork();

		if (pid == 0) {
			__asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b"
					 : "+r"(turns)
					 :
					 : "cc");
			if (i % 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}
