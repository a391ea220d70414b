/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries have no names of their own. Each jumps to the address in a slot of the global offset
 * table, and a relocation names the function whose address that slot gets. So the code itself tells
 * which entry belongs to which function, however long entries are, with or without landing pads
 * (BTI, IBT) and authentication. If the code cannot be read or is for another machine, entries are
 * taken in the order of their relocations. Functions of the file itself that are chosen when it
 * starts, such as a static program's memcpy, have entries too: their relocations have the address
 * of the function that chooses, which has the name of those it chooses from.
 */
#include "symbol/plt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

#ifndef R_AARCH64_IRELATIVE
#define R_AARCH64_IRELATIVE 1032
#endif

/* Longer names are cut off; demangling may make them longer. */
#define PLT_NAME_MAX 1024
/* More slots than this do not occur. */
#define SLOTS_MAX ((size_t)1 << 22)
/* The longest entry. */
#define ENTRY_MAX 32

/* What fills a slot of the global offset table. */
struct slot {
	uint64_t address, addend;
	size_t symbol;    /* index in .dynsym; 0: none, a function at `addend` chooses */
	const char *name; /* of the function at `addend`, or NULL */
};

struct plt {
	struct symbol_table *table;
	const struct elf_file *file;
	Elf_Data *symbols; /* of .dynsym; NULL: a static program has none */
	GElf_Shdr dynamic;
	struct slot *slots;
	size_t count, room;
	GElf_Shdr relocations; /* .rela.plt or .rel.plt; type SHT_NULL: none */
	Elf_Data *relocation_data;
	GElf_Phdr segments[ELF_SEGMENTS_MAX];
	size_t segment_count;
};

/* ---- Slots ------------------------------------------------------------------------------------
 */

static int add_slot(struct plt *plt, const struct slot *slot)
{
	if (plt->count == SLOTS_MAX)
		return 0;
	if (plt->count == plt->room) {
		size_t room = plt->room ? 2 * plt->room : 64;
		struct slot *grown = reallocarray(plt->slots, room, sizeof(*grown));

		if (!grown)
			return PLUMB_ERR_NO_MEMORY;
		plt->slots = grown;
		plt->room = room;
	}
	plt->slots[plt->count++] = *slot;
	return 0;
}

static bool is_irelative(const struct elf_file *file, uint64_t type)
{
	return type ==
	       (file->header.e_machine == EM_AARCH64 ? R_AARCH64_IRELATIVE : R_X86_64_IRELATIVE);
}

/* Reads a relocation of either form. Returns false if there is none. */
static bool read_relocation(const GElf_Shdr *header, Elf_Data *data, size_t i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (i > INT32_MAX)
		return false;
	if (header->sh_type == SHT_RELA)
		return gelf_getrela(data, (int)i, rela);
	if (header->sh_type != SHT_REL || !gelf_getrel(data, (int)i, &rel))
		return false;
	*rela = (GElf_Rela){.r_offset = rel.r_offset, .r_info = rel.r_info};
	return true;
}

/* Returns the name of the symbol that begins at an address, or NULL. */
static const char *name_at(const struct plt *plt, uint64_t address)
{
	for (size_t i = 0; i < plt->segment_count; i++) {
		const GElf_Phdr *s = &plt->segments[i];
		const uint64_t place = address - s->p_vaddr + s->p_offset;
		const struct plumb_symbol *symbol;

		if (address < s->p_vaddr || address - s->p_vaddr >= s->p_filesz)
			continue;
		symbol = symbol_table_find(plt->table, place);
		return symbol && symbol->start == place ? symbol->name : NULL;
	}
	return NULL;
}

static int read_slots_of(struct plt *plt, const GElf_Shdr *header, Elf_Data *data)
{
	size_t count = elf_section_entries(data, header);
	GElf_Rela rela;
	int status = 0;

	for (size_t i = 0; status == 0 && i < count && read_relocation(header, data, i, &rela);
	     i++) {
		struct slot slot = {.address = rela.r_offset,
				    .addend = (uint64_t)rela.r_addend,
				    .symbol = GELF_R_SYM(rela.r_info)};
		const bool chosen = is_irelative(plt->file, GELF_R_TYPE(rela.r_info));

		/* Names are looked up before entries are added, which may move the table. */
		if (chosen)
			slot.name = name_at(plt, slot.addend);
		/* The others, which are most, are for data: addresses of the file's own. */
		if (chosen || (slot.symbol && plt->symbols))
			status = add_slot(plt, &slot);
	}
	return status;
}

static int by_address(const void *a, const void *b)
{
	const struct slot *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

/* Returns how many relocations of the table at `address` come first and name no symbol:
 * DT_RELACOUNT of those at DT_RELA. They may be nearly all. */
static uint64_t count_relative(const struct elf_file *file, uint64_t address)
{
	uint64_t table = 0, relative = 0;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr header;
		GElf_Dyn entry;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_file_data(scn);
		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL;
		     i++) {
			if (entry.d_tag == DT_RELA)
				table = entry.d_un.d_ptr;
			if (entry.d_tag == DT_RELACOUNT)
				relative = entry.d_un.d_val;
		}
	}
	return table == address ? relative : 0;
}

/* Returns the relocations of a section, without those that are known to fill no slot. */
static Elf_Data *read_relocations(const struct plt *plt, Elf_Scn *scn, const GElf_Shdr *header)
{
	const uint64_t relative =
		header->sh_type == SHT_RELA ? count_relative(plt->file, header->sh_addr) : 0;
	const uint64_t size = header->sh_entsize;

	if (!relative || !size || relative > header->sh_size / size ||
	    header->sh_offset > UINT64_MAX - header->sh_size)
		return elf_file_data(scn);
	if (relative * size == header->sh_size)
		return NULL;
	return elf_file_part(plt->file, header->sh_offset + relative * size,
			     header->sh_size - relative * size, ELF_T_RELA);
}

/*
 * Collects all relocations that the dynamic linker applies, or the start of a static program, and
 * the section with those of .plt.
 */
static int read_slots(struct plt *plt)
{
	Elf_Scn *scn = NULL;
	int status = 0;

	while (status == 0 && (scn = elf_nextscn(plt->file->elf, scn))) {
		GElf_Shdr header;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) ||
		    (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) ||
		    !(header.sh_flags & SHF_ALLOC) ||
		    (plt->symbols && header.sh_link != elf_ndxscn(plt->file->dynsym)))
			continue;
		name = elf_file_section_name(plt->file, &header);
		if (strcmp(name, ".rela.plt") == 0 ||
		    (strcmp(name, ".rel.plt") == 0 && !plt->relocation_data)) {
			data = elf_file_data(scn);
			plt->relocations = header;
			plt->relocation_data = data;
		} else {
			data = read_relocations(plt, scn, &header);
		}
		status = read_slots_of(plt, &header, data);
	}
	if (plt->count)
		qsort(plt->slots, plt->count, sizeof(*plt->slots), by_address);
	return status;
}

static const struct slot *find_slot(const struct plt *plt, uint64_t address)
{
	const struct slot key = {.address = address};

	return plt->count ? bsearch(&key, plt->slots, plt->count, sizeof(key), by_address) : NULL;
}

/* ---- Names ------------------------------------------------------------------------------------
 */

static int add_entry(struct plt *plt, uint64_t start, uint64_t end, size_t symbol,
		     const char *called)
{
	struct symbol_table *table = plt->table;
	char name[PLT_NAME_MAX];
	GElf_Sym target;
	char *plain;

	if (plt->symbols && symbol && symbol <= INT32_MAX &&
	    gelf_getsym(plt->symbols, (int)symbol, &target)) {
		const char *found =
			elf_strptr(plt->file->elf, plt->dynamic.sh_link, target.st_name);

		called = found ? found : called;
	}
	plain = table->raw_names ? NULL : demangle(called, table->signatures);
	snprintf(name, sizeof(name), "%s@plt", plain ? plain : called);
	free(plain);
	return symbol_table_add(
		table, &(struct plumb_symbol){
			       .start = start, .end = end, .name = name, .binding = STB_GLOBAL});
}

/* ---- What the code says -----------------------------------------------------------------------
 */

/* A section of entries, and where an entry was found to begin. */
struct code {
	const GElf_Shdr *section;
	const uint8_t *bytes;
	size_t size;
	bool aarch64;
};

static uint32_t word(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* `adrp x16, PAGE; ldr x17, [x16, #OFFSET]`, behind `bti c` if there are landing pads. */
static bool decode_aarch64(const struct code *code, size_t at, size_t *start, uint64_t *slot)
{
	uint32_t adrp, ldr;
	uint64_t page;

	if (code->size - at < 8)
		return false;
	adrp = word(code->bytes + at);
	ldr = word(code->bytes + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	/* 21 bits with a sign. */
	page = ((page ^ UINT64_C(0x100000)) - UINT64_C(0x100000)) << 12;
	*slot = ((code->section->sh_addr + at) & ~UINT64_C(0xfff)) + page +
		((uint64_t)(ldr >> 10 & 0xfff) << 3);
	*start = at >= 4 && word(code->bytes + at - 4) == 0xd503245f ? at - 4 : at;
	return true;
}

/* `jmp *OFFSET(%rip)`, behind `endbr64` if there are landing pads, and maybe with a prefix. */
static bool decode_x86_64(const struct code *code, size_t at, size_t *start, uint64_t *slot)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t begin = at;
	int32_t offset;

	if (code->size - at < 6 || code->bytes[at] != 0xff || code->bytes[at + 1] != 0x25)
		return false;
	offset = (int32_t)word(code->bytes + at + 2);
	*slot = code->section->sh_addr + at + 6 + (uint64_t)(int64_t)offset;
	if (begin >= 1 && code->bytes[begin - 1] == 0xf2) /* bnd */
		begin--;
	if (begin >= 4 && memcmp(code->bytes + begin - 4, endbr64, 4) == 0)
		begin -= 4;
	*start = begin;
	return true;
}

/* Each entry ends where the next begins; the last one is as long as the one before. */
static int add_by_code(struct plt *plt, const struct code *code, size_t *found)
{
	const struct slot *last = NULL;
	size_t last_start = 0, length = code->aarch64 ? 16 : 8;
	char called[32];
	int status = 0;

	if (code->section->sh_entsize && code->section->sh_entsize <= ENTRY_MAX)
		length = code->section->sh_entsize;
	for (size_t at = 0; status == 0 && at <= code->size;
	     at += code->aarch64 && code->size - at >= 4 ? 4 : 1) {
		const struct slot *slot = NULL;
		uint64_t address = 0;
		size_t start = code->size;

		if (at < code->size) {
			if (!(code->aarch64 ? decode_aarch64 : decode_x86_64)(code, at, &start,
									      &address) ||
			    !(slot = find_slot(plt, address)))
				continue;
		}
		if (last) {
			if (slot && start - last_start <= ENTRY_MAX)
				length = start - last_start;
			if (length > start - last_start)
				length = start - last_start;
			snprintf(called, sizeof(called), "*ABS*+0x%" PRIx64, last->addend);
			status = add_entry(plt, code->section->sh_offset + last_start,
					   code->section->sh_offset + last_start + length,
					   last->symbol, last->name ? last->name : called);
			++*found;
		}
		last = slot;
		last_start = start;
	}
	return status;
}

/* ---- The order of relocations -----------------------------------------------------------------
 */

static void sizes_of(const struct elf_file *file, const GElf_Shdr *section, uint64_t *header,
		     uint64_t *entry)
{
	switch (file->header.e_machine) {
	case EM_AARCH64:
		*header = 32;
		*entry = 16;
		break;
	case EM_ARM:
		*header = 20;
		*entry = 12;
		break;
	default:
		*header = *entry = section->sh_entsize;
		break;
	}
}

static int add_by_order(struct plt *plt, const GElf_Shdr *section)
{
	size_t count = elf_section_entries(plt->relocation_data, &plt->relocations);
	uint64_t header, entry, start;
	GElf_Rela rela;
	int status = 0;

	sizes_of(plt->file, section, &header, &entry);
	/* Offsets lie within a file: anything far larger is damage. */
	if (section->sh_offset > INT64_MAX / 4 || entry > 4096 || header > 4096)
		return 0;
	start = section->sh_offset + header;
	for (size_t i = 0; status == 0 && i < count &&
			   read_relocation(&plt->relocations, plt->relocation_data, i, &rela);
	     i++, start += entry)
		status = add_entry(plt, start, start + entry, GELF_R_SYM(rela.r_info), "");
	return status;
}

/* ---- All tables -------------------------------------------------------------------------------
 */

static int add_section(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *section, const char *name)
{
	const uint16_t machine = plt->file->header.e_machine;
	const unsigned char *ident = plt->file->header.e_ident;
	const Elf_Data *data = elf_file_raw_data(scn);
	size_t found = 0;
	int status = 0;

	if (data && data->d_buf && section->sh_type != SHT_NOBITS &&
	    section->sh_offset <= INT64_MAX / 4 && ident[EI_CLASS] == ELFCLASS64 &&
	    ident[EI_DATA] == ELFDATA2LSB && (machine == EM_AARCH64 || machine == EM_X86_64)) {
		const struct code code = {section, data->d_buf, data->d_size,
					  machine == EM_AARCH64};

		status = add_by_code(plt, &code, &found);
	}
	if (status == 0 && !found && strcmp(name, ".plt") == 0 && plt->symbols &&
	    plt->relocation_data)
		status = add_by_order(plt, section);
	return status;
}

int plt_symbols(struct symbol_table *table, const struct elf_file *file)
{
	struct plt plt = {.table = table, .file = file};
	Elf_Scn *scn = NULL;
	int status;

	if (file->dynsym && gelf_getshdr(file->dynsym, &plt.dynamic))
		plt.symbols = elf_file_data(file->dynsym);
	plt.segment_count = elf_file_segments(file, plt.segments);
	status = read_slots(&plt);
	while (status == 0 && (scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr section;
		const char *name;

		if (!gelf_getshdr(scn, &section) || !(section.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_file_section_name(file, &section);
		if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0 ||
		    strcmp(name, ".plt.got") == 0 || strcmp(name, ".plt.bnd") == 0 ||
		    strcmp(name, ".iplt") == 0)
			status = add_section(&plt, scn, &section, name);
	}
	free(plt.slots);
	return status == PLUMB_ERR_LIMIT ? 0 : status;
}
