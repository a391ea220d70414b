/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that the modelled core lacks: some engines execute them, others end the program. */
#ifndef QEMU_LACKING_H
#define QEMU_LACKING_H

#include <stddef.h>

#include "params.h"
#include "shared.h"

/*
 * Notes such instructions in code that is about to be executed, from `pc` to where the engine ended
 * the block. It does that behind an instruction that it does not have.
 */
void lacking_note(struct model_shared *shared, const struct core_params *params, uint64_t pc,
		  const uint32_t *words, size_t count);

#endif
