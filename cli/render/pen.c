/* SPDX-License-Identifier: Apache-2.0 */
#include "render/pen.h"

static const struct pen lines = {
	.branch = "├─ ",
	.last = "└─ ",
	.through = "│  ",
	.none = "   ",
	.leads = "→ ",
	.marked = "▸ ",
	.bar = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	.missing = "–",
};

static const struct pen ascii = {
	.branch = "|- ",
	.last = "`- ",
	.through = "|  ",
	.none = "   ",
	.leads = "-> ",
	.marked = "> ",
	.bar = {"", "", "", "", "#", "#", "#", "#"},
	.missing = "-",
};

const struct pen *pen_for(const struct output *out)
{
	return out->utf8 ? &lines : &ascii;
}
