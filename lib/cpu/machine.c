/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/machine.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/sysfs.h"

#define DEVICES "/sys/bus/event_source/devices"
#define SYSCTL  "/proc/sys/kernel/"
#define DMI     "/sys/class/dmi/id/"

/* ---- files -------------------------------------------------------------------------------- */

static bool read_line(const char *root, const char *path, char *line, size_t size)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	if (sysfs_read_line(line, size, full))
		return true;
	line[0] = '\0';
	return false;
}

static bool exists(const char *root, const char *path)
{
	char full[PATH_MAX];
	struct stat status;

	snprintf(full, sizeof(full), "%s%s", root, path);
	return stat(full, &status) == 0;
}

static int read_sysctl(const char *root, const char *name)
{
	char path[PATH_MAX], line[32], *end;
	long number;

	snprintf(path, sizeof(path), SYSCTL "%s", name);
	if (!read_line(root, path, line, sizeof(line)))
		return -1;
	number = strtol(line, &end, 10);
	return end != line && *end == '\0' && number >= INT_MIN && number <= INT_MAX ? (int)number
										     : -1;
}

/* ---- this process --------------------------------------------------------------------------- */

static void read_status(const char *root, struct cpu_machine *machine)
{
	char path[PATH_MAX], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/status", root);
	file = sysfs_open(path);
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "CapEff:", 7) == 0) {
			machine->capabilities = strtoull(line + 7, NULL, 16);
			machine->knows_capabilities = true;
		} else if (strncmp(line, "Seccomp:", 8) == 0) {
			machine->seccomp = (int)strtol(line + 8, NULL, 10);
		}
	}
	if (file)
		fclose(file);
}

/* The kernel's first PID namespace has a fixed number: include/linux/proc_ns.h. */
static void read_namespace(const char *root, struct cpu_machine *machine)
{
	static const char first[] = "pid:[4026531836]";
	char path[PATH_MAX], link[64];
	ssize_t size;

	snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	size = readlink(path, link, sizeof(link));
	machine->own_pids = size > 0 && ((size_t)size != sizeof(first) - 1 ||
					 memcmp(link, first, (size_t)size) != 0);
}

/* Distributions keep the kernel's configuration in /boot. */
static void read_configuration(const char *root, struct cpu_machine *machine)
{
	static const char name[] = "CONFIG_PID_IN_CONTEXTIDR";
	char path[PATH_MAX], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/boot/config-%s", root, machine->kernel);
	if (!*machine->kernel || strchr(machine->kernel, '/'))
		return;
	file = sysfs_open(path);
	if (!file)
		return;
	machine->contexts = CPU_CONTEXTS_OFF;
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, name, sizeof(name) - 1) == 0 &&
		    strcmp(line + sizeof(name) - 1, "=y\n") == 0)
			machine->contexts = CPU_CONTEXTS_ON;
	fclose(file);
}

/* ---- the machine -------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What hypervisors call themselves in the firmware's tables, without machines that are metal. */
static bool is_virtual(const struct cpu_machine *machine)
{
	static const char *const vendors[] = {
		"QEMU", "Amazon EC2",    "Google",    "Microsoft Corporation", "Xen", "VMware",
		"KVM",  "Alibaba Cloud", "Apple Inc."};
	const char *metal = strstr(machine->product, "metal");

	for (size_t i = 0; i < sizeof(vendors) / sizeof(*vendors); i++)
		if (begins(machine->vendor, vendors[i]))
			return !metal;
	/* The last one is QEMU's, Firecracker's and kvmtool's name without firmware's tables. */
	return begins(machine->product, "KVM") || begins(machine->product, "OpenStack") ||
	       begins(machine->product, "linux,dummy-virt");
}

static void read_system(const char *root, struct cpu_machine *machine)
{
	char line[256];

	read_line(root, SYSCTL "osrelease", machine->kernel, sizeof(machine->kernel));
	read_line(root, "/sys/devices/system/cpu/online", machine->cpus, sizeof(machine->cpus));
	read_line(root, DMI "sys_vendor", machine->vendor, sizeof(machine->vendor));
	read_line(root, DMI "product_name", machine->product, sizeof(machine->product));
	if (!*machine->product)
		read_line(root, "/proc/device-tree/model", machine->product,
			  sizeof(machine->product));
	machine->arm = exists(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
	machine->virtual_machine =
		is_virtual(machine) || exists(root, "/proc/device-tree/hypervisor");
	machine->container = exists(root, "/.dockerenv") || exists(root, "/run/.containerenv");
	read_line(root, "/sys/devices/system/cpu/vulnerabilities/meltdown", line, sizeof(line));
	machine->kpti = strstr(line, "PTI") != NULL;
	machine->has_perf = exists(root, SYSCTL "perf_event_paranoid");
	machine->has_devices = exists(root, DEVICES);
}

/* ---- PMUs --------------------------------------------------------------------------------- */

static unsigned read_cap(const char *root, const char *pmu, const char *name)
{
	char path[PATH_MAX];
	unsigned long long number = 0;

	/* Some are decimal, and some are hexadecimal with "0x". */
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/caps/%s", root, pmu, name);
	return sysfs_read_number(path, 0, UINT_MAX, &number) ? (unsigned)number : 0;
}

static void read_cores(const char *root, struct cpu_machine *machine)
{
	machine->pmu_count = cpu_find_pmus(root, machine->pmus, CPU_PMUS_MAX);
	if (machine->pmu_count > CPU_PMUS_MAX)
		machine->pmu_count = CPU_PMUS_MAX;
	for (size_t i = 0; i < machine->pmu_count; i++) {
		machine->slots[i] = read_cap(root, machine->pmus[i].name, "slots");
		machine->branches[i] = read_cap(root, machine->pmus[i].name, "branches");
		machine->arm = true;
	}
}

/* Which attributes of SPE's format say what it can do: drivers/perf/arm_spe_pmu.c. */
static bool has_format(const char *root, const char *pmu, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu, name);
	return exists(root, path);
}

/* Returns how many CPUs a list has; 0 if it cannot be read. */
static int count_cpus(const char *list)
{
	int *cpus = NULL;
	const int count = sysfs_parse_cpus(list, &cpus);

	free(cpus);
	return count > 0 ? count : 0;
}

/* Adds the CPUs of one more unit: types of cores have one each. */
static void add_spe_cpus(const char *root, const char *name, struct cpu_machine *machine)
{
	struct cpu_spe *spe = &machine->spe;
	const size_t used = strlen(spe->cpus);
	char path[PATH_MAX], mask[256];

	snprintf(path, sizeof(path), DEVICES "/%s/cpumask", name);
	if (!read_line(root, path, mask, sizeof(mask)))
		return;
	if (used + 1 + strlen(mask) >= sizeof(spe->cpus))
		return;
	snprintf(spe->cpus + used, sizeof(spe->cpus) - used, "%s%s", used ? "," : "", mask);
	spe->some_cores = count_cpus(spe->cpus) < count_cpus(machine->cpus);
}

static void read_spe(const char *root, const char *name, struct cpu_machine *machine)
{
	struct cpu_spe *spe = &machine->spe;

	add_spe_cpus(root, name, machine);
	if (spe->exists)
		return;
	spe->exists = true;
	spe->min_interval = read_cap(root, name, "min_interval");
	spe->inverted_filter = has_format(root, name, "inv_event_filter");
	spe->discard = has_format(root, name, "discard");
	spe->operation_masks = has_format(root, name, "load_filter_mask");
	spe->data_source_filter = has_format(root, name, "inv_data_src_filter");
}

/* Drivers' names for their PMUs; what they count. The kernel's Documentation/admin-guide/perf. */
static const struct {
	const char *prefix, *what;
} kinds[] = {
	{"arm_cmn", "mesh interconnect (CMN)"},
	{"arm_ccn", "interconnect (CCN)"},
	{"arm_ni", "network-on-chip interconnect"},
	{"CCI_", "interconnect (CCI)"},
	{"arm_dsu", "shared unit of a cluster (DSU)"},
	{"arm_dmc620", "memory controller (DMC-620)"},
	{"arm_cspmu", "CoreSight PMU"},
	{"nvidia_scf", "coherency fabric and system cache (NVIDIA SCF)"},
	{"nvidia_nvlink", "chip-to-chip link (NVIDIA NVLink-C2C)"},
	{"nvidia_cnvlink", "chip-to-chip link (NVIDIA CNVLink)"},
	{"nvidia_pcie", "PCIe (NVIDIA)"},
	{"hisi_sccl", "uncore of a HiSilicon cluster"},
	{"hisi_sicl", "uncore of a HiSilicon I/O cluster"},
	{"hisi_pcie", "PCIe (HiSilicon)"},
	{"hns3", "network controller (HiSilicon)"},
	{"ali_drw", "memory controller (Alibaba Yitian)"},
	{"ampere_", "uncore (Ampere)"},
	{"xgene", "uncore (X-Gene)"},
	{"smmuv3_pmcg", "system MMU (SMMUv3)"},
	{"cs_etm", "instruction trace (CoreSight ETM)"},
	{"imx", "memory controller (i.MX)"},
	{"mali", "GPU (Mali)"},
};

static const char *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins(name, kinds[i].prefix))
			return kinds[i].what;
	return NULL;
}

static bool has_kind(const struct cpu_machine *machine, const char *what)
{
	for (size_t i = 0; i < machine->other_count; i++)
		if (machine->others[i].what == what)
			return true;
	return false;
}

/* One of each kind is enough: a mesh has hundreds. */
static void read_others(const char *root, struct cpu_machine *machine)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	count = sysfs_scan_folder(path, &entries);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const char *what = kind_of(name);
		struct cpu_other_pmu *other = &machine->others[machine->other_count];

		if (begins(name, "arm_spe_")) {
			read_spe(root, name, machine);
		} else if (what && !has_kind(machine, what) && strlen(name) < sizeof(other->name) &&
			   machine->other_count < CPU_OTHERS_MAX) {
			memcpy(other->name, name, strlen(name) + 1);
			other->what = what;
			machine->other_count++;
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	machine->spe.module_loaded = exists(root, "/sys/module/arm_spe_pmu");
}

/* ---- the whole ---------------------------------------------------------------------------- */

int cpu_machine_read(const char *root, struct cpu_machine *machine)
{
	(void)sysfs_take_lack();
	*machine = (struct cpu_machine){.kernel = ""};
	read_system(root, machine);
	read_cores(root, machine);
	read_others(root, machine);
	read_status(root, machine);
	read_namespace(root, machine);
	read_configuration(root, machine);
	machine->paranoid = read_sysctl(root, "perf_event_paranoid");
	/* -1 is a level, too: it permits everything. */
	machine->kptr_restrict = read_sysctl(root, "kptr_restrict");
	machine->user_access = read_sysctl(root, "perf_user_access");
	machine->mlock_kb = read_sysctl(root, "perf_event_mlock_kb");
	return sysfs_take_lack();
}

static bool has(const struct cpu_machine *machine, unsigned capability)
{
	return machine->knows_capabilities && machine->capabilities >> capability & 1;
}

bool cpu_machine_is_privileged(const struct cpu_machine *machine)
{
	return has(machine, CPU_CAP_PERFMON) || has(machine, CPU_CAP_SYS_ADMIN);
}

/*
 * Documentation/admin-guide/sysctl/kernel.rst. Level 3 and above forbid everything; distributions
 * add that.
 */
static bool permits(const struct cpu_machine *machine, int level)
{
	return machine->has_perf &&
	       (cpu_machine_is_privileged(machine) || machine->paranoid <= level);
}

bool cpu_machine_may_count(const struct cpu_machine *machine)
{
	return permits(machine, 2);
}

bool cpu_machine_may_count_kernel(const struct cpu_machine *machine)
{
	return permits(machine, 1);
}

bool cpu_machine_may_count_all(const struct cpu_machine *machine)
{
	return permits(machine, 0);
}

/* kallsyms_show_value() in the kernel's kernel/ksyms_common.c. */
bool cpu_machine_may_name_kernel(const struct cpu_machine *machine)
{
	if (machine->kptr_restrict == 0 && machine->has_perf && machine->paranoid <= 1)
		return true;
	return machine->kptr_restrict <= 1 && has(machine, CPU_CAP_SYSLOG);
}
