/* SPDX-License-Identifier: Apache-2.0 */
/* Where the browser is, and the way back. */
#include <stdlib.h>
#include <string.h>

#include "browser/state.h"
#include "tool/memory.h"

struct browser_place place_copy(const struct browser_place *place)
{
	struct browser_place copy = *place;

	if (copy.opened)
		copy.opened = memory_copy(copy.opened, strlen(copy.opened));
	if (copy.address)
		copy.address = memory_copy(copy.address, strlen(copy.address));
	for (size_t key = 0; key < BROWSER_KEYS; key++)
		if (copy.only[key])
			copy.only[key] = memory_copy(copy.only[key], strlen(copy.only[key]));
	return copy;
}

void place_free(struct browser_place *place)
{
	free(place->opened);
	free(place->address);
	for (size_t key = 0; key < BROWSER_KEYS; key++)
		free(place->only[key]);
}

void visit_free(struct visit *visit)
{
	place_free(&visit->place);
	page_free(&visit->page);
}

void browser_go(struct browser *browser, struct browser_place place)
{
	struct visit *left = browser_here(browser);

	left->page = browser->page;
	left->sorted = browser->sorted;
	left->reversed = browser->reversed;
	left->left = browser->left;
	browser->page = (struct page){0};
	if (browser->depth + 1 == DEPTH_MOST) {
		visit_free(&browser->visits[0]);
		memmove(browser->visits, browser->visits + 1,
			browser->depth * sizeof(*browser->visits));
		browser->depth--;
	}
	browser->visits[++browser->depth] = (struct visit){.place = place};
	browser->left = 0;
}

bool browser_go_back(struct browser *browser)
{
	if (browser->depth == 0)
		return false;
	visit_free(browser_here(browser));
	browser->depth--;
	page_free(&browser->page);
	browser->page = browser_here(browser)->page;
	browser_here(browser)->page = (struct page){0};
	browser->sorted = browser_here(browser)->sorted;
	browser->reversed = browser_here(browser)->reversed;
	browser->left = browser_here(browser)->left;
	return true;
}
