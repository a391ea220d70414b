/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program calls functions of libraries through pointers, which the dynamic linker finds in its
 * relocations and fills in. Here they are found the same way.
 */
#include "qemu/imports.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct wanted {
	const char *name;
	import_function *by;
};

/* What the dynamic section of QEMU's program says about its imports. */
struct imports {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *names;
	struct {
		const ElfW(Rela) * first;
		size_t count;
	} relocations[2];
	uintptr_t sealed, sealed_end; /* memory that is read-only once it is linked */
};

/* The C library replaces the addresses in there by those in memory; others may not. */
static const void *in_memory(const struct imports *imports, uint64_t address)
{
	return (const void *)(uintptr_t)(address < imports->base ? imports->base + address
								 : address);
}

static void read_dynamic(struct imports *imports, const ElfW(Dyn) * entry)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		const void *at = in_memory(imports, entry->d_un.d_ptr);
		size_t count = entry->d_un.d_val / sizeof(ElfW(Rela));

		if (entry->d_tag == DT_SYMTAB)
			imports->symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			imports->names = at;
		else if (entry->d_tag == DT_JMPREL)
			imports->relocations[0].first = at;
		else if (entry->d_tag == DT_PLTRELSZ)
			imports->relocations[0].count = count;
		else if (entry->d_tag == DT_RELA)
			imports->relocations[1].first = at;
		else if (entry->d_tag == DT_RELASZ)
			imports->relocations[1].count = count;
	}
}

/* Stores a function's address, which may be in a page that is read-only by now. */
static void replace(const struct imports *imports, uintptr_t slot, import_function *by)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = slot & ~(page - 1);

	if (mprotect((void *)from, page, PROT_READ | PROT_WRITE))
		return;
	memcpy((void *)slot, &by, sizeof(by));
	if (imports->sealed <= from && from < imports->sealed_end)
		mprotect((void *)from, page, PROT_READ);
}

static void replace_all(const struct imports *imports, const char *name, import_function *by)
{
	for (size_t i = 0; i < 2 && imports->symbols && imports->names; i++)
		for (size_t k = 0; k < imports->relocations[i].count; k++) {
			const ElfW(Rela) *relocation = &imports->relocations[i].first[k];
			size_t symbol = ELF64_R_SYM(relocation->r_info);

			if (symbol &&
			    !strcmp(imports->names + imports->symbols[symbol].st_name, name))
				replace(imports, imports->base + relocation->r_offset, by);
		}
}

/* The first object is the program. */
static int visit(struct dl_phdr_info *program, size_t size, void *user)
{
	struct imports imports = {.base = program->dlpi_addr};
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const struct wanted *wanted = user;

	(void)size;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &program->dlpi_phdr[i];
		uintptr_t at = imports.base + header->p_vaddr;

		if (header->p_type == PT_DYNAMIC) {
			read_dynamic(&imports, (const ElfW(Dyn) *)at);
		} else if (header->p_type == PT_GNU_RELRO) {
			imports.sealed = at & ~(page - 1);
			imports.sealed_end = (at + header->p_memsz) & ~(page - 1);
		}
	}
	replace_all(&imports, wanted->name, wanted->by);
	return 1;
}

void imports_replace(const char *name, import_function *by)
{
	struct wanted wanted = {name, by};

	dl_iterate_phdr(visit, &wanted);
}
