/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page: one HTML file that shows results in a browser, without a network. It is the front end
 * of web/, which the build turns into one template, and the documents to show, compressed.
 */
#ifndef RENDER_HTML_H
#define RENDER_HTML_H

#include <stdbool.h>

#include "render/output.h"

#define HTML_DOCUMENTS_MAX 32

/* JSON texts, each with the name that the front end knows it by. */
struct html_page {
	struct html_document {
		const char *name;
		char *text;
		size_t length;
	} documents[HTML_DOCUMENTS_MAX];
	size_t count;
};

/* Returns whether this build has the front end; otherwise, prints an error with a hint. */
bool html_is_possible(void);

/* Adds a document, whose text the page then owns. `name` must live as long. */
void html_add(struct html_page *page, const char *name, char *text, size_t length);

/* Returns the text of a document, or NULL. */
const struct html_document *html_find(const struct html_page *page, const char *name);

/* Writes the page to a file. Returns an exit status, after printing an error if it failed. */
int html_write(const struct html_page *page, const char *path);

/* Frees the documents. */
void html_free(struct html_page *page);

#endif
