/* SPDX-License-Identifier: Apache-2.0 */
/* --control fd:N[,M] and --control fifo:FILE[,FILE]: where commands come from. */
#ifndef CLI_TOOL_CONTROL_H
#define CLI_TOOL_CONTROL_H

#include <stdbool.h>

struct control {
	bool wanted;
	int fd, ack_fd; /* with `wanted` only; no ack_fd: -1 */
};

/*
 * Reads the option's value (NULL: not given), and opens pipes, which stay open. Prints an error and
 * returns false if it is invalid.
 */
bool control_read(const char *text, struct control *control);

#endif
