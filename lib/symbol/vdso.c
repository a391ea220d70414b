/* SPDX-License-Identifier: Apache-2.0 */
/* The code that the kernel maps into every process, read from this process. */
#include <link.h>
#include <sys/auxv.h>

#include "symbol/elf_symbols.h"

int elf_file_open_vdso(struct elf_file *file)
{
	uintptr_t address = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *header = (const void *)address; /* NOLINT(performance-no-int-to-ptr) */

	if (!header || header->e_shoff > 1 << 20)
		return PLUMB_ERR_NOT_FOUND;
	/* Its image ends with its section headers. libelf only reads it. */
	return elf_file_open_memory(file, (char *)address, /* NOLINT(performance-no-int-to-ptr) */
				    header->e_shoff +
					    (size_t)header->e_shnum * header->e_shentsize);
}
