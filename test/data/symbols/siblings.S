/* SPDX-License-Identifier: Apache-2.0 */
/* Functions each of which says that its first child is its sibling: there are 2^100 ways. */
	.text
	.globl	_start
_start:
	.skip	16
	.section .debug_abbrev, "", %progbits
	.byte	1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0 /* compile_unit: low_pc, high_pc */
	.byte	2, 0x2e, 1, 1, 0x13, 0, 0	   /* subprogram: sibling */
	.byte	0
	.section .debug_info, "", %progbits
unit:
	.4byte	end - start
start:
	.2byte	4
	.4byte	0
	.byte	8
	.byte	1
	.8byte	_start
	.4byte	16
	.rept	100
1:	.byte	2
	.4byte	2f - unit
2:
	.endr
	.skip	101
end:
