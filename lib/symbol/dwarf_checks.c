/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/dwarf_checks.h"

#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "symbol/elf_file.h"

/* .debug_str, .debug_line_str, .debug_str.dwo, and their names when compressed. */
static bool holds_strings(const char *name)
{
	const char *debug = strstr(name, "debug_");

	return debug && strstr(debug, "str") && !strstr(debug, "str_offsets");
}

bool dwarf_strings_end(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const Elf_Data *data;
		const char *name;

		if (!gelf_getshdr(section, &header) ||
		    !(name = elf_strptr(elf, names, header.sh_name)) || !holds_strings(name))
			continue;
		data = elf_file_raw_data(section);
		if (data && data->d_buf && data->d_size &&
		    ((const char *)data->d_buf)[data->d_size - 1] != '\0')
			return false;
	}
	return true;
}

/* Returns whether `name` in `folder` is a regular file or does not exist. */
static bool ends(const char *folder, size_t length, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	if (snprintf(path, sizeof(path), "%.*s/%s", (int)length, folder, name) >= (int)sizeof(path))
		return false;
	return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* Finds FILE.dwp, where newer versions of libdw look first. Returns false if there is none. */
static bool find_package(const char *path, struct stat *status)
{
	char *real = realpath(path, NULL);
	char package[PATH_MAX + 8];
	bool found = false;

	if (real) {
		snprintf(package, sizeof(package), "%s.dwp", real);
		found = stat(package, status) == 0;
	}
	free(real);
	return found;
}

bool dwarf_has_package(const char *path)
{
	struct stat status;

	return find_package(path, &status) && S_ISREG(status.st_mode);
}

static bool package_ends(const char *path)
{
	struct stat status;

	return !find_package(path, &status) || S_ISREG(status.st_mode);
}

static const char *text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

const char *dwarf_split_name(Dwarf_Die *unit)
{
	const char *name = text(unit, DW_AT_dwo_name);

	return name ? name : text(unit, DW_AT_GNU_dwo_name);
}

bool dwarf_find_split(Dwarf_Die *unit, const char *path, Dwarf_Die *split)
{
	const char *name = dwarf_split_name(unit), *folder = text(unit, DW_AT_comp_dir);
	const char *slash = strrchr(path, '/');

	if (!name || !package_ends(path) || (name[0] == '/' && !ends("", 0, name)) ||
	    !ends(slash ? path : ".", slash ? (size_t)(slash - path) : 1, name) ||
	    (folder && strlen(folder) < PATH_MAX && !ends(folder, strlen(folder), name)))
		return false;
	*split = (Dwarf_Die){0};
	return dwarf_cu_info(unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) == 0 &&
	       split->addr && dwarf_strings_end(dwarf_getelf(dwarf_cu_getdwarf(split->cu)));
}
