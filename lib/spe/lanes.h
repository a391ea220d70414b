/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records read in several places at once. Where a packet begins is known only after the one before,
 * so a processor that reads one packet after another mostly waits. It has time for other records
 * further on, if only it is known where one of them begins. That is guessed: behind a packet that
 * may end a record, if what may begin one follows. Each lane then reads from such a place to that
 * of the next lane. If one does not end exactly there, the guess was wrong, and what was read from
 * there on is dropped.
 */
#ifndef SPE_LANES_H
#define SPE_LANES_H

#include <plumb/spe.h>

#include "spe/layout.h"

/* Fewer records are not worth it. */
#define SPE_LANES_ROOM 32

/*
 * Reads records of known packets with short headers from bytes[*at] on, which is between two
 * records, and adds to `*at` what they take: at most `room`, which is at least SPE_LANES_ROOM.
 * `offset` is that of the first of all `size` bytes in the stream. The last record, `before`, tells
 * how records end, and `*apart` how far lanes are from each other; it is set for the next call, and
 * 0 before the first one. Only those `members` are set. Returns how many records were read: 0 if
 * one after another must be.
 */
size_t spe_lanes_read(const uint8_t *bytes, size_t size, uint64_t offset, size_t *at,
		      uint32_t *apart, const struct plumb_spe_record *before,
		      struct plumb_spe_record *records, size_t room,
		      enum spe_layout_members members);

#endif
