/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts a hundred thousand values within a key press. The engine sorts plain numbers far faster than
 * it calls a comparison, so texts become numbers, too: of the first characters in which they differ.
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

/* Returns where in sorted numbers the first one is that is not less. */
function find(sorted: Float64Array, key: number): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < key) low = middle + 1;
		else high = middle;
	}
	return low;
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
	} else known.forEach((i, k) => (keys[k] = values[i] as number));
	const sign = down ? -1 : 1;
	for (let k = 0; k < keys.length; k++) keys[k] *= sign;
	const sorted = keys.slice().sort();
	const taken = new Int32Array(known.length);
	const places = new Int32Array(known.length);
	for (let k = 0; k < keys.length; k++) {
		const first = find(sorted, keys[k]);
		places[first + taken[first]++] = k;
	}
	if (texts) {
		const same = texts;
		for (let i = 0; i < taken.length; i += Math.max(1, taken[i]))
			if (taken[i] > 1) places.subarray(i, i + taken[i]).sort((a, b) => (same[a] === same[b] ? a - b : same[a] < same[b] ? -sign : sign));
	}
	for (const k of places) order[last++] = known[k];
	for (let i = 0; i < values.length; i++) if (values[i] === null || values[i] !== values[i]) order[last++] = i;
	return order;
}
