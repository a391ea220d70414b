/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a command reads or runs. No output may replace one of them, whatever either is
 * called: links and other paths to the same file count too.
 */
#ifndef TOOL_INPUTS_H
#define TOOL_INPUTS_H

#include <stdbool.h>

/*
 * Notes the file that `path` leads to, which is that of standard input for "-": `what` is "the
 * input" or "the program". Ignores NULL, what is no regular file, and what is not there.
 */
void inputs_note(const char *path, const char *what);

/*
 * Returns the recording that `path` names: that in a folder with results of plumb explore, or else
 * `path` itself. The text lives until the next call with such a folder.
 */
const char *inputs_recording(const char *path);

/*
 * Notes a folder with results of plumb explore, which takes a folder with other files for another
 * one's, and leaves it alone. inputs_recording() does so, too.
 */
void inputs_note_folder(const char *path);

/* Returns whether two outputs are one file, or would be, whatever they are called. */
bool inputs_are_one(const char *a, const char *b);

/* Returns whether `path` leads to a noted file or into a noted folder, having said so. */
bool inputs_refuse(const char *path);

#endif
