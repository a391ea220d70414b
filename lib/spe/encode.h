/* SPDX-License-Identifier: Apache-2.0 */
/* Writes packets and records: the reverse of <plumb/spe.h>. */
#ifndef SPE_ENCODE_H
#define SPE_ENCODE_H

#include <plumb/spe.h>

/*
 * Encodes `packet` at `bytes`, which has room for `size` bytes. Uses .size only for alignments, and
 * an extended header if .header_bytes is 2 or the index requires it. Returns the number of bytes
 * written; PLUMB_ERR_LIMIT if they do not fit; or PLUMB_ERR_ARGUMENT if the packet is impossible: a
 * payload larger than .payload_bytes, an index that the header cannot hold, or PLUMB_SPE_INVALID.
 */
int spe_encode_packet(const struct plumb_spe_packet *packet, uint8_t *bytes, size_t size);

/* The order in which an implementation writes a record's packets, and the padding. */
enum spe_layout {
	SPE_LAYOUT_NEOVERSE, /* 64 bytes: doc/spe.md has the order */
	SPE_LAYOUT_COMPACT,  /* no padding */
};

/*
 * Writes the record's packets at `bytes`: those in .has, except PLUMB_SPE_HAS_OTHERS, whose
 * payloads are unknown. The record ends with its timestamp if it has one, otherwise with END. If
 * .events_bytes or .data_source_bytes is 0, the payload is as long as on Neoverse cores (2 and 1),
 * or as the value requires. Returns the number of bytes written, 64 or 128 in the Neoverse layout,
 * or PLUMB_ERR_LIMIT or PLUMB_ERR_ARGUMENT as spe_encode_packet() does. No record takes more
 * than 128 bytes.
 */
#define SPE_RECORD_MAX 128
int spe_encode_record(const struct plumb_spe_record *record, enum spe_layout layout, uint8_t *bytes,
		      size_t size);

#endif
