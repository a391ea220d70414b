/* SPDX-License-Identifier: Apache-2.0 */
/* What the model needs: an engine, and for programs to run in it libraries and a compiler. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor.h"
#include "tool/machine.h"

static void check_engine(struct checkup *checkup, const char *qemu)
{
	char *why = NULL, *fix = NULL, *engine = machine_find_engine(qemu, &why, &fix);
	struct check *check;

	if (engine) {
		checkup_add(checkup, "engine", "Model", CHECK_WORKS, engine);
		return;
	}
	check = checkup_add(checkup, "engine", "Model", CHECK_MISSING,
			    checkup_text("no QEMU that can run it"));
	check->why = why;
	check->fix = fix;
}

/* Returns the first of these files that is there, or NULL. */
static const char *first_of(const char *const *paths)
{
	while (*paths && access(*paths, F_OK) != 0)
		paths++;
	return *paths;
}

static void check_libraries(struct checkup *checkup)
{
	static const char *const loaders[] = {"/lib/ld-linux-aarch64.so.1",
					      "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
					      NULL};
	const char *loader = first_of(loaders);
	struct check *check;

	if (loader) {
		checkup_add(checkup, "libraries", "Libraries", CHECK_WORKS,
			    memory_format("dynamic AArch64 programs run in the model, with %s",
					  loader));
		return;
	}
	check = checkup_add(checkup, "libraries", "Libraries", CHECK_MISSING,
			    checkup_text("dynamic AArch64 programs do not run in the model"));
	check->fix = checkup_text("sudo apt-get install libc6-arm64-cross");
	check->instead = checkup_text("static programs run; -L names the folder of another system");
}

static void check_compiler(struct checkup *checkup)
{
	static const char *const names[] = {"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-clang"};
	struct check *check;

	if (checkup->machine.arm)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = machine_find_program(names[i]);

		if (!path)
			continue;
		checkup_add(checkup, "compiler", "Compiler", CHECK_WORKS, path);
		return;
	}
	check = checkup_add(checkup, "compiler", "Compiler", CHECK_MISSING,
			    checkup_text("no compiler for AArch64 programs"));
	check->fix = checkup_text("sudo apt-get install gcc-aarch64-linux-gnu");
	check->instead = checkup_text("programs that were built elsewhere run");
}

void checkup_model(struct checkup *checkup, const char *qemu)
{
	check_engine(checkup, qemu);
	check_libraries(checkup);
	check_compiler(checkup);
}
