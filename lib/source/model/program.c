/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/program.h"

#include "base/diagnostics.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a dynamic program's libraries may be: on the host itself, or in Debian's cross packages. */
static const char *const sysroots[] = {"/", "/usr/aarch64-linux-gnu"};

/* Names what people often run by mistake. */
static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return "an x86-64";
	case EM_386:
		return "an x86";
	case EM_ARM:
		return "a 32-bit Arm";
	case EM_RISCV:
		return "a RISC-V";
	case EM_PPC64:
		return "a POWER";
	case EM_S390:
		return "an s390";
	default:
		return "another processor's";
	}
}

static int complain(struct plumb_diagnostics *diagnostics, int error, const char *id,
		    const char *path, const char *problem, const char *hint)
{
	struct place where = {.file = path};

	diagnostics_add(diagnostics, PLUMB_ERROR, id, &where, "%s", problem);
	if (hint)
		plumb_diagnostics_hint(diagnostics, "%s", hint);
	return error;
}

static int no_memory(const char *path, struct plumb_diagnostics *diagnostics)
{
	return complain(diagnostics, PLUMB_ERR_NO_MEMORY, "no-memory", path, strerror(ENOMEM),
			NULL);
}

/*
 * Reads the program headers: finds the loader's name, and checks that the file has all that it
 * declares.
 */
static int read_headers(Elf *elf, const GElf_Ehdr *elf_header, struct program *program)
{
	size_t count, size;
	const char *bytes = elf_rawfile(elf, &size);

	/* libelf counts only headers that are there: fewer, if the file is truncated. */
	if (!bytes || elf_getphdrnum(elf, &count) || !count ||
	    (elf_header->e_phnum != PN_XNUM && count < elf_header->e_phnum))
		return PLUMB_ERR_INVALID;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header))
			return PLUMB_ERR_INVALID;
		/* A segment of zeros takes no room in the file, so its offset does not matter. */
		if (header.p_filesz == 0 && header.p_type != PT_INTERP)
			continue;
		if (header.p_offset > size || header.p_filesz > size - header.p_offset)
			return PLUMB_ERR_INVALID;
		if (header.p_type != PT_INTERP)
			continue;
		if (header.p_filesz == 0 || header.p_filesz > sizeof(program->interpreter) ||
		    bytes[header.p_offset + header.p_filesz - 1] != '\0')
			return PLUMB_ERR_INVALID;
		memcpy(program->interpreter, bytes + header.p_offset, header.p_filesz);
	}
	return 0;
}

/* Returns the place of the program's `address` in the file; 0: none. */
static uint64_t place_in_file(Elf *elf, uint64_t address)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
		    address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz)
			return address - header.p_vaddr + header.p_offset;
	return 0;
}

/* Returns the address of main(); 0: no symbol names it. */
static uint64_t find_main(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && name &&
			    strcmp(name, "main") == 0)
				return symbol.st_value;
		}
	}
	return 0;
}

/* Finds where the program's own code begins, after the loader's and the C library's. */
static void find_beginning(Elf *elf, const GElf_Ehdr *header, struct program *program)
{
	program->begins = place_in_file(elf, find_main(elf));
	program->begins_main = program->begins != 0;
	if (!program->begins)
		program->begins = place_in_file(elf, header->e_entry);
}

/* Lists the libraries that the program names. */
static void find_libraries(Elf *elf, struct program *program)
{
	Elf_Scn *section = NULL;
	size_t used = 0;
	GElf_Shdr header;
	GElf_Dyn entry;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC ||
		    !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
			const char *name =
				entry.d_tag == DT_NEEDED
					? elf_strptr(elf, header.sh_link, entry.d_un.d_val)
					: NULL;
			const size_t size = name ? strlen(name) + 1 : 0;

			/* A path is the same wherever the rest comes from. */
			if (size < 2 || strchr(name, '/') ||
			    size >= sizeof(program->libraries) - used)
				continue;
			memcpy(program->libraries + used, name, size);
			used += size;
		}
	}
}

static int inspect_elf(const char *path, Elf *elf, struct program *program,
		       struct plumb_diagnostics *diagnostics)
{
	char problem[160];
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return complain(diagnostics, PLUMB_ERR_EXEC, "not-elf", path, "not an ELF program",
				"to run a script, use its interpreter, built for AArch64, as the "
				"program and the script as its argument");
	if (header.e_machine != EM_AARCH64) {
		snprintf(problem, sizeof(problem), "%s program; the model runs only AArch64",
			 machine_name(header.e_machine));
		return complain(diagnostics, PLUMB_ERR_EXEC, "not-aarch64", path, problem,
				"build it for AArch64, for example with aarch64-linux-gnu-gcc");
	}
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return complain(diagnostics, PLUMB_ERR_EXEC, "not-aarch64", path,
				"an ILP32 or big-endian program; the model runs only "
				"little-endian LP64",
				NULL);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return complain(diagnostics, PLUMB_ERR_EXEC, "not-a-program", path,
				"an object or core file, not a program", "link it first");
	errno = 0;
	if (read_headers(elf, &header, program))
		return errno == ENOMEM ? no_memory(path, diagnostics)
				       : complain(diagnostics, PLUMB_ERR_EXEC, "broken-elf", path,
						  "a damaged ELF file: its contents do not match "
						  "its headers",
						  "build or copy it again");
	find_beginning(elf, &header, program);
	find_libraries(elf, program);
	return 0;
}

static int open_error(int error)
{
	switch (error) {
	case ENOENT:
		return PLUMB_ERR_NO_PROGRAM;
	case EMFILE:
	case ENFILE:
		return PLUMB_ERR_BUSY;
	case ENOMEM:
		return PLUMB_ERR_NO_MEMORY;
	default:
		return PLUMB_ERR_EXEC;
	}
}

int program_open(const char *path, int *fd, struct plumb_diagnostics *diagnostics)
{
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? complain(diagnostics, open_error(errno), "no-program", path,
				  strerror(errno), NULL)
		       : 0;
}

int program_inspect(const char *path, struct program *program,
		    struct plumb_diagnostics *diagnostics)
{
	struct stat status = {0};
	Elf *elf;
	int fd, error;

	memset(program, 0, sizeof(*program));
	error = program_open(path, &fd, diagnostics);
	if (error < 0)
		return error;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || access(path, X_OK)) {
		close(fd);
		return complain(diagnostics, PLUMB_ERR_EXEC, "not-executable", path,
				S_ISREG(status.st_mode) ? "not executable" : "not a regular file",
				S_ISREG(status.st_mode) ? "make it executable with chmod +x"
							: NULL);
	}
	program->inode = status.st_ino;
	elf_version(EV_CURRENT);
	errno = 0;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	error = elf               ? inspect_elf(path, elf, program, diagnostics)
		: errno == ENOMEM ? no_memory(path, diagnostics)
				  : complain(diagnostics, PLUMB_ERR_EXEC, "not-elf", path,
					     "not a readable ELF file", NULL);
	elf_end(elf);
	close(fd);
	return error;
}

static bool has_interpreter(const char *sysroot, const struct program *program)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", sysroot, program->interpreter);
	return access(path, R_OK) == 0;
}

/* Returns whether a file is one for AArch64: a host may have its own of the same name. */
static bool is_aarch64(const char *path)
{
	Elf64_Ehdr header;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool fine = fd >= 0 && read(fd, &header, sizeof(header)) == (ssize_t)sizeof(header) &&
		    memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
		    header.e_ident[EI_DATA] == ELFDATA2LSB &&
		    le16toh(header.e_machine) == EM_AARCH64;

	if (fd >= 0)
		close(fd);
	return fine;
}

/* Where the loader looks for libraries, below a sysroot. */
static bool has_library(const char *sysroot, const char *name)
{
	static const char *const folders[] = {"lib/aarch64-linux-gnu",
					      "usr/lib/aarch64-linux-gnu",
					      "lib",
					      "usr/lib",
					      "lib64",
					      "usr/lib64"};
	char path[2 * PATH_MAX];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", sysroot, folders[i], name);
		if (is_aarch64(path))
			return true;
	}
	return false;
}

const char *program_best_sysroot(const struct program *program, const char *const *folders,
				 size_t count)
{
	const char *best = NULL;
	size_t most = 0;

	for (size_t i = 0; i < count; i++) {
		size_t libraries = 0;

		if (!has_interpreter(folders[i], program))
			continue;
		for (const char *name = program->libraries; *name; name += strlen(name) + 1)
			libraries += has_library(folders[i], name);
		if (!best || libraries > most) {
			best = folders[i];
			most = libraries;
		}
	}
	return best;
}

int program_find_sysroot(const struct program *program, const char *wanted, const char **sysroot,
			 struct plumb_diagnostics *diagnostics)
{
	struct place where = {.file = wanted};

	*sysroot = wanted;
	if (!*program->interpreter)
		return 0;
	if (wanted) {
		if (has_interpreter(wanted, program))
			return 0;
	} else {
		*sysroot = program_best_sysroot(program, sysroots,
						sizeof(sysroots) / sizeof(sysroots[0]));
		if (*sysroot)
			return 0;
	}
	diagnostics_add(diagnostics, PLUMB_ERROR, "no-sysroot", wanted ? &where : NULL,
			"the program's loader %s is missing", program->interpreter);
	diagnostics_remedy(diagnostics, "sysroot", NULL,
			   "install libc6-arm64-cross, or name the folder of an AArch64 system");
	return PLUMB_ERR_MACHINE;
}
