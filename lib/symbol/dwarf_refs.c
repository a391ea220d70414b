/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/dwarf_refs.h"

#include <dwarf.h>
#include <stddef.h>

/* A definition has a declaration, and an inlined copy both; more is damage. */
#define REFERENCES_MAX 16

/* Finds a DIE in the supplementary file: its offset is a number of so many bytes. */
static bool in_supplement(const Dwarf_Attribute *attribute, unsigned form, Dwarf_Die *die)
{
	Dwarf_Attribute number = *attribute;
	Dwarf_Word offset;
	Dwarf *other;

	/* libdw checks that the number ends within the section. */
	number.form = form;
	if (dwarf_formudata(&number, &offset) != 0)
		return false;
	other = dwarf_getalt(dwarf_cu_getdwarf(attribute->cu));
	return other && dwarf_offdie(other, offset, die);
}

bool dwarf_referenced(Dwarf_Attribute *attribute, Dwarf_Die *die)
{
	if (!attribute)
		return false;
	switch (attribute->form) {
	case DW_FORM_ref_sup4:
		return in_supplement(attribute, DW_FORM_data4, die);
	case DW_FORM_ref_sup8:
		return in_supplement(attribute, DW_FORM_data8, die);
	default:
		return dwarf_formref_die(attribute, die);
	}
}

bool dwarf_find_attribute(const Dwarf_Die *die, unsigned name, Dwarf_Attribute *attribute,
			  Dwarf_Die *owner)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < REFERENCES_MAX; i++) {
		Dwarf_Attribute reference;

		if (dwarf_attr(&at, name, attribute)) {
			if (owner)
				*owner = at;
			return true;
		}
		if (!dwarf_referenced(dwarf_attr(&at, DW_AT_abstract_origin, &reference), &at) &&
		    !dwarf_referenced(dwarf_attr(&at, DW_AT_specification, &reference), &at))
			return false;
	}
	return false;
}

const char *dwarf_find_text(const Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	if (!dwarf_find_attribute(die, name, &attribute, NULL))
		return NULL;
	/* The same by the name that libdw has known longer. */
	if (attribute.form == DW_FORM_strp_sup)
		attribute.form = DW_FORM_GNU_strp_alt;
	return dwarf_formstring(&attribute);
}
