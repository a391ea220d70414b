/* SPDX-License-Identifier: Apache-2.0 */
/* Without ncurses there is no browser. */
#include "browser/browser.h"
#include "tool/complain.h"

bool browser_is_possible(const char **why)
{
	*why = "plumb was built without ncurses";
	return false;
}

int browser_run(const struct browser_client *client)
{
	(void)client;
	complain("plumb was built without ncurses");
	return EXIT_UNABLE;
}
