/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses a stream as gzip does: with the same result each time, without a name or a time. */
#ifndef RENDER_GZIP_H
#define RENDER_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct gzip;

/* Begins to write to `stream`, whose errors the caller finds there. Never NULL. */
struct gzip *gzip_begin(FILE *stream);
void gzip_write(struct gzip *gzip, const void *bytes, size_t size);
/* Writes the rest, and frees `gzip`. */
void gzip_end(struct gzip *gzip);

#endif
