/* SPDX-License-Identifier: Apache-2.0 */
/* A child that does 2,000,000 instructions; with an argument, the child becomes that program. */
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uint64_t turns = 500000;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (argc > 1) {
			execv(argv[1], argv + 1);
			_exit(99);
		}
		__asm__ volatile("1: nop\n\tnop\n\tsubs %0, %0, #1\n\tb.ne 1b"
				 : "+r"(turns)
				 :
				 : "cc");
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
	return 0;
}
