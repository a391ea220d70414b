/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/modules.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folders.h"
#include "plugin_dir.h"
#include "tool/memory.h"

/* Is this the program that was built, in the place where it was built? */
static bool runs_from_build(void)
{
	struct stat self, built;

	return stat("/proc/self/exe", &self) == 0 &&
	       stat(PLUMB_BUILD_DIR "/cli/plumb", &built) == 0 && self.st_dev == built.st_dev &&
	       self.st_ino == built.st_ino;
}

char *modules_find(const char *file, const char *built)
{
	char self[4096], *slash, *path, *module = NULL;
	ssize_t length;

	if (runs_from_build())
		return memory_copy(built, strlen(built));
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[length > 0 ? length : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash) {
		path = memory_format("%.*s/" PLUMB_PLUGIN_FROM_BIN "/%s", (int)(slash - self), self,
				     file);
		module = realpath(path, NULL);
		free(path);
	}
	if (module) {
		*strrchr(module, '/') = '\0';
		return module;
	}
	return memory_copy(PLUMB_PLUGIN_DIR, strlen(PLUMB_PLUGIN_DIR));
}
