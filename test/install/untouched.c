/* SPDX-License-Identifier: Apache-2.0 */
/* Appended to a program that has a variable for each name in `all`: they stay what they were. */
#include <unistd.h>

__attribute__((destructor)) static void untouched(void)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t j = 0; j < NAME_LENGTH; j++) {
			if (all[i][j] != 0)
				_exit(1);
		}
	}
}
