/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts a hundred thousand values within a key press. Numbers are sorted by their bits, 16 at a time,
 * without any comparison; texts become numbers, too: of the first characters in which they differ.
 */

const DIGITS = 6; /* characters, a byte each: as many as a number holds exactly */
const LARGEST = 255; /* of a byte: this character, or any later one */

/* Returns how many characters all texts begin with. */
function common(texts: string[]): number {
	let length = texts.length ? texts[0].length : 0;
	for (const text of texts) {
		length = Math.min(length, text.length);
		let i = 0;
		while (i < length && text.charCodeAt(i) === texts[0].charCodeAt(i)) i++;
		length = i;
	}
	return length;
}

/* Writes numbers in the order of the texts, as far as they go: different texts may have the same. */
function keysOf(texts: string[], keys: Float64Array): void {
	const from = common(texts);
	for (let k = 0; k < texts.length; k++) {
		const text = texts[k];
		let key = 0;
		let more = true;
		for (let i = from; i < from + DIGITS; i++) {
			/* What comes after an unknown character does not count. */
			const digit: number = more && i < text.length ? Math.min(text.charCodeAt(i) + 1, LARGEST) : 0;
			more = more && digit < LARGEST;
			key = key * 256 + digit;
		}
		keys[k] = key;
	}
}

const DIGIT = 1 << 16; /* values of 16 bits */

/* Returns the places of numbers in their order; equal ones keep theirs. */
function sortedPlaces(keys: Float64Array, down: boolean): Int32Array {
	const count = keys.length;
	/* As IEEE 754 has them, in the order of bytes that all browsers' machines have. */
	const bits = new Uint32Array(keys.buffer);
	const halves = [new Uint32Array(count), new Uint32Array(count)];
	for (let k = 0; k < count; k++) {
		const high = bits[2 * k + 1];
		/* Bits of negative numbers count backwards; so do all, downwards. */
		const turn = (high >>> 31 ? -1 : 0) ^ (down ? -1 : 0);
		halves[0][k] = bits[2 * k] ^ turn;
		halves[1][k] = high ^ (high >>> 31 ? turn : turn ^ 0x80000000);
	}
	let places = Int32Array.from(keys.keys());
	let next = new Int32Array(count);
	const begins = new Int32Array(DIGIT + 1);
	for (let pass = 0; pass < 4; pass++) {
		const from = halves[pass >> 1];
		const shift = 16 * (pass & 1);
		begins.fill(0);
		for (let k = 0; k < count; k++) begins[((from[k] >>> shift) & (DIGIT - 1)) + 1]++;
		/* Whole numbers have no bits in the lower half. */
		if (count && begins[((from[0] >>> shift) & (DIGIT - 1)) + 1] === count) continue;
		for (let digit = 0; digit < DIGIT; digit++) begins[digit + 1] += begins[digit];
		for (let i = 0; i < count; i++) next[begins[(from[places[i]] >>> shift) & (DIGIT - 1)]++] = places[i];
		[places, next] = [next, places];
	}
	return places;
}

/* Returns the places of values in their order. Equal ones keep theirs; what is unknown comes last. */
export function ordered(values: (number | string | null)[], down: boolean): Int32Array {
	const order = new Int32Array(values.length);
	const known: number[] = [];
	let last = 0;
	let texts: string[] | null = null;
	for (let i = 0; i < values.length; i++) {
		const value = values[i];
		if (value === null || value !== value) continue;
		known.push(i);
		if (typeof value === "string") texts = [];
	}
	const keys = new Float64Array(known.length);
	if (texts) {
		for (const i of known) texts.push(String(values[i]));
		keysOf(texts, keys);
	} else for (let k = 0; k < keys.length; k++) keys[k] = (values[known[k]] as number) + 0; /* -0 is 0 */
	const places = sortedPlaces(keys, down);
	if (texts) {
		const same = texts;
		const sign = down ? -1 : 1;
		for (let first = 0, end = 0; first < places.length; first = end) {
			let differ = false;
			for (end = first + 1; end < places.length && keys[places[end]] === keys[places[first]]; end++) differ = differ || same[places[end]] !== same[places[first]];
			if (differ) places.subarray(first, end).sort((a, b) => (same[a] === same[b] ? a - b : same[a] < same[b] ? -sign : sign));
		}
	}
	for (const k of places) order[last++] = known[k];
	for (let i = 0; i < values.length; i++) if (values[i] === null || values[i] !== values[i]) order[last++] = i;
	return order;
}
