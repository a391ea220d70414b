/* SPDX-License-Identifier: Apache-2.0 */
/* What a thread of this process does on the host, by /proc. */
#ifndef QEMU_HOST_STATE_H
#define QEMU_HOST_STATE_H

#include <stdint.h>
#include <sys/types.h>

enum host_state {
	HOST_GONE,
	HOST_UNKNOWN,
	HOST_BUSY,
	HOST_ASLEEP,     /* in a system call, which is the program's if it is in one */
	HOST_LOCKED_OUT, /* waits for a lock of QEMU's or of the plugin's */
	HOST_EXCLUSIVE   /* waits in QEMU for the other threads to stop, or to go on */
};

/* `futex`: the address that the program's own call waits on; 0: it is in no such call. */
enum host_state host_state(pid_t tid, uint64_t futex);

#endif
