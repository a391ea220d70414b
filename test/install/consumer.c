/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody else's program does with an installed libplumb: compiled by the install check. */
#include <plumb/error.h>
#include <plumb/spec.h>
#include <plumb/version.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	size_t count = plumb_spec_builtin_count();

	for (size_t i = 0; i < count; i++) {
		const struct plumb_spec *spec = plumb_spec_builtin(i);

		printf("%s: %u events\n", spec->id, (unsigned)spec->event_count);
	}
	printf("error: %s\n", plumb_error_name(PLUMB_ERR_NOT_FOUND));
	return strcmp(plumb_version(), PLUMB_VERSION) != 0;
}
