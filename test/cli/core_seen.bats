# SPDX-License-Identifier: Apache-2.0
# What a program learns about the core that the model runs it on, and which code glibc chooses there.

load lib.bash

setup_file()
{
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_FILE_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || return 0
	cat >sees.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/auxv.h>

		#ifndef HWCAP2_RNG
		#define HWCAP2_RNG (1 << 16)
		#endif

		static uint64_t long_vector(void)
		{
			uint64_t bytes = 0;

			if (getauxval(AT_HWCAP) & HWCAP_SVE) /* rdvl x0, #1 */
				__asm__(".inst 0x04bf5020; mov %0, x0" : "=r"(bytes) : : "x0");
			return bytes;
		}

		int main(void)
		{
			static const struct {
				const char *name;
				unsigned long type, bit;
			} known[] = {
				{"atomics", AT_HWCAP, HWCAP_ATOMICS}, {"jscvt", AT_HWCAP, HWCAP_JSCVT},
				{"sha3", AT_HWCAP, HWCAP_SHA3}, {"sm4", AT_HWCAP, HWCAP_SM4},
				{"sve", AT_HWCAP, HWCAP_SVE}, {"paca", AT_HWCAP, HWCAP_PACA},
				{"sb", AT_HWCAP, HWCAP_SB}, {"sve2", AT_HWCAP2, 1 << 1},
				{"svei8mm", AT_HWCAP2, 1 << 9}, {"svef32mm", AT_HWCAP2, 1 << 10},
				{"bf16", AT_HWCAP2, 1 << 14}, {"rng", AT_HWCAP2, HWCAP2_RNG},
				{"bti", AT_HWCAP2, 1 << 17}, {"sme", AT_HWCAP2, 1 << 23}};
			uint64_t midr, zeroed;

			__asm__("mrs %0, midr_el1" : "=r"(midr));
			__asm__("mrs %0, dczid_el0" : "=r"(zeroed));
			printf("%llx %d %d", (unsigned long long)midr, (int)(8 * long_vector()),
			       4 << (zeroed & 15));
			for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
				if (getauxval(known[i].type) & known[i].bit)
					printf(" %s", known[i].name);
			putchar('\n');
			return 0;
		}
	END
	"$compiler" -O1 -static -o sees sees.c
	# The library's own function, by the address that it gives out.
	cat >chosen.c <<-'END'
		#include <stdio.h>
		#include <string.h>

		int main(void)
		{
			void *(*volatile copy)(void *, const void *, size_t) = memcpy;

			printf("%lx\n", (unsigned long)copy);
			return 0;
		}
	END
	"$compiler" -O1 -static -no-pie -o chosen chosen.c
	# Zeroes a block that is aligned to 512 bytes and holds ones, and counts what is left of them.
	cat >zeroes.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <string.h>

		static void *count(void *unused)
		{
			static char block[1024] __attribute__((aligned(1024)));
			int ones = 0;

			memset(block, 1, sizeof(block));
			__asm__ volatile("dc zva, %0" ::"r"(block) : "memory");
			for (int i = 0; i < 1024; i++)
				ones += block[i];
			printf("%d\n", ones);
			return unused;
		}

		int main(void)
		{
			pthread_t other;

			count(NULL);
			pthread_create(&other, NULL, count, NULL);
			pthread_join(other, NULL);
			return 0;
		}
	END
	"$compiler" -O1 -static -pthread -o zeroes zeroes.c
	# Executes mul z0.s, z0.s, z0.s, of SVE2, unless the program has no argument.
	cat >multiplies.c <<-'END'
		int main(int count, char **arguments)
		{
			(void)arguments;
			if (count > 1)
				__asm__ volatile(".inst 0x04a06000" ::: "v0");
			return 0;
		}
	END
	"$compiler" -O1 -static -o multiplies multiplies.c
}

setup()
{
	cd "$BATS_FILE_TMPDIR" || return
	[ -e zeroes ] || skip "there is no compiler for AArch64, or no engine"
}

# engines: prints the paths of those of different versions.
engines()
{
	/usr/bin/python3 - "$(dirname "$BATS_TEST_FILENAME")/../interop" "$PLUMB" <<-'END'
		import sys
		sys.path.insert(0, sys.argv[1])
		import engine
		print(*{engine.version(path): path for path in engine.candidates(sys.argv[2])}.values(), sep="\n")
	END
}

# on QEMU CORE PROGRAM: prints what the program prints.
on()
{
	plumb stat --source model --qemu "$1" --cpu "$2" -o /dev/null -e INST_RETIRED "$3"
}

# Facts: the cores' Technical Reference Manuals, and /proc/cpuinfo of machines with them. Graviton4
# and Grace have the same core with other options.
@test "programs see the core's identity, vector length and features under all engines" {
	while read -r qemu; do
		while read -r core facts; do
			[ "$(on "$qemu" "$core" ./sees)" = "$facts" ] || {
				on "$qemu" "$core" ./sees
				echo "$facts, on $core under $qemu"
				return 1
			}
		done <<-'END'
			neoverse-n1 414fd0c1 0 64 atomics
			graviton2 414fd0c1 0 64 atomics
			neoverse-v1 411fd402 256 64 atomics jscvt sha3 sm4 sve paca svei8mm bf16 rng
			neoverse-n2 410fd493 128 64 atomics jscvt sha3 sm4 sve paca sb sve2 svei8mm bf16 bti
			neoverse-v2 410fd4f0 128 64 atomics jscvt sha3 sm4 sve paca sb sve2 svei8mm bf16 rng bti
			graviton4 410fd4f0 128 64 atomics jscvt sha3 sve paca sb sve2 svei8mm bf16 rng bti
			grace 410fd4f0 128 64 atomics jscvt sha3 sm4 sve sb sve2 svei8mm bf16 bti
			neoverse-n3 410fd8e0 128 64 atomics jscvt sha3 sm4 sve paca sb sve2 svei8mm bf16 bti
			neoverse-v3 410fd840 128 64 atomics jscvt sha3 sm4 sve paca sb sve2 svei8mm bf16 bti
		END
	done < <(engines)
}

@test "glibc chooses an SVE memcpy where the core has SVE" {
	local nm=nm qemu core at
	[ "$(uname -m)" = aarch64 ] || nm=aarch64-linux-gnu-nm
	"$nm" chosen | grep -q ' __memcpy_sve$' || skip "this C library has none"
	while read -r qemu; do
		for core in neoverse-n1 neoverse-v1 neoverse-n3; do
			at=$(on "$qemu" "$core" ./chosen)
			"$nm" chosen | grep -E "^0*$at .* __memcpy" >"$core"
		done
		! grep sve neoverse-n1
		grep sve neoverse-v1
		grep sve neoverse-n3
	done < <(engines)
}

@test "dc zva zeroes 64 bytes, in each thread" {
	while read -r qemu; do
		for core in neoverse-n1 neoverse-v1 neoverse-n3; do
			[ "$(on "$qemu" "$core" ./zeroes)" = $'960\n960' ]
		done
	done < <(engines)
}

@test "an instruction that the core lacks ends the program, and is named" {
	local qemu version
	while read -r qemu; do
		version=$("$qemu" --version | sed -n 's/.* version \([0-9]*\).*/\1/p')
		run -132 plumb stat --source model --qemu "$qemu" --cpu neoverse-n1 --json -o n1 ./multiplies 1
		json "any('ended the program: it requires the feature sve2, which neoverse-n1 does not have '
			'(with it: neoverse-n3, neoverse-n2, neoverse-v2, neoverse-v3)' in w for w in d['warnings'])" <n1
		# QEMU 7.2 has no Neoverse V1.
		run plumb stat --source model --qemu "$qemu" --cpu neoverse-v1 --json -o v1 ./multiplies 1
		if [ "$version" -ge 9 ]; then
			[ "$status" -eq 132 ]
			json "any('0x04a06000' in w and 'ended the program' in w for w in d['warnings'])" <v1
		else
			[ "$status" -eq 0 ]
			json "any('0x04a06000' in w and 'would raise SIGILL' in w for w in d['warnings'])" <v1
		fi
		plumb stat --source model --qemu "$qemu" --cpu neoverse-n3 --json -o n3 ./multiplies 1
		json "not any('feature' in w for w in d['warnings'])" <n3
		plumb stat --source model --qemu "$qemu" --cpu neoverse-n1 --json -o none ./multiplies
		json "not any('feature' in w for w in d['warnings'])" <none
	done < <(engines)
}
