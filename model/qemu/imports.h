/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_QEMU_IMPORTS_H
#define MODEL_QEMU_IMPORTS_H

#include <sys/types.h>

/* Only of kill(), so far. */
typedef int import_function(pid_t pid, int number);

/*
 * Has QEMU's own program call `by` instead of the C library's function `name`; its libraries, and
 * this plugin, call what they did. Changes nothing if QEMU does not import the function.
 */
void imports_replace(const char *name, import_function *by);

#endif
