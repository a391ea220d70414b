/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading any bytes as a specification, which ends in a sound one or in findings; and the map of
 * JSON text, in which everything must be found that jansson finds in the text.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <plumb/spec.h>

#include "spec/check.h"
#include "spec/json_keys.h"
#include "spec/read_mrs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void compare_with_jansson(const struct json_keys *keys, uint32_t node, json_t *json)
{
	const char *name;
	json_t *value;
	size_t index;

	require(node < keys->count);
	if (json_is_array(json))
		require(keys->nodes[node].child_count == json_array_size(json));
	json_object_foreach(json, name, value)
		compare_with_jansson(keys, json_keys_member(keys, node, name, strlen(name)), value);
	json_array_foreach(json, index, value)
		compare_with_jansson(keys, json_keys_element(keys, node, index), value);
}

static void map(const char *text, size_t size)
{
	json_t *json = json_loadb(text, size, 0, NULL);
	struct json_keys keys;
	int result = json_keys_scan(text, size, &keys);

	/* jansson 2.14 skips a NUL after a number; that is invalid JSON, which the map rejects. */
	if (json && result != PLUMB_ERR_LIMIT && !memchr(text, '\0', size)) {
		require(result == 0);
		compare_with_jansson(&keys, keys.root, json);
	}
	json_decref(json);
	json_keys_free(&keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plumb_diagnostics *diagnostics = plumb_diagnostics_new();
	struct plumb_spec *spec;
	int result;

	map((const char *)data, size);
	result = spec_read_memory(data, size, "fuzz", &spec, diagnostics);
	if (result == 0) {
		require(spec && !plumb_diagnostics_errors(diagnostics));
		require(spec_check(spec, NULL) == 0);
	} else {
		require(!spec && plumb_diagnostics_errors(diagnostics) > 0);
	}
	plumb_spec_free(spec);
	plumb_diagnostics_free(diagnostics);
	return 0;
}
