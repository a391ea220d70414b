/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/lacking.h"

#include "required.h"

static bool lacks(const struct core_params *params, uint32_t word)
{
	const char *feature = insn_feature(word);

	return feature && !core_has_feature(params, feature);
}

void lacking_note(struct model_shared *shared, const struct core_params *params, uint64_t pc,
		  const uint32_t *words, size_t count)
{
	const uint32_t last = atomic_load(&shared->lacking_last.word);
	const uint64_t last_pc = atomic_load(&shared->lacking_last.pc);

	/* What is executed behind it tells that the program did not end. */
	if (last && pc == last_pc + 4 && !atomic_load(&shared->lacking_ran.word)) {
		atomic_store(&shared->lacking_ran.pc, last_pc);
		atomic_store(&shared->lacking_ran.word, last);
	}
	atomic_store(&shared->lacking_last.word, 0);
	for (size_t i = 0; i < count; i++) {
		struct model_lacking *lacking =
			i + 1 < count ? &shared->lacking_ran : &shared->lacking_last;

		if (!lacks(params, words[i]) ||
		    (lacking == &shared->lacking_ran && atomic_load(&lacking->word)))
			continue;
		atomic_store(&lacking->pc, pc + 4 * i);
		atomic_store(&lacking->word, words[i]);
	}
}
