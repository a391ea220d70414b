/* SPDX-License-Identifier: Apache-2.0 */
#include "base/student.h"

#define QUANTILE 1.959963984540054 /* quantile of the normal distribution for 97.5 % */

/*
 * By Cornish and Fisher's expansion around the normal one.
 * From four degrees of freedom on it errs by less than a thousandth; below, the values are exact.
 */
double student_quantile(double degrees)
{
	static const double few[] = {12.706204736, 4.30265273, 3.182446305};
	const double z = QUANTILE, z2 = z * z;
	double a, b, c, d;

	if (degrees < 4)
		return few[degrees < 2 ? 0 : degrees < 3 ? 1 : 2];
	a = z * (z2 + 1) / 4;
	b = z * ((5 * z2 + 16) * z2 + 3) / 96;
	c = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	d = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
	return z + (a + (b + (c + d / degrees) / degrees) / degrees) / degrees;
}
