/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_QEMU_IMPORTS_H
#define MODEL_QEMU_IMPORTS_H

/* A function of any type. */
typedef void import_function(void);

/*
 * Has QEMU's own program call `by` instead of the C library's function `name`; its libraries, and
 * this plugin, call what they did. Changes nothing if QEMU does not import the function.
 */
void imports_replace(const char *name, import_function *by);

#endif
