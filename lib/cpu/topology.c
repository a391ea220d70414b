/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/topology.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/sysfs.h"

#define CPU "/sys/devices/system/cpu/cpu"

static int read_id(const char *root, int cpu, const char *name)
{
	char path[PATH_MAX];
	unsigned long long number = 0;

	snprintf(path, sizeof(path), "%s" CPU "%d/topology/%s", root, cpu, name);
	/* Some kernels say -1 for an unknown one. */
	return sysfs_read_number(path, 10, INT_MAX, &number) ? (int)number : 0;
}

static int bounded(unsigned long number)
{
	return number <= INT_MAX ? (int)number : 0;
}

/* The CPU's folder has a link to its node: "node1". */
static int find_node(const char *root, int cpu)
{
	char path[PATH_MAX];
	struct dirent *entry;
	int node = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "%s" CPU "%d", root, cpu);
	folder = sysfs_open_folder(path);
	while (folder && (entry = readdir(folder)))
		if (strncmp(entry->d_name, "node", 4) == 0 &&
		    isdigit((unsigned char)entry->d_name[4]))
			node = bounded(strtoul(entry->d_name + 4, NULL, 10));
	if (folder)
		closedir(folder);
	return node;
}

struct cpu_place cpu_place_of(const char *root, int cpu)
{
	return (struct cpu_place){
		.socket = read_id(root, cpu, "physical_package_id"),
		.die = read_id(root, cpu, "die_id"),
		.core = read_id(root, cpu, "core_id"),
		.node = find_node(root, cpu),
	};
}
