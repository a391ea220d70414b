# SPDX-License-Identifier: Apache-2.0
# plumb doctor, on this machine and on copies of the files of others (test/machines).

load lib.bash

setup_file()
{
	# shellcheck disable=SC2154 # by lib.bash
	/usr/bin/python3 "$here/../machines/machines.py" "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/names"
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
}

# states NAME: what is said of each part of that machine, as "core-pmu=works permission=limited".
states()
{
	plumb doctor --json --root "$BATS_FILE_TMPDIR/$1" | /usr/bin/python3 -c '
import json, sys
print(*(check["id"] + "=" + check["state"] for check in json.load(sys.stdin)["checks"]))'
}

# is NAME STATE...: that these are the states.
is()
{
	local name=$1 found

	shift
	found=$(states "$name")
	[ "$found" = "$*" ] || {
		echo "$name: $found"
		return 1
	}
}

# part NAME ID MEMBER: one text.
part()
{
	plumb doctor --json --root "$BATS_FILE_TMPDIR/$1" | /usr/bin/python3 -c '
import json, sys
print(next(check for check in json.load(sys.stdin)["checks"] if check["id"] == sys.argv[1])[sys.argv[2]])' \
		"$2" "$3"
}

usual="sampling=works kernel-symbols=missing buffers=limited user-access=missing"

@test "each machine: what works, is limited, is missing" {
	local spe="spe-contexts=limited spe-data=works"
	local server="core-pmu=works permission=limited counters=unknown"

	# shellcheck disable=SC2086 # words
	{
		is graviton2-metal $server events=works spe=works $spe $usual
		is graviton2-2xlarge $server events=limited spe=missing $usual
		is graviton3-metal $server events=works spe=works $spe $usual
		is graviton3-2xlarge $server events=limited spe=missing $usual
		is graviton4-metal $server events=works spe=works $spe $usual other-pmus=works
		is graviton4-2xlarge $server events=limited spe=missing $usual
		is cobalt100 $server events=limited spe=missing $usual
		is grace core-pmu=works permission=works counters=unknown events=works spe=works \
			spe-contexts=works spe-data=works sampling=works kernel-symbols=works user-access=missing other-pmus=works
		is altra $server events=works spe=works $spe $usual other-pmus=works
		is kunpeng920 core-pmu=limited permission=limited counters=unknown spe=missing $usual \
			other-pmus=works
		is phone core-pmu=limited permission=missing counters=unknown counters=unknown \
			counters=unknown spe=missing ${usual/works/missing} other-pmus=works
		is raspberrypi5 core-pmu=limited permission=limited counters=unknown spe=missing $usual \
			other-pmus=works
		is vm-without-pmu core-pmu=missing permission=limited spe=missing sampling=limited \
			kernel-symbols=missing buffers=limited
		is vm-without-tables core-pmu=missing permission=limited spe=missing sampling=limited \
			kernel-symbols=missing buffers=limited
		is seccomp-container core-pmu=works permission=unknown counters=unknown events=works \
			spe=missing sampling=unknown kernel-symbols=works buffers=limited user-access=missing
		is no-perf core-pmu=missing permission=missing spe=missing sampling=missing
		is spe-kpti $server events=works spe=missing $usual
		is spe-some-cores $server events=works spe=limited $spe $usual
		is spe-two-units core-pmu=works permission=limited counters=unknown events=works \
			counters=unknown events=works spe=works $spe $usual
		is spe-eft $server events=works spe=works spe-contexts=unknown spe-data=works \
			${usual/kernel-symbols=missing/kernel-symbols=works}
		is spe-container core-pmu=works permission=works counters=unknown events=works spe=works \
			spe-contexts=limited spe-data=works sampling=works kernel-symbols=works \
			user-access=missing
		is spe-fds $server events=works spe=works $spe sampling=works branches=works \
			kernel-symbols=missing buffers=limited user-access=missing
		is cmn700 core-pmu=works permission=works counters=unknown events=works spe=missing \
			sampling=works kernel-symbols=works user-access=missing other-pmus=works
	}
	[ "$(wc -l <"$BATS_FILE_TMPDIR/names")" -eq 24 ]
}

@test "why, and the line that changes it" {
	[ "$(part graviton3-2xlarge core-pmu text)" = "armv8_pmuv3_0 (Neoverse V1)" ]
	part graviton3-2xlarge events text | grep -q "STALL_SLOT_BACKEND"
	part graviton3-2xlarge events instead | grep -q "the top-down tree requires STALL_SLOT"
	part graviton3-2xlarge spe fix | grep -q "metal"
	[ "$(part graviton3-metal permission fix)" = \
		"sudo sysctl kernel.perf_event_paranoid=1, or =0 for whole CPUs (-a)" ]
	[ "$(part phone permission fix)" = "sudo sysctl kernel.perf_event_paranoid=2" ]
	part phone core-pmu text | grep -q "armv9_cortex_x2 (unknown CPU, MIDR_EL1 0x411fd480)"
	part vm-without-pmu core-pmu why | grep -q "hypervisor gives this virtual machine no PMU"
	part vm-without-tables core-pmu why | grep -q "hypervisor gives this virtual machine no PMU"
	part seccomp-container permission why | grep -q "seccomp"
	part no-perf permission fix | grep -q "CONFIG_PERF_EVENTS"
	[ "$(part no-perf core-pmu why)" = "the kernel cannot count: see Permission" ]
	[ "$(part no-perf core-pmu instead)" = "the model counts AArch64 programs" ]
	[ "$(part vm-without-pmu spe instead)" = "the model has an SPE unit" ]
	[ "$(part graviton3-metal kernel-symbols fix)" = "sudo sysctl kernel.perf_event_paranoid=1" ]
	part spe-kpti spe fix | grep -q "kpti=off"
	[ "$(part spe-fds spe text)" = \
		"one sample per 256 operations at most, inverted event filters, discard mode, operation masks, data-source filters" ]
	part spe-fds branches text | grep -q "last 32 branches"
	[ "$(part spe-some-cores spe why)" = "only CPUs 2-3 have it" ]
	[ "$(part spe-two-units spe state)" = works ]
	# What is not permitted does not work, and nothing is said of what a CPU never had.
	[ "$(part phone spe instead)" = "the model has an SPE unit" ]
	[ "$(part seccomp-container sampling state)" = unknown ]
	[ "$(part seccomp-container spe instead)" = "the model has an SPE unit" ]
	[ "$(part graviton2-2xlarge events instead)" = "metrics of the other events work" ]
	[ "$(part graviton3-2xlarge events instead)" = "metrics of the other events work; the top-down tree requires STALL_SLOT" ]
	part kunpeng920 spe fix | grep -qx "sudo modprobe arm_spe_pmu"
	part altra other-pmus text | grep -q "arm_cmn_0: mesh interconnect (CMN), arm_dmc620"
	part grace other-pmus text | grep -q "NVIDIA SCF"
	part cmn700 other-pmus text | grep -q "arm_cmn_0: mesh interconnect (CMN), smmuv3_pmcg_140"
}

@test "the common errors with SPE: no unit, no contexts, too much data" {
	part spe-kpti spe why | grep -q "KPTI"
	part graviton3-2xlarge spe why | grep -q "virtual machine"
	part kunpeng920 spe why | grep -q "driver is not loaded"
	[ "$(part graviton3-metal spe-contexts text)" = "records do not name their thread (no CONTEXT packets)" ]
	[ "$(part graviton3-metal spe-contexts why)" = "that requires the capability CAP_PERFMON" ]
	part graviton3-metal spe-contexts fix | grep -q "sudo plumb record"
	part graviton3-metal spe-contexts instead | grep -q "context switches"
	[ "$(part grace spe-contexts text)" = "each record names its thread (CONTEXT packets)" ]
	[ "$(part grace spe-contexts why)" = None ]
	part altra spe-contexts why | grep -q "built without CONFIG_PID_IN_CONTEXTIDR"
	part spe-eft spe-contexts why | grep -q "older kernels require the capability CAP_PERFMON"
	part spe-container spe-contexts text | grep -q "numbers unknown here"
	part spe-container spe-contexts fix | grep -q -e "--pid=host"
	# 1,000,000,000 / 256 * 64 bytes.
	[ "$(part spe-fds spe-data text)" = "up to 64 bytes per sample: up to 250 MB per billion operations at -c 256" ]
	part graviton3-metal spe-data text | grep -q "up to 63 MB per billion operations at -c 1024"
	part grace spe-data fix | grep -q "too large, plumb record -e spe -c 100000; if AUX data is truncated, .* -m ,64M"
}

@test "text fits 80 columns, and says the same" {
	local name

	while read -r name; do
		COLUMNS=80 plumb doctor --root "$BATS_FILE_TMPDIR/$name" >text
		[ -z "$(too_wide 80 <text)" ]
		grep -q "Permission" text
	done <"$BATS_FILE_TMPDIR/names"
	plumb doctor --root "$BATS_FILE_TMPDIR/graviton2-metal" >text
	[ "$(head -n 1 text)" = "Amazon EC2 m6g.metal, Linux 6.1.0, CPUs 0-63" ]
	grep -q "^  limited  Permission  .*user code only" text
	grep -q "^ *to change it: sudo sysctl" text
}

@test "plumb list describes them, too" {
	local cpu name

	while read -r name cpu; do
		[ "$(plumb list --root "$BATS_FILE_TMPDIR/$name" --json cores |
			/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["cores"][0]["name"])')" = "$cpu" ]
	done <<-END
		graviton2-metal Neoverse N1
		graviton3-2xlarge Neoverse V1
		grace Neoverse V2
		cobalt100 Neoverse N2
	END
	plumb list --root "$BATS_FILE_TMPDIR/graviton3-2xlarge" -v --json events >out
	json '
		{e["name"]: e["counted"] for e in d["events"]}["CPU_CYCLES"] and
		not {e["name"]: e["counted"] for e in d["events"]}["STALL_SLOT"]' <out
	for name in kunpeng920 phone raspberrypi5; do
		run --separate-stderr plumb list --root "$BATS_FILE_TMPDIR/$name" cores
		[ "$status" -eq 3 ]
		# shellcheck disable=SC2154 # by run
		grep -q "no specification for this machine's CPU" <<<"$stderr"
	done
	run --separate-stderr plumb list --root "$BATS_FILE_TMPDIR/vm-without-pmu" cores
	[ "$status" -eq 3 ]
}

@test "plumb list says of each machine what its PMU's files show" {
	# shellcheck disable=SC2046 # names without spaces
	/usr/bin/python3 "$here/listed_machines.py" "$PLUMB" "$BATS_FILE_TMPDIR" $(<"$BATS_FILE_TMPDIR/names") >said
	[[ "$(<said)" == "24 machines, "* ]]
}

@test "this machine: the model's side, too" {
	plumb doctor --json >out
	json '
		{c["id"] for c in d["checks"]} >= {"core-pmu", "permission", "engine", "libraries"} and
		all(c["state"] in ("works", "limited", "missing", "unknown") and c["text"]
		    for c in d["checks"])' <out
	plumb doctor --json --qemu /nonexistent/qemu >out
	json '
		next(c for c in d["checks"] if c["id"] == "engine")["state"] == "missing" and
		"/nonexistent/qemu" in next(c for c in d["checks"] if c["id"] == "engine")["why"]' <out
	run --separate-stderr plumb doctor --root /nonexistent
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by run
	[ "$stderr" = "plumb: --root /nonexistent: no such folder" ]
}

@test "the plan suits each machine: groups that fit, of events that it has" {
	local free name

	"${CC:-cc}" -D_GNU_SOURCE -O1 -fPIC -shared -o kernel.so "$here/hybrid_kernel.c" -ldl
	for name in graviton2-2xlarge graviton3-metal graviton4-2xlarge cobalt100 grace; do
		for free in 2 6; do
			rm -f log
			env ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD="$PWD/kernel.so" \
				HYBRID_ROOT="$BATS_FILE_TMPDIR/$name" HYBRID_LOG="$PWD/log" HYBRID_SPLIT=1024 HYBRID_FREE=$free \
				"$PLUMB" stat --json -o out.json -- true 2>/dev/null
			# The kernel refuses groups that are too large; then events are counted apart, which is said.
			jq -e '.warnings | map(select(contains("some events are not counted at the same time"))) == []' out.json >/dev/null
			sed -n 's/^8 0x\([0-9a-f]*\) task .*/\1/p' log | sort -u >opened
			[ "$(wc -l <opened)" -gt 10 ]
			find "$BATS_FILE_TMPDIR/$name/sys/bus/event_source/devices/armv8_pmuv3_0/events" -name 'e*' |
				sed 's,.*/e,,' | sort >there
			# Of the common events, whose codes are below 0x40 or from 0x4000 on, only those that it has.
			[ -z "$(grep -E '^(00[0-3].|40[0-3].)$' opened | grep -v '^0000$' | comm -23 - there)" ] || {
				echo "$name: $(comm -23 opened there | xargs)" && return 1
			}
		done
	done
}
