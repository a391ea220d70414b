/* SPDX-License-Identifier: Apache-2.0 */
/* Reads modifiers, the letters after an event's ':' or last '/', as in perf-list(1). */
#include <string.h>

#include "event/parse.h"

#define LETTERS     "ukhpPSDWIGHeb"
#define PRECISE_MAX 3

bool event_are_modifiers(struct event_word letters)
{
	for (size_t i = 0; i < letters.length; i++)
		if (!letters.at[i] || !strchr(LETTERS, letters.at[i]))
			return false;
	return letters.length > 0;
}

/* Counts only the modes that are named; a group's modes add to an event's own. */
static void restrict_modes(struct event_word letters, struct plumb_event_config *config)
{
	const bool user = memchr(letters.at, 'u', letters.length);
	const bool kernel = memchr(letters.at, 'k', letters.length);
	const bool hypervisor = memchr(letters.at, 'h', letters.length);

	if (!user && !kernel && !hypervisor)
		return;
	if (!config->exclude_user && !config->exclude_kernel && !config->exclude_hv)
		config->exclude_user = config->exclude_kernel = config->exclude_hv = true;
	config->exclude_user &= !user;
	config->exclude_kernel &= !kernel;
	config->exclude_hv &= !hypervisor;
}

static int refuse(const struct event_reader *reader, struct event_word letters, const char *what)
{
	event_refuse(reader, PLUMB_ERR_SYNTAX, letters, "%s", what);
	plumb_diagnostics_hint(reader->diagnostics,
			       "use u (user), k (kernel), h (hypervisor), G (guest), H (host), I "
			       "(not idle), p to ppp and P (precise), S (the leader samples its "
			       "group), D (pinned), e (exclusive), W (weak group)");
	return PLUMB_ERR_SYNTAX;
}

static int apply(const struct event_reader *reader, struct event_word letters, char letter,
		 bool member, struct plumb_event_config *config)
{
	switch (letter) {
	case 'u':
	case 'k':
	case 'h':
		break;
	case 'G':
		config->guest = true;
		break;
	case 'H':
		config->host = true;
		break;
	case 'I':
		config->exclude_idle = true;
		break;
	case 'p':
		if (config->precise == PRECISE_MAX)
			return refuse(reader, letters, "at most three p are allowed");
		config->precise++;
		break;
	case 'P':
		config->precise = PRECISE_MAX;
		break;
	case 'S':
		config->sample_read = true;
		break;
	/* The kernel accepts these for a group's leader only. */
	case 'D':
		config->pinned = !member;
		break;
	case 'e':
		config->exclusive = !member;
		break;
	case 'W':
		config->weak = true;
		break;
	default: /* b */
		event_refuse(reader, PLUMB_ERR_UNSUPPORTED, letters,
			     "counting with BPF is not supported");
		plumb_diagnostics_hint(reader->diagnostics, "remove the modifier b");
		return PLUMB_ERR_UNSUPPORTED;
	}
	return 0;
}

int event_modify(const struct event_reader *reader, struct event_word letters, bool member,
		 struct plumb_event_config *config)
{
	int error = 0;

	if (!event_are_modifiers(letters))
		return refuse(reader, letters, "invalid modifiers");
	if (config->kind == PLUMB_EVENT_OTHER)
		return event_refuse(reader, PLUMB_ERR_INVALID, letters,
				    "only events of cores have modifiers");
	restrict_modes(letters, config);
	for (size_t i = 0; i < letters.length && error == 0; i++) {
		const char letter = letters.at[i];

		if (letter != 'p' && memchr(letters.at + i + 1, letter, letters.length - i - 1))
			return refuse(reader, letters, "duplicate modifier");
		error = apply(reader, letters, letter, member, config);
	}
	return error;
}
