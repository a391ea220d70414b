# SPDX-License-Identifier: Apache-2.0
# plumb stat --sampled where two limits of a loop coincide. The judge is the whole model.

load lib.bash

@test "sampled: a loop's slots are lost to the limit that its entry decides for" {
	local compiler=aarch64-linux-gnu-gcc seed

	cd "$BATS_TEST_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || skip "no compiler for AArch64, or no engine"
	# A chain of two cycles, and two chunks of code to fetch. Of eight loops that follow each other,
	# one has a chain that begins behind misses: its queues stay full, those of others empty.
	cat >tie.c <<-'END'
		#include <stdint.h>

		static uint64_t memory[1 << 18], state = 1;

		static uint64_t draw(void)
		{
			state ^= state << 13;
			state ^= state >> 7;
			return state ^= state << 17;
		}

		static void loop(uint64_t turns, uint64_t chain)
		{
			__asm__ volatile(".p2align 6\n"
					 "1: mul %0, %0, %2\n\tb 2f\n\tnop\n\tnop\n"
					 "2: subs %1, %1, #1\n\tb.ne 1b"
					 : "+r"(chain), "+r"(turns)
					 : "r"(5ull)
					 : "cc");
		}

		int main(void)
		{
			for (unsigned i = 0; i < 1 << 18; i += 8)
				memory[i] = i * 2654435761u;
			for (unsigned i = 0; i < 200; i++) {
				uint64_t turns = 1 + draw() % 60000, sum = 3;

				for (unsigned k = 0; i % 8 == 0 && k < 20; k++)
					sum = memory[(sum + draw()) % (1 << 15) * 8];
				loop(turns, sum);
			}
			return 0;
		}
	END
	"$compiler" -O2 -static -o tie tie.c
	for seed in off 1 2 3; do
		if [ "$seed" = off ]; then set -- --sampled=off; else set -- --sampled --seed "$seed"; fi
		plumb stat --source model --cpu neoverse-n3 --no-progress "$@" --json -o "$seed.json" ./tie
	done
	/usr/bin/python3 - <<-'END'
		import json

		def events(name):
		    return {e["name"]: e for e in json.load(open(name))["events"]}

		whole = events("off.json")
		slots = 5 * whole["CPU_CYCLES"]["count"]
		backend = whole["STALL_SLOT_BACKEND"]["count"] / slots
		assert 0.05 < backend < 0.2, backend
		assert whole["STALL_SLOT_FRONTEND"]["count"] / slots > 0.4
		for seed in "123":
		    for name in ("STALL_SLOT_FRONTEND", "STALL_SLOT_BACKEND", "CPU_CYCLES"):
		        estimate, exact = events(seed + ".json")[name], whole[name]["count"]
		        low, high = estimate["interval"]
		        print(seed, name, estimate["count"], low, high, exact)
		        # 95 % of seeds are within the interval; these, always the same, within 1.5 of them.
		        assert abs(estimate["count"] - exact) <= 1.5 * (high - low) / 2
		        assert high - low < 0.05 * slots
	END
}

@test "sampled: code that never executes twice in a while is not all in detail" {
	local compiler=aarch64-linux-gnu-gcc

	cd "$BATS_TEST_TMPDIR" || return
	[ "$(uname -m)" != aarch64 ] || compiler=gcc
	command -v "$compiler" >/dev/null && engine_path >/dev/null || skip "no compiler for AArch64, or no engine"
	cat >straight.c <<-'END'
		int main(void)
		{
			for (unsigned long i = 0, sum = 0; i < 1500; i++)
				__asm__ volatile(".rept 20000\n\tadd %0, %0, #1\n\t.endr" : "+r"(sum));
			return 0;
		}
	END
	"$compiler" -O2 -static -o straight straight.c
	plumb stat --source model --cpu neoverse-n3 --no-progress --sampled --seed 1 --json -o straight.json ./straight
	/usr/bin/python3 - <<-'END'
		import json

		result = json.load(open("straight.json"))
		events = {event["name"]: event for event in result["events"]}
		print(result["sampled"])
		instructions = events["INST_RETIRED"]["count"]
		assert 30_000_000 < instructions < 31_000_000, instructions
		assert result["sampled"]["windows"] >= 100
		assert result["sampled"]["modelled_instructions"] < instructions * 3 / 4
	END
}
