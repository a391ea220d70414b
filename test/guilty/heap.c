/* SPDX-License-Identifier: Apache-2.0 */
/* A heap: branches on what the elements are, some in functions that are inlined into the loops. */
#include <stdint.h>

#define COUNT 4096

static uint32_t heap[COUNT];
static unsigned used;
static volatile uint64_t result;

static inline void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

static inline unsigned smaller_child(unsigned i)
{
	unsigned left = 2 * i + 1, right = left + 1;

	if (right < used && heap[right] < heap[left]) /* guilty */
		return right;
	return left;
}

__attribute__((noinline)) static uint32_t pop(void)
{
	uint32_t top = heap[0];
	unsigned i = 0, child;

	heap[0] = heap[--used];
	while (2 * i + 1 < used) {
		child = smaller_child(i);
		if (heap[i] <= heap[child])
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
	return top;
}

__attribute__((noinline)) static void push(uint32_t number)
{
	unsigned i = used++;

	heap[i] = number;
	/* cppcheck-suppress arrayIndexOutOfBoundsCond */
	while (i && heap[(i - 1) / 2] > heap[i]) {
		swap(&heap[i], &heap[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
}

int main(void)
{
	uint64_t number = 88172645463325252;

	for (unsigned i = 0; i < COUNT; i++) {
		number ^= number << 13;
		number ^= number >> 7;
		number ^= number << 17;
		push((uint32_t)number);
	}
	while (used)
		result += pop();
	return 0;
}
