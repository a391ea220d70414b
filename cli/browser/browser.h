/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal browser: shows what a command prints, page by page, with the keyboard. Each page is
 * printed by a process of its own, as for --stdio, so both say the same, and a page that takes long
 * can be stopped. Its lines may be longer than the screen is wide, as in less.
 */
#ifndef BROWSER_BROWSER_H
#define BROWSER_BROWSER_H

#include "browser/client.h"

/* Returns whether there is a terminal that the browser can use, and why not if `*why` is set. */
bool browser_is_possible(const char **why);

/* Shows pages until the user leaves. Returns an exit status. */
int browser_run(const struct browser_client *client);

#endif
