/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of an ELF file's symbols name code or data, and where in the file they are: by the rules of
 * tools/perf/util/symbol-elf.c, so that Plumb and perf tell the same.
 */
#include "symbol/elf_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

#ifndef STT_GNU_IFUNC
#define STT_GNU_IFUNC 10
#endif

/* Longer names are cut off; demangling may make them longer again. */
#define PLT_NAME_MAX 1024

/* Segments beyond these are not looked at: compilers make a dozen. */
#define SEGMENTS_MAX 256

struct loader {
	struct symbol_table *table;
	const struct elf_file *symbols, *runtime;
	GElf_Phdr segments[SEGMENTS_MAX];
	size_t segment_count;
};

static void find_segments(struct loader *loader)
{
	size_t count;

	if (elf_getphdrnum(loader->runtime->elf, &count) != 0)
		return;
	for (size_t i = 0; i < count && loader->segment_count < SEGMENTS_MAX; i++) {
		GElf_Phdr *segment = &loader->segments[loader->segment_count];

		if (gelf_getphdr(loader->runtime->elf, (int)i, segment) &&
		    segment->p_type == PT_LOAD)
			loader->segment_count++;
	}
}

/* Where in the file that was mapped an address of a section is. */
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

static const char *section_name(const struct elf_file *file, const GElf_Shdr *section)
{
	size_t names;
	const char *name = NULL;

	if (elf_getshdrstrndx(file->elf, &names) == 0)
		name = elf_strptr(file->elf, names, section->sh_name);
	return name ? name : "";
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

/* Symbols by which Arm's tools tell code ($x, $a, $t) from data ($d). */
static bool is_mapping_symbol(const struct elf_file *file, const char *name)
{
	return (file->header.e_machine == EM_ARM || file->header.e_machine == EM_AARCH64) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]) &&
	       (name[2] == '\0' || name[2] == '.');
}

/* The section of a symbol: of the file that was mapped, where the other one lacks its bytes. */
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
	return section_name(file, section);
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
	new.start = place(loader, value, &header);
	new.end = new.start + symbol->st_size;
	if (new.end < new.start)
		new.end = new.start;
	return symbol_table_add(loader->table, &new);
}

/* How many entries a section's data has. */
static size_t entries(const Elf_Data *data, const GElf_Shdr *section)
{
	if (!data || !data->d_buf || section->sh_entsize == 0)
		return 0;
	return data->d_size / section->sh_entsize;
}

static int add_all(struct loader *loader, Elf_Scn *scn)
{
	GElf_Shdr section;
	Elf_Data *data;
	int status = 0;
	size_t count;

	if (!scn || !gelf_getshdr(scn, &section))
		return 0;
	data = elf_getdata(scn, NULL);
	count = entries(data, &section);
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

/* ---- The procedure linkage table ------------------------------------------------------------- */

struct plt {
	GElf_Shdr section, relocations, dynamic;
	Elf_Data *relocation_data, *symbol_data;
	uint64_t header, entry; /* sizes */
};

static bool find_plt(const struct elf_file *file, struct plt *plt)
{
	Elf_Scn *scn = NULL, *relocations = NULL;
	bool found = false, rela = false;
	GElf_Shdr header;

	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &header))
			continue;
		name = section_name(file, &header);
		if (strcmp(name, ".plt") == 0 && !found) {
			plt->section = header;
			found = true;
		} else if ((strcmp(name, ".rela.plt") == 0 && !rela) ||
			   (strcmp(name, ".rel.plt") == 0 && !relocations)) {
			plt->relocations = header;
			relocations = scn;
			rela = name[4] == 'a';
		}
	}
	if (!found || !relocations || !gelf_getshdr(file->dynsym, &plt->dynamic) ||
	    plt->relocations.sh_link != elf_ndxscn(file->dynsym))
		return false;
	plt->relocation_data = elf_getdata(relocations, NULL);
	plt->symbol_data = elf_getdata(file->dynsym, NULL);
	return plt->symbol_data;
}

/* The symbol that entry `i` of the relocations is for; false if there is none. */
static bool plt_symbol(const struct plt *plt, int i, size_t *symbol)
{
	GElf_Rela rela;
	GElf_Rel rel;

	if (plt->relocations.sh_type == SHT_RELA) {
		if (!gelf_getrela(plt->relocation_data, i, &rela))
			return false;
		*symbol = GELF_R_SYM(rela.r_info);
		return true;
	}
	if (plt->relocations.sh_type != SHT_REL || !gelf_getrel(plt->relocation_data, i, &rel))
		return false;
	*symbol = GELF_R_SYM(rel.r_info);
	return true;
}

static void plt_sizes(const struct elf_file *file, struct plt *plt)
{
	switch (file->header.e_machine) {
	case EM_AARCH64:
		plt->header = 32;
		plt->entry = 16;
		break;
	case EM_ARM:
		plt->header = 20;
		plt->entry = 12;
		break;
	default:
		plt->header = plt->entry = plt->section.sh_entsize;
		break;
	}
}

/* The table's entries have no names of their own: they are the relocations', in their order. */
static int add_plt(struct symbol_table *table, const struct elf_file *file)
{
	struct plt plt = {0};
	int status = 0;
	size_t count;

	if (!file->dynsym || !find_plt(file, &plt))
		return 0;
	plt_sizes(file, &plt);
	count = entries(plt.relocation_data, &plt.relocations);
	/* Offsets are of a file: what is out of all proportion is damage. */
	if (plt.section.sh_offset > INT64_MAX / 4 || plt.entry > 4096 || plt.header > 4096)
		return 0;
	for (size_t i = 0; status == 0 && i < count && i <= INT32_MAX; i++) {
		uint64_t start = plt.section.sh_offset + plt.header + i * plt.entry;
		char name[PLT_NAME_MAX];
		const char *called = NULL;
		size_t symbol = 0;
		GElf_Sym target;
		char *plain;

		if (!plt_symbol(&plt, (int)i, &symbol))
			break;
		if (symbol <= INT32_MAX && gelf_getsym(plt.symbol_data, (int)symbol, &target))
			called = elf_strptr(file->elf, plt.dynamic.sh_link, target.st_name);
		if (!called)
			called = "";
		plain = table->raw_names ? NULL : demangle(called, table->signatures);
		snprintf(name, sizeof(name), "%s@plt", plain ? plain : called);
		free(plain);
		status = symbol_table_add(table, &(struct plumb_symbol){
							 .start = start,
							 .end = start + plt.entry,
							 .name = name,
							 .binding = STB_GLOBAL,
						 });
	}
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}

int elf_file_symbols(struct symbol_table *table, const struct elf_file *symbols,
		     const struct elf_file *runtime)
{
	struct loader loader = {.table = table, .symbols = symbols, .runtime = runtime};
	int status;

	find_segments(&loader);
	status = add_all(&loader, symbols->symtab);
	if (status == 0)
		status = symbol_table_finish(table, false);
	if (status == 0)
		status = add_all(&loader, symbols->dynsym);
	if (status == 0)
		status = symbol_table_finish(table, false);
	if (status == 0 && table->count)
		status = add_plt(table, runtime);
	return status == 0 ? symbol_table_finish(table, false) : status;
}
