/* A push and a pop (Zcmp), compare-and-swaps (Zacas) and vectors, by their encodings: assemblers do
 * not know them yet. */
	.globl _start
_start:
	lla sp, top
	li ra, 0x11
	li s0, 0x22
	.half 0xb852 /* cm.push {ra, s0}, -16 */
	.half 0xba52 /* cm.pop {ra, s0}, 16 */
	lla a0, word
	li a1, 5
	sd a1, (a0)
	li a2, 5
	li a3, 7
	.word 0x28d5362f /* amocas.d a2, a3, (a0): swaps */
	li a2, 4
	.word 0x28d5362f /* amocas.d a2, a3, (a0): fails */
	li a2, 7
	.word 0x28d5262f /* amocas.w a2, a3, (a0): stores what was there */
	li a2, 8
	li a3, -1
	.word 0x28d5262f /* amocas.w a2, a3, (a0): fails */
	.word 0x28d5202f /* amocas.w x0, a3, (a0): fails */
	.word 0xcd017057 /* vsetivli x0, 2, e32, m1, ta, ma */
	.word 0x02056007 /* vle32.v v0, (a0) */
	.word 0x02056027 /* vse32.v v0, (a0) */
	li a0, 0
	li a7, 93
	ecall

	.bss
	.balign 16
word:	.space 64
top:
