/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for XML and HTML. JUnit's files have five elements, so this escapes them rather than load a
 * library: doc/dependencies.md.
 */
#ifndef RENDER_XML_H
#define RENDER_XML_H

#include <stdio.h>

/*
 * Writes text of any bytes, for the content of an element or a quoted attribute. What XML 1.0 does
 * not allow, such as control characters, and what is not UTF-8 becomes U+FFFD. `also` lists more
 * characters to write by their numbers; or NULL.
 */
void xml_text(FILE *out, const char *text, const char *also);

#endif
