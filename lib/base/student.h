/* SPDX-License-Identifier: Apache-2.0 */
/* Student's distribution, for intervals of means of few values. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

/* Returns Student's quantile for 97.5 % with this many degrees of freedom, one or more. */
double student_quantile(double degrees);

#endif
