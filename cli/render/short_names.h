/* SPDX-License-Identifier: Apache-2.0 */
/* Names without the arguments of their templates, for terminals: "std::map<…>::find". */
#ifndef RENDER_SHORT_NAMES_H
#define RENDER_SHORT_NAMES_H

#include <stddef.h>

/* Columns from which on names in tables lose the arguments of their templates. */
#define SHORT_NAMES_FROM 30

/*
 * Returns a copy of a name in which `mark` stands for what is between the angle brackets behind an
 * identifier. Operators stay, and so does what does not end. The caller frees it.
 */
char *short_name(const char *name, const char *mark);

/*
 * Likewise, but keeps the last list of arguments, and replaces those within it: of
 * "std::vector<int>::push<std::pair<int, int> const&>", "std::vector<…>::push<std::pair<…>
 * const&>".
 */
char *short_name_but_last(const char *name, const char *mark);

/* Return a copy of a name without template arguments, or without its parameters. The caller frees
 * it. */
char *name_without_arguments(const char *name);
char *name_without_parameters(const char *name);

/*
 * Returns a copy of a name in prose: one that takes many columns loses the arguments of its
 * templates. The caller frees it.
 */
char *name_in_prose(const char *name, const char *mark);

/*
 * Replaces those of `count` names, `stride` cells apart, that take more than `columns` columns by
 * such copies. Different names that would look alike keep their last list of arguments, or all if
 * that does not tell them apart. Returns the copies in a list that ends with NULL, for
 * short_names_free().
 */
char **short_names(const char **cells, size_t count, size_t stride, size_t columns,
		   const char *mark);
void short_names_free(char **copies);

#endif
