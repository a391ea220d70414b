/* SPDX-License-Identifier: Apache-2.0 */
#include <plumb/version.h>

const char *plumb_version(void)
{
	return PLUMB_VERSION;
}
