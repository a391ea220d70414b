/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"

#include <plumb/error.h>

bool json_put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) == 0;
}

bool json_put_text(json_t *object, const char *key, const char *text)
{
	return json_put(object, key, json_string(text ? text : ""));
}

bool json_add(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) == 0;
}

bool json_add_text(json_t *array, const char *text)
{
	return json_add(array, json_string(text ? text : ""));
}

json_t *json_if(bool ok, json_t *value)
{
	if (ok)
		return value;
	json_decref(value);
	return NULL;
}

int json_write(const json_t *value, FILE *out)
{
	if (json_dumpf(value, out, JSON_INDENT(4)) != 0)
		return ferror(out) ? PLUMB_ERR_IO : PLUMB_ERR_NO_MEMORY;
	return fputc('\n', out) == EOF ? PLUMB_ERR_IO : 0;
}
