/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/guest.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * The kernel copies, so that an invalid address is an error instead of a crash. It is asked for
 * this thread's memory: the process's is gone once its first thread has ended.
 */
bool guest_read(uint64_t address, void *out, unsigned long size)
{
	struct iovec to = {out, size}, from = {(void *)(uintptr_t)address, size};

	return process_vm_readv(gettid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}

bool guest_write(uint64_t address, const void *bytes, unsigned long size)
{
	struct iovec from = {(void *)(uintptr_t)bytes, size};
	struct iovec to = {(void *)(uintptr_t)address, size};

	return process_vm_writev(gettid(), &from, 1, &to, 1, 0) == (ssize_t)size;
}

/*
 * A call that wakes whoever sleeps on a word, which is nobody, also changes another one. It would
 * wake who sleeps on that, too, if it had been -2048, which hardly any has.
 */
bool guest_flip(uint64_t address, uint32_t bits)
{
	static uint32_t unused;
	const uint32_t flip = FUTEX_OP(FUTEX_OP_XOR, 0, FUTEX_OP_CMP_EQ, 0x800) | bits << 12;

	return syscall(SYS_futex, &unused, FUTEX_WAKE_OP_PRIVATE, 1, 0, address, flip) >= 0;
}

bool guest_read_string(uint64_t address, char *out, unsigned long size)
{
	for (unsigned long i = 0; i < size; i++) {
		if (!guest_read(address + i, out + i, 1))
			return false;
		if (!out[i])
			return true;
	}
	return false;
}
