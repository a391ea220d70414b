/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A branch a page, in pages so far apart that the L2 TLB cannot keep them (see tlb_walk.S): the
 * program writes them first, into memory it may execute. Every page's branch goes to the next page.
 */
#include "pages.inc"

#define PAGES  128
#define STRIDE (sets / 4)
#define ROUNDS 1000
/* mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) */
#define SYS_mmap 222

begin
	mov x0, #0
	constant x1, PAGES * STRIDE * PAGE_BYTES
	mov x2, #7
	mov x3, #0x22
	mov x4, #-1
	mov x5, #0
	mov x8, #SYS_mmap
	svc #0
	constant x5, PAGES - 1
	mov x3, #0
	mov w8, #0x14000000 /* b */
1:
	page_line x3, STRIDE, 2
	mov x6, x1
	add x3, x3, #1
	page_line x3, STRIDE, 2
	sub x7, x1, x6
	lsr x7, x7, #2
	orr w9, w8, w7
	str w9, [x6]
	dc cvau, x6
	cmp x3, x5
	b.ne 1b
	/* The last page's: br x10 */
	page_line x3, STRIDE, 2
	movz w9, #0x0140
	movk w9, #0xd61f, lsl #16
	str w9, [x1]
	dc cvau, x1
	dsb ish
	isb
	address x10, back
	constant x28, ROUNDS
back:
	sub x28, x28, #1
	cbz x28, 2f
	br x0
2:
	work PAGES * (ROUNDS - 1)
finish
