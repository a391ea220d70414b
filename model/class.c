/* SPDX-License-Identifier: Apache-2.0 */
#include "insn.h"

static const char *const class_names[CLASS_COUNT] = {
#define CLASS(name, what) #name,
#include "classes.def"
#undef CLASS
};

const char *insn_class_name(unsigned class)
{
	return class < CLASS_COUNT ? class_names[class] : "UNKNOWN";
}
