/* SPDX-License-Identifier: Apache-2.0 */
/* Which system a program's libraries come from, of several that have its loader. */
#include "source/model/program.h"

#include "check.h"

#include <elf.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/plumb-test-XXXXXX";

static const char *in_root(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

/* Writes a file for a machine, with its folders. */
static void put(const char *name, unsigned machine)
{
	Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN,
			     .e_machine = (Elf64_Half)machine};
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s", in_root(name));
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	fclose(file);
}

/* A program with two names of libraries, and one by its path. */
static void write_program(const char *path)
{
	static const char strings[] = "\0libc.so.6\0libstdc++.so.6\0/opt/libown.so";
	static const char loader[] = "/lib/ld-linux-aarch64.so.1";
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Shdr sections[3];
		Elf64_Dyn entries[4];
		char strings[sizeof(strings)], loader[sizeof(loader)];
	} image = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT},
			   .e_type = ET_DYN,
			   .e_machine = EM_AARCH64,
			   .e_version = EV_CURRENT,
			   .e_ehsize = sizeof(image.header),
			   .e_phoff = offsetof(__typeof__(image), segment),
			   .e_phentsize = sizeof(image.segment),
			   .e_phnum = 1,
			   .e_shoff = offsetof(__typeof__(image), sections),
			   .e_shentsize = sizeof(*image.sections),
			   .e_shnum = 3},
		.segment = {.p_type = PT_INTERP,
			    .p_offset = offsetof(__typeof__(image), loader),
			    .p_filesz = sizeof(loader)},
		.sections = {[1] = {.sh_type = SHT_DYNAMIC,
				    .sh_offset = offsetof(__typeof__(image), entries),
				    .sh_size = sizeof(image.entries),
				    .sh_entsize = sizeof(*image.entries),
				    .sh_addralign = 8,
				    .sh_link = 2},
			     [2] = {.sh_type = SHT_STRTAB,
				    .sh_offset = offsetof(__typeof__(image), strings),
				    .sh_size = sizeof(strings),
				    .sh_addralign = 1}},
		.entries = {{DT_NEEDED, {1}}, {DT_NEEDED, {11}}, {DT_NEEDED, {26}}, {DT_NULL, {0}}},
	};
	FILE *file = fopen(path, "w");

	memcpy(image.strings, strings, sizeof(strings));
	memcpy(image.loader, loader, sizeof(loader));
	assert_non_null(file);
	assert_int_equal(fwrite(&image, sizeof(image), 1, file), 1);
	fclose(file);
	assert_int_equal(chmod(path, 0700), 0);
}

static void most_libraries(void **state)
{
	char one[256], other[256];
	const char *const folders[] = {one, other};
	struct program program;

	(void)state;
	snprintf(one, sizeof(one), "%s", in_root("one"));
	snprintf(other, sizeof(other), "%s", in_root("other"));
	write_program(in_root("program"));
	assert_int_equal(program_inspect(in_root("program"), &program, NULL), 0);
	assert_string_equal(program.interpreter, "/lib/ld-linux-aarch64.so.1");
	assert_memory_equal(program.libraries, "libc.so.6\0libstdc++.so.6\0", 26);

	assert_null(program_best_sysroot(&program, folders, 2));
	put("other/lib/ld-linux-aarch64.so.1", EM_AARCH64);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), other);
	/* The first of those that are alike. */
	put("one/lib/ld-linux-aarch64.so.1", EM_AARCH64);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), one);
	put("one/usr/lib/aarch64-linux-gnu/libc.so.6", EM_AARCH64);
	put("other/lib/libc.so.6", EM_AARCH64);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), one);
	/* One for another machine is none. */
	put("one/usr/lib64/libstdc++.so.6", EM_X86_64);
	put("other/lib/libstdc++.so.6", EM_AARCH64);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), other);
	put("one/lib/aarch64-linux-gnu/libstdc++.so.6", EM_AARCH64);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), one);
	/* More of them do not make up for the loader. */
	assert_int_equal(remove(in_root("other/lib/libc.so.6")), 0);
	assert_int_equal(remove(in_root("one/lib/ld-linux-aarch64.so.1")), 0);
	assert_ptr_equal(program_best_sysroot(&program, folders, 2), other);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status, (void)type, (void)place;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(most_libraries)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
