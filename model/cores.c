/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "params.h"

const struct core_params *model_core_find(const char *name)
{
	for (size_t i = 0; model_cores[i]; i++)
		if (strcmp(model_cores[i]->name, name) == 0)
			return model_cores[i];
	return NULL;
}
