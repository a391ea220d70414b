# SPDX-License-Identifier: Apache-2.0
# What commands without --cpu are about on an Arm machine: another one's /sys stands in for it.

load lib.bash

identification=/sys/devices/system/cpu/cpu0/regs/identification

# on_machine MIDR COMMAND...: runs it where the kernel says that this is the CPU; empty: no Arm CPU.
on_machine()
{
	local midr=$1

	shift
	mkdir -p "$BATS_TEST_TMPDIR/cpu/${identification#/sys/devices/system/cpu/}"
	rm -f "$BATS_TEST_TMPDIR/cpu/${identification#/sys/devices/system/cpu/}/midr_el1"
	[ -z "$midr" ] || echo "$midr" \
		>"$BATS_TEST_TMPDIR/cpu/${identification#/sys/devices/system/cpu/}/midr_el1"
	# shellcheck disable=SC2016 # for the inner shell
	unshare --map-root-user --mount sh -c \
		'mount --bind "$1" /sys/devices/system/cpu && shift && exec "$@"' - \
		"$BATS_TEST_TMPDIR/cpu" "$@"
}

setup()
{
	on_machine '' true 2>/dev/null || skip "no mount namespace to be had"
}

@test "show, list and tree use this machine's CPU" {
	on_machine 0x00000000410fd493 "$PLUMB" spec show ipc |
		head -n 1 | grep -qx 'ipc, metric of neoverse-n2-r0p3'
	[ "$(on_machine 0x00000000411fd402 "$PLUMB" spec list metrics -x ';' | wc -l)" -eq 36 ]
	on_machine 0x00000000411fd402 "$PLUMB" spec tree --json |
		json "d['cpu'] == 'neoverse-v1-r1p2'"
	# An unlisted revision is served by what its part has.
	on_machine 0x00000000413fd0c1 "$PLUMB" spec tree --json |
		json "d['cpu'] == 'neoverse-n1-r4p1'"
	# Microsoft's Cobalt 100 is a Neoverse N2.
	on_machine 0x000000006d0fd490 "$PLUMB" spec tree --json |
		json "d['cpu'].startswith('neoverse-n2-')"
}

@test "--cpu selects another CPU" {
	on_machine 0x00000000410fd493 "$PLUMB" spec tree --cpu neoverse-n1 --json |
		json "d['cpu'] == 'neoverse-n1-r4p1'"
}

@test "list cpus still lists all CPUs" {
	[ "$(on_machine 0x00000000410fd493 "$PLUMB" spec list cpus -x ';' | wc -l)" -eq 17 ]
}

@test "export uses this machine's CPU" {
	on_machine 0x00000000410fd493 "$PLUMB" spec export --format mrs |
		json "d['product_configuration']['product_name'] == 'Neoverse N2'"
}

@test "an unknown or invalid MIDR counts as no Arm CPU" {
	for midr in 0x00000000410fd034 '' nonsense 0xffffffffffffffff \
		0x1111111111111111111111111111111111111111; do
		on_machine "$midr" "$PLUMB" spec show INST_RETIRED |
			head -n 1 | grep -qx 'INST_RETIRED, event of all 17 CPUs'
	done
}

@test "names that this machine's CPU lacks are found on others" {
	run --separate-stderr on_machine 0x00000000410fd493 "$PLUMB" spec show STALL_BACKEND_L1D
	[ "$status" -eq 2 ]
	# shellcheck disable=SC2154 # by bats
	[[ $stderr == "plumb: neoverse-n2-r0p3 has no 'STALL_BACKEND_L1D'"*"neoverse-n3"* ]]
}
