/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/options.h"

#include <stdlib.h>
#include <string.h>

#include "what_if.h"

bool options_parse(int argc, char **argv, struct options *options)
{
	*options = (struct options){.shared.descriptor = -1, .sampling.descriptor = -1};
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		size_t length = value ? (size_t)(value - argv[i]) : strlen(argv[i]);
		unsigned long long number = value ? strtoull(value + 1, NULL, 10) : 0;

#define IS(name) (length == sizeof(name) - 1 && !memcmp(argv[i], name, length))
		if (IS("core") && value)
			options->core = value + 1;
		else if (IS("shared"))
			options->shared.descriptor = (int)number;
		else if (IS("sampling"))
			options->sampling.descriptor = (int)number;
		else if (IS("reader"))
			options->shared.reader = options->sampling.reader = (int)number;
		else if (IS("key"))
			options->shared.key = options->sampling.key = number;
		else if (IS("interval"))
			options->interval = number;
		else if (IS("what-if"))
			options->what_if = (uint32_t)number & IDEAL_ALL;
		else if (IS("seed"))
			options->seed = number;
		else if (IS("page"))
			options->page_bytes = (uint32_t)number;
		else if (IS("huge"))
			options->huge_pages = number != 0;
		else if (IS("page-fault"))
			options->conditions.page_fault_cycles = (uint32_t)number;
		else if (IS("system-call"))
			options->conditions.system_call_cycles = (uint32_t)number;
		else if (IS("reference"))
			options->reference = number != 0;
		else if (IS("threads"))
			options->host_threads = (unsigned)number;
		else if (IS("wrong-loads"))
			options->conditions.wrong_path_loads = number != 0;
		else if (IS("mark"))
			options->mark = (int64_t)number;
		else if (IS("sampled"))
			options->sampled.error = (uint32_t)number;
		else if (IS("sampled-after"))
			options->sampled.after = number;
		else if (IS("resets"))
			options->resets = number != 0;
		else if (IS("begins"))
			options->begins = number;
		else if (IS("inode"))
			options->window.inode = number;
		else if (IS("from"))
			options->window.from.value = number;
		else if (IS("to"))
			options->window.to.value = number;
		else if (IS("from-offset"))
			options->window.from = (struct window_place){number, true};
		else if (IS("to-offset"))
			options->window.to = (struct window_place){number, true};
		else if (IS("delay"))
			options->window.delay = number;
		else if (IS("timeout"))
			options->window.timeout = number;
		else if (IS("instructions"))
			options->window.instructions = number;
		else if (IS("prefix"))
			options->prefix = (unsigned)number;
		else if (IS("children"))
			options->children = number != 0;
		else if (IS("idle"))
			options->idle = number != 0;
		else if (IS("became"))
			options->became = number != 0;
		else
			return false;
#undef IS
	}
	return options->core && options->shared.descriptor >= 0;
}
