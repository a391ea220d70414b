#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""
Writes copies of the files in /sys and /proc that Plumb reads, as documented for some machines.

machines.py FOLDER [NAME...]: writes FOLDER/NAME for each, or for all. Prints the names.

Sources: MIDR values and PMU names: arch/arm64/include/asm/cputype.h and drivers/perf/ of Linux;
counters and SPE of EC2's sizes: AWS's Graviton runbook; SPE's format: drivers/perf/arm_spe_pmu.c.
Only what is read is there. What a source does not say is left out, not guessed.
"""
import os
import sys

DEVICES = "/sys/bus/event_source/devices/"
CPU = "/sys/devices/system/cpu/"
NAMESPACE = "/proc/self/ns/pid"
CONTEXTS = "CONFIG_PID_IN_CONTEXTIDR"
USER, ROOT = "0000000000000000", "000001ffffffffff"
# The common events that Linux shows where PMCEID has them: all of a Neoverse, and those that a
# hypervisor leaves on smaller sizes (no STALL_SLOT...).
BASIC = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x09, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
         0x17, 0x18, 0x19, 0x1b, 0x1c, 0x1d, 0x21, 0x22, 0x23, 0x24]
FULL = sorted(set(BASIC) | set(range(0x00, 0x40)) - {0x1e} |
              {0x4000 + i for i in (0, 1, 2, 3, 4, 5, 6, 9, 0xa, 0xb, 0x10, 0x11, 0x12, 0x13, 0x20,
                            0x21, 0x22, 0x24, 0x25, 0x26)})
SPE_BASE = ["ts_enable config:0", "pa_enable config:1", "pct_enable config:2", "jitter config:16",
            "branch_filter config:32", "load_filter config:33", "store_filter config:34",
            "event_filter config1:0-63", "min_latency config2:0-11"]
SPE_1P2 = SPE_BASE + ["inv_event_filter config3:0-63", "discard config:35"]
SPE_EFT = SPE_1P2 + ["branch_filter_mask config:36", "load_filter_mask config:37",
                     "store_filter_mask config:38", "simd_filter config:39"]
SPE_FDS = SPE_EFT + ["inv_data_src_filter config4:0-63"]


def system(kernel="6.1.0", cpus=1, vendor="", product="", paranoid=2, caps=USER, seccomp=0,
           meltdown="Not affected", **files):
    tree = {
        "/proc/sys/kernel/osrelease": kernel,
        "/proc/sys/kernel/perf_event_paranoid": paranoid,
        "/proc/sys/kernel/kptr_restrict": 0,
        "/proc/sys/kernel/perf_event_mlock_kb": 516,
        "/proc/sys/kernel/perf_user_access": 0,
        "/proc/self/status": f"Name:\tplumb\nCapEff:\t{caps}\nSeccomp:\t{seccomp}",
        CPU + "online": f"0-{cpus - 1}" if cpus > 1 else "0",
        CPU + "possible": f"0-{cpus - 1}" if cpus > 1 else "0",
        CPU + "vulnerabilities/meltdown": meltdown,
        DEVICES + "software/type": 1,
    }
    if vendor:
        tree["/sys/class/dmi/id/sys_vendor"] = vendor
    if product:
        tree["/sys/class/dmi/id/product_name"] = product
    tree.update(files)
    return tree


def core(name, kind, cpus, midr, events=FULL, slots=0, branches=0):
    first, last = cpus
    tree = {
        f"{DEVICES}{name}/type": kind,
        f"{DEVICES}{name}/cpus": f"{first}-{last}" if last > first else first,
        f"{CPU}cpu{first}/regs/identification/midr_el1": f"0x{midr:016x}",
    }
    tree.update({f"{DEVICES}{name}/events/e{code:04x}": f"event=0x{code:04x}" for code in events})
    if slots:
        tree[f"{DEVICES}{name}/caps/slots"] = f"0x{slots:08x}"
    if branches:
        tree[f"{DEVICES}{name}/caps/branches"] = branches
    return tree


def spe(kind, cpus, formats, interval=1024, name="arm_spe_0"):
    tree = {f"{DEVICES}{name}/type": kind, f"{DEVICES}{name}/cpumask": cpus,
            f"{DEVICES}{name}/caps/min_interval": interval}
    tree.update({f"{DEVICES}{name}/format/{line.split()[0]}": line.split()[1]
                 for line in formats})
    return tree


# Some of the fields and events of drivers/perf/arm-cmn.c and arm_dmc620_pmu.c, and the CPU that
# serves a unit.
FORMATS = {
    "arm_cmn": {"format/type": "config:0-15", "format/eventid": "config:16-26",
                "format/bynodeid": "config:31", "format/nodeid": "config:32-47",
                "events/hnf_cache_miss": "type=0x5,eventid=0x1",
                "events/dtc_cycles": "type=0x3", "cpumask": 0},
    "arm_dmc620": {"format/event": "config2:3-8", "format/clkdiv2": "config2:9",
                   "events/clkdiv2_rdwr": "event=0x12,clkdiv2=0x1", "cpumask": 1},
}


def others(*names):
    tree = {f"{DEVICES}{name}/type": 30 + i for i, name in enumerate(names)}
    for name in names:
        for kind, files in FORMATS.items():
            if name.startswith(kind):
                tree.update({f"{DEVICES}{name}/{path}": text for path, text in files.items()})
    return tree


N1, N2, V1, V2 = 0x413fd0c1, 0x410fd493, 0x411fd401, 0x410fd4f1
C1_PRO, C1_ULTRA = 0x411fd8b1, 0x410fd8c0
A76, A510, A710, X2, TSV110 = 0x414fd0b1, 0x411fd461, 0x412fd471, 0x411fd480, 0x481fd010
EC2 = {"vendor": "Amazon EC2", "cpus": 64}
SMALL = {"vendor": "Amazon EC2", "cpus": 8}
MACHINES = {
    "graviton2-metal": system(product="m6g.metal", **EC2) | core("armv8_pmuv3_0", 8, (0, 63), N1)
    | spe(9, "0-63", SPE_BASE),
    "graviton2-2xlarge": system(product="m6g.2xlarge", **SMALL)
    | core("armv8_pmuv3_0", 8, (0, 7), N1, BASIC),
    "graviton3-metal": system(product="c7g.metal", **EC2)
    | core("armv8_pmuv3_0", 8, (0, 63), V1, slots=8) | spe(9, "0-63", SPE_BASE),
    "graviton3-2xlarge": system(product="c7g.2xlarge", **SMALL)
    | core("armv8_pmuv3_0", 8, (0, 7), V1, BASIC),
    "graviton4-metal": system(product="r8g.metal-24xl", kernel="6.14.0", vendor="Amazon EC2",
                              cpus=96) | core("armv8_pmuv3_0", 8, (0, 95), V2, slots=8) | spe(9, "0-95", SPE_1P2)
    | others("arm_cmn_0", "smmuv3_pmcg_0"),
    "graviton4-2xlarge": system(product="r8g.2xlarge", **SMALL)
    | core("armv8_pmuv3_0", 8, (0, 7), V2, BASIC),
    "cobalt100": system(vendor="Microsoft Corporation", product="Virtual Machine", cpus=4)
    | core("armv8_pmuv3_0", 8, (0, 3), N2, BASIC),
    "grace": system(vendor="NVIDIA", product="Grace CPU", cpus=72, paranoid=-1, caps=ROOT,
                    **{"/boot/config-6.1.0": f"CONFIG_PERF_EVENTS=y\n{CONTEXTS}=y",
                       NAMESPACE: "pid:[4026531836]"})
    | core("armv8_pmuv3_0", 8, (0, 71), V2, slots=8) | spe(9, "0-71", SPE_1P2)
    | others("nvidia_scf_pmu_0", "nvidia_nvlink_c2c0_pmu_0", "nvidia_pcie_pmu_0"),
    "altra": system(vendor="Ampere", product="Altra", cpus=80,
                    **{"/boot/config-6.1.0": f"# {CONTEXTS} is not set"})
    | core("armv8_pmuv3_0", 8, (0, 79), N1) | spe(9, "0-79", SPE_BASE)
    | others("arm_cmn_0", "arm_cmn_1", "arm_dmc620_10008c000"),
    "kunpeng920": system(vendor="Huawei", product="TaiShan 200", cpus=64, kernel="5.10.0")
    | core("armv8_pmuv3_0", 8, (0, 63), TSV110)
    | others("hisi_sccl1_ddrc0", "hisi_sccl1_hha2", "hisi_sccl1_l3c4", "hisi_pcie0_core0"),
    "phone": system(kernel="5.15.0", cpus=8, paranoid=3)
    | core("armv9_cortex_a510", 8, (0, 3), A510) | core("armv9_cortex_a710", 9, (4, 6), A710)
    | core("armv9_cortex_x2", 10, (7, 7), X2) | others("arm_dsu_0"),
    "c1-phone": system(kernel="6.18.0", cpus=8)
    | core("armv9_c1_pro", 8, (0, 5), C1_PRO) | core("armv9_c1_ultra", 9, (6, 7), C1_ULTRA),
    "raspberrypi5": system(kernel="6.12.0", cpus=4,
                           **{"/proc/device-tree/model": "Raspberry Pi 5 Model B Rev 1.0\0"})
    | core("armv8_cortex_a76", 8, (0, 3), A76) | others("arm_dsu_0"),
    "vm-without-pmu": system(vendor="QEMU", product="KVM Virtual Machine", cpus=2,
                             **{CPU + "cpu0/regs/identification/midr_el1": f"0x{N1:016x}"}),
    # QEMU's machine "virt" without firmware, and Firecracker's.
    "vm-without-tables": system(cpus=2, **{"/proc/device-tree/model": "linux,dummy-virt\0",
                                           CPU + "cpu0/regs/identification/midr_el1":
                                           f"0x{N1:016x}"}),
    "seccomp-container": system(cpus=4, seccomp=2, paranoid=1, **{"/.dockerenv": ""})
    | core("armv8_pmuv3_0", 8, (0, 3), N1),
    "no-perf": {CPU + "online": "0", "/proc/sys/kernel/osrelease": "6.1.0",
                CPU + "cpu0/regs/identification/midr_el1": f"0x{N1:016x}"},
    "spe-kpti": system(cpus=4, meltdown="Mitigation: PTI") | core("armv8_pmuv3_0", 8, (0, 3), N1),
    "spe-some-cores": system(cpus=4) | core("armv8_pmuv3_0", 8, (0, 3), N2)
    | spe(9, "2-3", SPE_1P2, 256),
    "spe-two-units": system(cpus=8, kernel="6.18.0") | core("armv9_c1_pro", 8, (0, 5), C1_PRO)
    | core("armv9_c1_ultra", 9, (6, 7), C1_ULTRA) | spe(10, "0-5", SPE_EFT, 256)
    | spe(11, "6-7", SPE_EFT, 256, "arm_spe_1"),
    "spe-eft": system(cpus=4, kernel="6.18.0", paranoid=1) | core("armv8_pmuv3_0", 8, (0, 3), N2)
    | spe(9, "0-3", SPE_EFT, 256),
    "spe-fds": system(cpus=4, kernel="6.19.0") | core("armv8_pmuv3_0", 8, (0, 3), N2, branches=32)
    | spe(9, "0-3", SPE_FDS, 256),
    "spe-container": system(cpus=4, caps=ROOT, **{"/.dockerenv": "", NAMESPACE: "pid:[4026532501]"})
    | core("armv8_pmuv3_0", 8, (0, 3), N2) | spe(9, "0-3", SPE_1P2, 256),
    "cmn700": system(cpus=128, caps=ROOT) | core("armv8_pmuv3_0", 8, (0, 127), N2)
    | others(*(f"arm_cmn_{i}" for i in range(100)), "smmuv3_pmcg_140"),
}


def main():
    folder, names = sys.argv[1], sys.argv[2:] or list(MACHINES)
    for name in names:
        for path, text in MACHINES[name].items():
            full = os.path.join(folder, name + path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if path == NAMESPACE:
                os.symlink(text, full)
                continue
            with open(full, "w", encoding="utf-8") as file:
                file.write(f"{text}\n" if text != "" else "")
        print(name)


main()
