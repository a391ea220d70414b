/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/window.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "tool/complain.h"

/* Reads digits, with one of `suffixes` (NULL: none) for thousands, millions and so on. */
static bool read_number(const char *text, const char *suffixes, uint64_t *number)
{
	const char *suffix = NULL, *end;

	if (!number_read_digits(text, UINT64_MAX, number, &end))
		return false;
	if (*end && suffixes)
		suffix = strchr(suffixes, *end);
	for (const char *s = suffix; s && s >= suffixes; s--)
		if (__builtin_mul_overflow(*number, (uint64_t)1000, number))
			return false;
	return suffix ? !end[1] : !*end;
}

static bool read_ms(const char *option, const char *text, uint64_t least, int *ms)
{
	uint64_t number = 0;

	if (text && (!read_number(text, NULL, &number) || number < least || number > INT_MAX))
		return complain_value(option, text, INT_MAX, "use a whole number of milliseconds");
	*ms = (int)number;
	return true;
}

bool window_read(const struct window_options *options, bool never, struct plumb_window *window)
{
	bool is_never = never && options->delay && strcmp(options->delay, "-1") == 0;
	int timeout = 0;

	*window = (struct plumb_window){
		.size = sizeof(*window), .from = options->from, .to = options->to};
	if (!read_ms("delay", is_never ? NULL : options->delay, 0, &window->delay_ms) ||
	    !read_ms("timeout", options->timeout, 1, &timeout))
		return false;
	window->timeout_ms = (unsigned)timeout;
	if (is_never)
		window->delay_ms = -1;
	if (options->instructions &&
	    (!read_number(options->instructions, "kMG", &window->max_instructions) ||
	     !window->max_instructions))
		return complain_value("max-instructions", options->instructions, UINT64_MAX,
				      "use a positive whole number: 5000000, 5000k, 5M");
	return true;
}

void window_say_ended(const struct plumb_window *window, bool program)
{
	if (!window->max_instructions && !window->timeout_ms)
		return;
	if (window->max_instructions && window->timeout_ms)
		complain("ended the program, after %" PRIu64 " instructions or %u ms",
			 window->max_instructions, window->timeout_ms);
	else if (window->max_instructions)
		complain("ended the program after %" PRIu64 " instruction%s",
			 window->max_instructions, window->max_instructions == 1 ? "" : "s");
	else
		complain("%s after %u ms", program ? "ended the program" : "stopped",
			 window->timeout_ms);
}
