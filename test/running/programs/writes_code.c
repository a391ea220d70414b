/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a function that returns i, calls it, and writes the next one over it. */
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*function)(void);
	long sum = 0;

	if (code == MAP_FAILED)
		return 1;
	*(void **)&function = code;
	for (uint32_t i = 0; i < 200; i++) {
		code[0] = 0x52800000 | i << 5; /* mov w0, #i */
		code[1] = 0xd65f03c0;          /* ret */
		__builtin___clear_cache((char *)code, (char *)(code + 2));
		sum += function();
	}
	printf("%ld\n", sum);
	return 0;
}
