/* SPDX-License-Identifier: Apache-2.0 */
#include "render/pen.h"

#include <string.h>

static const struct pen lines = {
	.branch = "├─ ",
	.last = "└─ ",
	.through = "│  ",
	.none = "   ",
	.lost = "…  ",
	.leads = "→ ",
	.marked = "▸ ",
	.bar = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	.missing = "–",
	.omitted = "…",
	.about = "±",
};

static const struct pen ascii = {
	.branch = "|- ",
	.last = "`- ",
	.through = "|  ",
	.none = "   ",
	.lost = ".. ",
	.leads = "-> ",
	.marked = "> ",
	.bar = {"", "", "", "", "#", "#", "#", "#"},
	.missing = "-",
	.omitted = "..",
	.about = "+-",
};

/* From this width on, branches of call trees are as wide as others. */
#define WIDE 100

static const struct pen narrow_lines = {
	.branch = "├ ",
	.last = "└ ",
	.through = "│ ",
	.none = "  ",
	.lost = "… ",
	.omitted = "…",
	.about = "±",
};

static const struct pen narrow_ascii = {
	.branch = "|-",
	.last = "`-",
	.through = "| ",
	.none = "  ",
	.lost = "..",
	.omitted = "..",
	.about = "+-",
};

const struct pen *pen_for(const struct output *out)
{
	return out->utf8 ? &lines : &ascii;
}

const struct pen *pen_for_calls(const struct output *out)
{
	if (!output_is_narrow(out) || out->width >= WIDE)
		return pen_for(out);
	return out->utf8 ? &narrow_lines : &narrow_ascii;
}

const struct pen *pen_with_lines(void)
{
	return &lines;
}

size_t pen_branches(const struct pen *pen, const char *text)
{
	const char *const parts[] = {pen->branch, pen->last, pen->through, pen->none};
	size_t length = 0, i = 0;

	while (i < sizeof(parts) / sizeof(*parts)) {
		if (strncmp(text + length, parts[i], strlen(parts[i])) == 0) {
			length += strlen(parts[i]);
			i = 0;
		} else {
			i++;
		}
	}
	return length;
}
