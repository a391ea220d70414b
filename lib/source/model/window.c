/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/window.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "base/near.h"
#include "source/model/program.h"

#define INSTRUCTION    4 /* bytes */
#define ADDRESS_DIGITS 8 /* of an address that begins with a letter */

/* A place to look for. */
struct search {
	Elf *elf;
	const char *text; /* as it was given */
	const char *file;
	struct plumb_diagnostics *diagnostics;
};

static int refuse(const struct search *search, int error, const char *why, const char *hint)
{
	const struct place where = {.file = search->file};

	diagnostics_add(search->diagnostics, PLUMB_ERROR, "no-place", &where, "'%s': %s",
			search->text, why);
	if (hint)
		plumb_diagnostics_hint(search->diagnostics, "%s", hint);
	return error;
}

/* ---- addresses ---------------------------------------------------------------------------- */

/* Parses `text`, which must consist of hexadecimal digits. */
static bool read_hex(const char *text, uint64_t *value)
{
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (!*text || strspn(text, "0123456789abcdefABCDEF") != strlen(text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 16);
	return errno == 0;
}

/*
 * Makes a place from an address in the file: if there is code, the offset, so that it does not
 * matter where the file is mapped. Returns false if something else is there.
 */
static bool place_of(Elf *elf, uint64_t address, struct model_place *place)
{
	GElf_Phdr header;
	size_t count;

	*place = (struct model_place){address, false};
	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address - header.p_vaddr >= header.p_memsz)
			continue;
		*place = (struct model_place){address - header.p_vaddr + header.p_offset, true};
		return header.p_flags & PF_X && address - header.p_vaddr < header.p_filesz;
	}
	return true;
}

static int take_address(const struct search *search, uint64_t address, struct model_place *place)
{
	if (address % INSTRUCTION)
		return refuse(search, PLUMB_ERR_ARGUMENT, "not the address of an instruction",
			      "use a multiple of 4");
	if (!place_of(search->elf, address, place))
		return refuse(search, PLUMB_ERR_ARGUMENT, "this is data, not code", NULL);
	if (!place->value)
		return refuse(search, PLUMB_ERR_ARGUMENT, "not the address of code", NULL);
	return 0;
}

/* ---- symbols ------------------------------------------------------------------------------ */

/* What is found by a name. */
struct match {
	uint64_t address, size;
	bool any, ambiguous;
	struct near near;
	bool symbols; /* the file has some */
};

static bool is_code(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static void look_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name,
		    struct match *match)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *its = elf_strptr(elf, header->sh_link, symbol.st_name);

		/* $x marks code, $d data. */
		if (!its || !*its || *its == '$' || !is_code(&symbol))
			continue;
		match->symbols = true;
		near_offer(&match->near, its, its);
		if (strcmp(its, name) != 0)
			continue;
		match->ambiguous |= match->any && match->address != symbol.st_value;
		match->any = true;
		match->address = symbol.st_value;
		match->size = symbol.st_size;
	}
}

static void look_up(Elf *elf, uint32_t type, const char *name, struct match *match)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type)
			look_in(elf, section, &header, name, match);
}

static int refuse_symbol(const struct search *search, const struct match *match)
{
	if (!match->symbols)
		return refuse(search, PLUMB_ERR_NOT_FOUND, "the program has no symbols",
			      "use an address, or build the program without stripping it");
	refuse(search, PLUMB_ERR_NOT_FOUND, "the program has no such function",
	       match->near.best ? NULL : "list the names with nm");
	if (match->near.best)
		plumb_diagnostics_hint(search->diagnostics, "did you mean %s?", match->near.best);
	return PLUMB_ERR_NOT_FOUND;
}

/* Finds the function `name`, and the place at the offset `plus` in it unless that is NULL. */
static int find_symbol(const struct search *search, const char *name, const char *plus,
		       struct model_place *place)
{
	struct match match = {.near = near_to(name)};
	uint64_t offset = 0, address;

	errno = 0;
	look_up(search->elf, SHT_SYMTAB, name, &match);
	if (!match.any)
		look_up(search->elf, SHT_DYNSYM, name, &match);
	if (!match.any && errno == ENOMEM)
		return PLUMB_ERR_NO_MEMORY;
	/* Addresses as printed by nm and plumb script may begin with a letter. */
	if (!match.any && !plus && strlen(name) >= ADDRESS_DIGITS && read_hex(name, &address))
		return take_address(search, address, place);
	if (!match.any)
		return refuse_symbol(search, &match);
	if (match.ambiguous)
		return refuse(search, PLUMB_ERR_ARGUMENT, "several functions have this name",
			      "use an address, as nm prints it");
	if (plus && !read_hex(plus, &offset))
		return refuse(search, PLUMB_ERR_ARGUMENT, "invalid offset",
			      "use a hexadecimal offset: main+0x138");
	if (offset && match.size && offset >= match.size)
		return refuse(search, PLUMB_ERR_ARGUMENT, "the function is not that long", NULL);
	return take_address(search, match.address + offset, place);
}

/* Parts NAME+OFFSET. */
static int split_symbol(const struct search *search, struct model_place *place)
{
	char *name = strdup(search->text), *plus = name ? strrchr(name, '+') : NULL;
	int error;

	if (!name)
		return PLUMB_ERR_NO_MEMORY;
	if (plus)
		*plus++ = '\0';
	error = *name ? find_symbol(search, name, plus, place)
		      : refuse(search, PLUMB_ERR_ARGUMENT, "not a function or address",
			       "name a function, or give an address as nm prints it");
	free(name);
	return error;
}

static int find_place(Elf *elf, const char *text, const char *file, struct model_place *place,
		      struct plumb_diagnostics *diagnostics)
{
	const struct search search = {elf, text, file, diagnostics};
	uint64_t address;

	if (!text)
		return 0;
	/* No function's name begins with a digit. */
	if (strchr("0123456789", *text) && *text)
		return read_hex(text, &address)
			       ? take_address(&search, address, place)
			       : refuse(&search, PLUMB_ERR_ARGUMENT, "invalid address",
					"use a hexadecimal address: 0x400668");
	return split_symbol(&search, place);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static int find_places(struct model_window_request *request, const struct plumb_window *window,
		       const char *program, struct plumb_diagnostics *diagnostics)
{
	int fd, error = program_open(program, &fd, diagnostics);
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	errno = 0;
	if (!error && !(elf = elf_begin(fd, ELF_C_READ, NULL)))
		error = errno == ENOMEM ? PLUMB_ERR_NO_MEMORY : PLUMB_ERR_EXEC;
	if (!error)
		error = find_place(elf, window->from, program, &request->from, diagnostics);
	if (!error)
		error = find_place(elf, window->to, program, &request->to, diagnostics);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return error;
}

int model_window_read(struct model_window_request *request, const struct plumb_window *window,
		      const char *program, struct plumb_diagnostics *diagnostics)
{
	int error = 0;

	*request = (struct model_window_request){0};
	if (!window)
		return 0;
	request->delay_ms = (unsigned)window->delay_ms;
	request->timeout_ms = window->timeout_ms;
	request->max_instructions = window->max_instructions;
	if (window->from || window->to)
		error = find_places(request, window, program, diagnostics);
	if (error == 0 && request->from.value && request->from.value == request->to.value &&
	    request->from.in_file == request->to.in_file) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "same-place", NULL,
				      "'%s' and '%s' are the same place", window->from, window->to);
		error = PLUMB_ERR_ARGUMENT;
	}
	return error;
}

bool model_window_is_asked(const struct model_window_request *request)
{
	return request->from.value || request->to.value || request->delay_ms ||
	       request->timeout_ms || request->max_instructions;
}
