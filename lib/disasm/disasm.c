/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the module with LLVM in it, and asks it. */
#include <plumb/disasm.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics.h"
#include "disasm/module.h"
#include "plugin_dir.h"

struct plumb_disassembler {
	const struct disasm_module *module;
	void *context;
};

/* Adds a finding about the module's file. Returns MACHINE. */
static int refuse(struct plumb_diagnostics *diagnostics, const char *path, const char *what,
		  const char *why)
{
	diagnostics_add(diagnostics, PLUMB_ERROR, "no-disassembler", &(struct place){.file = path},
			"%s: %s", what, why);
	return PLUMB_ERR_MACHINE;
}

/* Tells whether something else than a library is missing. The loader has only a text to say so. */
static bool lacks_room(const char *why)
{
	return strstr(why, strerror(ENOMEM)) || strstr(why, "failed to map segment") ||
	       strstr(why, strerror(EMFILE)) || strstr(why, strerror(ENFILE));
}

/*
 * Loads the module, which stays loaded: LLVM registers targets, which cannot be undone. Returns 0,
 * or MACHINE with a finding.
 */
static int load(const char *path, const struct disasm_module **module,
		struct plumb_diagnostics *diagnostics)
{
	void *handle;

	if (access(path, R_OK) != 0) {
		int error =
			refuse(diagnostics, path, "no disassembler is installed", strerror(errno));

		plumb_diagnostics_hint(diagnostics,
				       "install LLVM's headers (Debian: llvm-19-dev), then "
				       "build and install plumb again");
		return error;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *why = dlerror();
		int error = refuse(diagnostics, path, "cannot load the disassembler", why);

		plumb_diagnostics_hint(
			diagnostics,
			lacks_room(why)
				? "raise the limits of memory (ulimit -v) and files (ulimit -n)"
				: "install the LLVM library that it names (Debian: libllvm19)");
		return error;
	}
	*module = dlsym(handle, DISASM_SYMBOL);
	if (!*module || (*module)->interface != DISASM_INTERFACE) {
		dlclose(handle);
		refuse(diagnostics, path, "cannot load the disassembler",
		       "it belongs to another version of plumb");
		plumb_diagnostics_hint(diagnostics, "install plumb again with make install");
		return PLUMB_ERR_MACHINE;
	}
	return 0;
}

int plumb_disassembler_new(const char *module_dir, struct plumb_disassembler **disassembler,
			   struct plumb_diagnostics *diagnostics)
{
	struct plumb_disassembler *made = calloc(1, sizeof(*made));
	char *path = NULL;
	int error = PLUMB_ERR_NO_MEMORY;

	*disassembler = NULL;
	if (!made ||
	    asprintf(&path, "%s/" DISASM_FILE, module_dir ? module_dir : PLUMB_PLUGIN_DIR) < 0)
		goto out;
	error = load(path, &made->module, diagnostics);
	if (error)
		goto out;
	made->context = made->module->open();
	if (made->context) {
		*disassembler = made;
		made = NULL;
	} else {
		error = refuse(diagnostics, path, "cannot disassemble",
			       "this LLVM does not support AArch64");
	}
out:
	free(path);
	free(made);
	return error;
}

void plumb_disassembler_free(struct plumb_disassembler *disassembler)
{
	if (!disassembler)
		return;
	disassembler->module->close(disassembler->context);
	free(disassembler);
}

const char *plumb_disassembler_version(const struct plumb_disassembler *disassembler)
{
	return disassembler->module->version;
}

/* Moves what follows "//" to the remark, and removes the spaces before it. */
static void split_remark(struct plumb_disassembly *disassembly)
{
	char *remark = strstr(disassembly->text, " // ");

	if (!remark)
		return;
	snprintf(disassembly->remark, sizeof(disassembly->remark), "%s", remark + 4);
	while (remark > disassembly->text && remark[-1] == ' ')
		remark--;
	*remark = '\0';
}

bool plumb_disassemble(struct plumb_disassembler *disassembler, uint64_t address, uint32_t word,
		       struct plumb_disassembly *disassembly)
{
	disassembly->remark[0] = '\0';
	if (!disassembler->module->disassemble(disassembler->context, address, word,
					       disassembly->text, sizeof(disassembly->text))) {
		snprintf(disassembly->text, sizeof(disassembly->text), ".word\t0x%08" PRIx32, word);
		return false;
	}
	split_remark(disassembly);
	return true;
}
