/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which symbols of an ELF file name code or data, and where in the file they are, by the
 * rules of tools/perf/util/symbol-elf.c, so that Plumb and perf agree.
 */
#include "symbol/elf_symbols.h"

#include <string.h>

#include "symbol/plt.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

struct loader {
	struct symbol_table *table;
	const struct elf_file *symbols, *runtime;
	GElf_Phdr segments[ELF_SEGMENTS_MAX];
	size_t segment_count;
	bool kernel; /* addresses in memory, which are greater by `bias` */
	uint64_t bias;
};

/* Returns where in the mapped file an address of a section is. */
static uint64_t place(const struct loader *loader, uint64_t address, const GElf_Shdr *section)
{
	for (size_t i = 0; i < loader->segment_count; i++) {
		const GElf_Phdr *s = &loader->segments[i];
		uint64_t size = s->p_memsz > s->p_filesz ? s->p_memsz : s->p_filesz;

		if (address >= s->p_vaddr && address - s->p_vaddr < size)
			return address - s->p_vaddr + s->p_offset;
	}
	return address - section->sh_addr + section->sh_offset;
}

static bool is_label(const GElf_Sym *symbol)
{
	unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);

	return GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && visibility != STV_HIDDEN &&
	       visibility != STV_INTERNAL;
}

static bool is_code_or_data(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT;
}

/* Symbols with which Arm's tools mark code ($x, $a, $t) and data ($d). */
static bool is_mapping_symbol(const struct elf_file *file, const char *name)
{
	return (file->header.e_machine == EM_ARM || file->header.e_machine == EM_AARCH64) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (name[2] == '\0' || name[2] == '.');
}

/* Finds the section of a symbol, in the mapped file if the other one lacks its bytes. */
static const char *find_section(const struct loader *loader, size_t index, GElf_Shdr *section)
{
	const struct elf_file *file = loader->symbols;
	Elf_Scn *scn = elf_getscn(file->elf, index);

	if (!scn || !gelf_getshdr(scn, section) || !(section->sh_flags & SHF_ALLOC))
		return NULL;
	if (section->sh_type == SHT_NOBITS) {
		file = loader->runtime;
		scn = elf_getscn(file->elf, index);
		if (!scn || !gelf_getshdr(scn, section))
			return NULL;
	}
	return elf_file_section_name(file, section);
}

static int add(struct loader *loader, const GElf_Sym *symbol, const char *name)
{
	struct plumb_symbol new = {
		.name = name,
		.binding = GELF_ST_BIND(symbol->st_info),
	};
	bool label = is_label(symbol);
	uint64_t value = symbol->st_value;
	const char *section;
	GElf_Shdr header;

	if ((!label && !is_code_or_data(symbol)) || is_mapping_symbol(loader->symbols, name))
		return 0;
	section = find_section(loader, symbol->st_shndx, &header);
	if (!section || (label && !strstr(section, "text") && !strstr(section, "data")))
		return 0;
	if (loader->symbols->header.e_machine == EM_ARM &&
	    GELF_ST_TYPE(symbol->st_info) == STT_FUNC)
		value &= ~UINT64_C(1); /* Thumb */
	if (loader->kernel) {
		if (loader->symbols->header.e_type == ET_REL && strcmp(section, ".text") != 0)
			return 0;
		new.start = value + loader->bias;
	} else {
		new.start = place(loader, value, &header);
	}
	new.end = new.start + symbol->st_size;
	if (new.end < new.start)
		new.end = new.start;
	return symbol_table_add(loader->table, &new);
}

static int add_all(struct loader *loader, Elf_Scn *scn)
{
	GElf_Shdr section;
	Elf_Data *data;
	int status = 0;
	size_t count;

	if (!scn || !gelf_getshdr(scn, &section))
		return 0;
	data = elf_file_data(scn);
	count = elf_section_entries(data, &section);
	for (size_t i = 0; status == 0 && i < count && i <= INT32_MAX; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		if (symbol.st_name == 0 || symbol.st_shndx == SHN_UNDEF ||
		    symbol.st_shndx >= SHN_LORESERVE)
			continue;
		name = elf_strptr(loader->symbols->elf, section.sh_link, symbol.st_name);
		if (name)
			status = add(loader, &symbol, name);
	}
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}

int elf_file_symbols(struct symbol_table *table, const struct elf_file *symbols,
		     const struct elf_file *runtime)
{
	struct loader loader = {.table = table, .symbols = symbols, .runtime = runtime};
	int status;

	loader.segment_count = elf_file_segments(runtime, loader.segments);
	status = add_all(&loader, symbols->symtab);
	if (status == 0)
		status = symbol_table_finish(table, false);
	if (status == 0)
		status = add_all(&loader, symbols->dynsym);
	if (status == 0)
		status = symbol_table_finish(table, false);
	if (status == 0 && table->count)
		status = plt_symbols(table, runtime);
	return status == 0 ? symbol_table_finish(table, false) : status;
}

int elf_kernel_symbols(struct symbol_table *table, const struct elf_file *file, uint64_t bias)
{
	struct loader loader = {
		.table = table, .symbols = file, .runtime = file, .kernel = true, .bias = bias};
	int status = add_all(&loader, file->symtab);

	return status == 0 ? symbol_table_finish(table, true) : status;
}

bool elf_symbol_address(const struct elf_file *file, const char *name, uint64_t *address)
{
	GElf_Shdr section;
	Elf_Data *data;
	GElf_Sym symbol;

	if (!file->symtab || !gelf_getshdr(file->symtab, &section))
		return false;
	data = elf_file_data(file->symtab);
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *found = elf_strptr(file->elf, section.sh_link, symbol.st_name);

		if (found && strcmp(found, name) == 0) {
			*address = symbol.st_value;
			return true;
		}
	}
	return false;
}
