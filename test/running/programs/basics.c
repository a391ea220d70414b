/* SPDX-License-Identifier: Apache-2.0 */
/* Uses what a program uses of its surroundings: input, output, arguments, environment, status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char line[256];

	for (int i = 0; i < argc; i++)
		printf("argument %d: [%s]\n", i, i ? argv[i] : strrchr(argv[0], '/') + 1);
	printf("PLUMB_TEST: [%s]\n", getenv("PLUMB_TEST") ? getenv("PLUMB_TEST") : "");
	while (fgets(line, sizeof(line), stdin))
		printf("input: %s", line);
	fprintf(stderr, "to stderr\n");
	return 7;
}
