/* SPDX-License-Identifier: Apache-2.0 */
/* Random records and traces of them: the same ones from the same seed. */
#ifndef TEST_SPE_RANDOM_H
#define TEST_SPE_RANDOM_H

#include <plumb/spe.h>
#include <string.h>

struct spe_random {
	uint64_t state; /* not 0 */
};

static uint64_t spe_random(struct spe_random *random)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Below `limit`. */
static inline uint64_t spe_random_below(struct spe_random *random, uint64_t limit)
{
	return (spe_random(random) >> 32) % limit;
}

/* A payload size, 1, 2, 4 or 8, and a value that fits into it. */
static inline uint8_t spe_random_payload(struct spe_random *random, uint64_t *value)
{
	unsigned bits = 8u << (spe_random(random) >> 62);

	*value = spe_random(random) >> (64 - bits);
	return (uint8_t)(bits / 8);
}

/*
 * A record as the decoder gives it: `has` says what it has but for END, which it gets if it has no
 * timestamp; .offset and .size are left 0.
 */
static inline struct plumb_spe_record spe_random_record(struct spe_random *random, uint32_t has)
{
	struct plumb_spe_record record = {.has = has & ~PLUMB_SPE_HAS_OTHERS & ~PLUMB_SPE_HAS_END};

	if (!(has & PLUMB_SPE_HAS_TIMESTAMP))
		record.has |= PLUMB_SPE_HAS_END;
	else
		record.timestamp = spe_random(random);
	for (unsigned i = 0; i < 5; i++)
		if (has & PLUMB_SPE_HAS_PC << i)
			record.addresses[i] = spe_random(random);
	for (unsigned i = 0; i < 3; i++)
		if (has & PLUMB_SPE_HAS_TOTAL_LATENCY << i)
			record.counters[i] = (uint16_t)(spe_random(random) >> 48);
	for (unsigned i = 0; i < 2; i++)
		if (has & PLUMB_SPE_HAS_CONTEXT_EL1 << i)
			record.contexts[i] = (uint32_t)(spe_random(random) >> 32);
	if (has & PLUMB_SPE_HAS_EVENTS)
		record.events_bytes = spe_random_payload(random, &record.events);
	if (has & PLUMB_SPE_HAS_DATA_SOURCE)
		record.data_source_bytes = spe_random_payload(random, &record.data_source);
	if (has & PLUMB_SPE_HAS_OPERATION) {
		uint64_t value = spe_random(random);

		record.op_class = value >> 62;
		record.operation = (uint8_t)value;
	}
	return record;
}

#endif
