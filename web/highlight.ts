/* SPDX-License-Identifier: Apache-2.0 */
/* Colours the words of a line of source: enough for C and languages that look like it. */
import { h, visible } from "./dom";

const LIKE_C = /\.(c|h|cc|cpp|cxx|hh|hpp|hxx|inl|ipp|tcc|m|mm|cu|rs|go|java|d|zig|swift|cs|js|ts)$/i;
const WORDS = new Set(("alignas alignof and as asm async auto await bool break case catch char class const constexpr continue crate default defer delete do double dyn else enum explicit extern " +
	"false final float fn for friend func go goto if impl import in inline int interface let long loop match mod move mut namespace new nil noexcept None not null nullptr operator or override " +
	"package private protected pub public ref register restrict return select self short signed sizeof Some static struct super switch template this throw trait true try type typedef typename " +
	"union unsafe unsigned use using var virtual void volatile where while yield " +
	"size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t i8 i16 i32 i64 u8 u16 u32 u64 usize isize f32 f64").split(" "));
/* A comment, a string, a number or a word. A string ends with its line, so one that goes on is no trouble. */
const PARTS = /(\/\/.*$|\/\*.*?(?:\*\/|$)|^\s*\*(?:\s.*)?$)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)+')|(\b\d[\w.']*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;
const LONGEST = 400; /* characters: longer lines are not read by people */

export function highlighted(text: string, path: string | null): (Node | string)[] {
	if (!path || !LIKE_C.test(path) || text.length > LONGEST) return [visible(text)];
	const made: (Node | string)[] = [];
	let last = 0;
	for (const match of text.matchAll(PARTS)) {
		const [all, comment, string, number, word, directive] = match;
		const kind = comment ? "comment" : string ? "string" : number ? "number" : directive ? "word" : word && WORDS.has(word) ? "word" : "";
		if (!kind) continue;
		made.push(visible(text.slice(last, match.index)), h("span", { class: "y-" + kind }, visible(all)));
		last = match.index! + all.length;
	}
	made.push(visible(text.slice(last)));
	return made;
}
