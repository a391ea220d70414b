/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the shared objects that Plumb loads: the model's plugins, and the disassembler. */
#ifndef TOOL_MODULES_H
#define TOOL_MODULES_H

/*
 * Returns the folder of a module: `built` for a program that runs from its build tree; else where
 * both were installed, wherever that was moved to as a whole. No other place is searched, as a
 * module is code. Free the result.
 */
char *modules_find(const char *file, const char *built);

#endif
