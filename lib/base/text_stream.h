/* SPDX-License-Identifier: Apache-2.0 */
/* A stream that keeps what is written to it, as open_memstream() does, and notices what it loses.
 */
#ifndef BASE_TEXT_STREAM_H
#define BASE_TEXT_STREAM_H

#include <stddef.h>
#include <stdio.h>

/*
 * Opens a stream for writing. fclose() sets `*text` to what was written and a NUL, which the caller
 * frees, and `*length` to its bytes without the NUL. Both must stay until then, and `*text` is the
 * stream's.
 *
 * A write without memory fails, sets the stream's error indicator, and loses the rest; fclose()
 * then sets `*text` to NULL. (glibc's open_memstream() drops such bytes and sets nothing.)
 *
 * Returns NULL with `*text` NULL, if out of memory.
 */
FILE *text_stream(char **text, size_t *length);

#endif
