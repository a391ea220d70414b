/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/results.h"

#include <string.h>

#include "qemu/guest.h"

#define GENERAL     64ul /* where x0 is: behind 16 registers of 4 bytes (QEMU 4.0 to 10.0) */
#define CALL_NUMBER 8    /* x8 */

bool results_can_be_set(const struct registers *registers, bool *readable, int64_t number,
			const uint64_t arguments[6])
{
	const uintptr_t at = (uintptr_t)registers + GENERAL;
	uint64_t general[CALL_NUMBER + 1];

	/* It may not be an address at all: let the kernel read it. */
	if (!*readable && (!registers || !guest_read(at, general, sizeof(general))))
		return false;
	*readable = true;
	memcpy(general, (const void *)at, sizeof(general));
	/* Linux takes the number from the lower half, and so does QEMU. */
	return (uint32_t)general[CALL_NUMBER] == (uint32_t)number &&
	       !memcmp(general, arguments, 6 * sizeof(*general));
}

void results_set(const struct registers *registers, int64_t from, int64_t to)
{
	int64_t *x0 = (int64_t *)((uintptr_t)registers + GENERAL);

	if (*x0 == from)
		*x0 = to;
}
