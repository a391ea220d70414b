/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes what is shown as a list of shapes, which an SVG file or a canvas can have: the policy allows
 * no image to be loaded, so the page cannot let the browser draw it into one.
 */
export interface Colour {
	css: string; /* "#rrggbb" */
	opacity: number;
}

export type Shape =
	| { kind: "box"; x: number; y: number; width: number; height: number; radius: number; fill: Colour | null; stroke: Colour | null }
	| { kind: "text"; x: number; y: number; width: number; text: string; font: string; family: string; size: number; weight: string; italic: boolean; fill: Colour }
	| { kind: "path"; d: string; at: [number, number, number, number]; fill: Colour }; /* scaled and moved: x, y factors, then x, y */

export interface Picture {
	width: number;
	height: number;
	ground: Colour;
	shapes: Shape[];
}

/* What can be seen of an element, because of those around it. */
interface Clip {
	left: number;
	top: number;
	right: number;
	bottom: number;
}

const MARGIN = 20; /* pixels */
const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
const colours = new Map<string, Colour>();

/* Returns a colour as every program reads it, whatever way CSS wrote it. */
function colour(css: string, opacity: number): Colour | null {
	let known = colours.get(css);
	if (!known) {
		ink.clearRect(0, 0, 1, 1);
		ink.fillStyle = css;
		ink.fillRect(0, 0, 1, 1);
		const [r, g, b, a] = ink.getImageData(0, 0, 1, 1).data;
		known = { css: "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join(""), opacity: a / 255 };
		colours.set(css, known);
	}
	return known.opacity * opacity > 0 ? { css: known.css, opacity: known.opacity * opacity } : null;
}

function number(css: string): number {
	return parseFloat(css) || 0;
}

class Taker {
	readonly shapes: Shape[] = [];
	right = 0;
	bottom = 0;

	constructor(private readonly left: number) {}

	/* Where the page's upper end would be in the picture. */
	top = 0;

	private put(shape: Shape, right: number, bottom: number): void {
		this.shapes.push(shape);
		this.right = Math.max(this.right, right);
		this.bottom = Math.max(this.bottom, bottom);
	}

	private box(element: Element, style: CSSStyleDeclaration, opacity: number, clip: Clip): void {
		const box = element.getBoundingClientRect();
		const x = Math.max(box.left, clip.left), y = Math.max(box.top, clip.top);
		const width = Math.min(box.right, clip.right) - x, height = Math.min(box.bottom, clip.bottom) - y;
		if (width <= 0 || height <= 0) return;
		const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
			size: number(style.getPropertyValue(`border-${side.toLowerCase()}-width`)),
			colour: colour(style.getPropertyValue(`border-${side.toLowerCase()}-color`), opacity),
		}));
		const even = sides[0].size > 0 && sides[0].size <= 2 && sides.slice(0, 3).every((side) => side.size === sides[0].size);
		const fill = colour(style.backgroundColor, opacity);
		const stroke = even ? sides[0].colour : null;
		const at = { x: x - this.left, y: y - this.top };
		if (fill || stroke) this.put({ kind: "box", ...at, width, height, radius: Math.min(number(style.borderTopLeftRadius), width / 2, height / 2), fill, stroke }, at.x + width, at.y + height);
		sides.forEach((side, i) => {
			if (!side.size || !side.colour || (even && side.size === sides[0].size)) return;
			const wide = i % 2 ? side.size : width, high = i % 2 ? height : side.size;
			this.put({ kind: "box", x: i === 1 ? at.x + width - wide : at.x, y: i === 2 ? at.y + height - high : at.y, width: wide, height: high, radius: 0, fill: side.colour, stroke: null }, at.x + width, at.y + height);
		});
	}

	private text(node: Text, style: CSSStyleDeclaration, opacity: number, clip: Clip): void {
		const fill = colour(style.color, opacity);
		if (!fill || !node.data.trim()) return;
		const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
		ink.font = font;
		for (const [text, box] of lines(node)) {
			const middle = (box.top + box.bottom) / 2;
			/* Half a line looks like an error. */
			if (middle < clip.top || box.bottom > clip.bottom + 2 || box.left >= clip.right || box.right <= clip.left) continue;
			const room = clip.right - box.left;
			const fits = box.right <= clip.right + 1 ? text : cut(text, room);
			if (!fits) continue;
			const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = ink.measureText("x");
			const y = box.top + (box.height - above - below) / 2 + above;
			const width = fits === text ? box.width : Math.min(room, ink.measureText(fits).width);
			this.put({ kind: "text", x: box.left - this.left, y: y - this.top, width, text: fits, font, family: style.fontFamily, size: number(style.fontSize), weight: style.fontWeight, italic: style.fontStyle === "italic", fill }, box.left - this.left + width, box.bottom - this.top);
		}
	}

	/* Takes the paths and rectangles of a chart. */
	private chart(chart: SVGSVGElement, opacity: number, clip: Clip): void {
		const box = chart.getBoundingClientRect();
		const { width, height } = chart.viewBox.baseVal;
		if (!width || !height || box.bottom <= clip.top || box.top >= clip.bottom) return;
		const at: [number, number, number, number] = [box.width / width, box.height / height, box.left - this.left, box.top - this.top];
		for (const part of chart.querySelectorAll<SVGElement>("path, rect")) {
			const style = getComputedStyle(part);
			const fill = colour(style.fill, opacity * number(style.fillOpacity));
			const [x, y, wide, high] = ["x", "y", "width", "height"].map((name) => part.getAttribute(name) || "0");
			if (fill) this.put({ kind: "path", d: part.getAttribute("d") || `M${x} ${y}h${wide}v${high}h-${wide}z`, at, fill }, at[2] + box.width, at[3] + box.height);
		}
	}

	element(element: Element, opacity: number, clip: Clip): void {
		const style = getComputedStyle(element);
		if (style.display === "none" || style.visibility === "hidden") return;
		const own = opacity * number(style.opacity);
		if (style.display !== "contents") this.box(element, style, own, clip);
		if (element instanceof SVGSVGElement) return this.chart(element, own, clip);
		let inside = clip;
		if (style.overflowX !== "visible" || style.overflowY !== "visible") {
			const box = element.getBoundingClientRect();
			inside = { left: Math.max(clip.left, box.left), top: Math.max(clip.top, box.top), right: Math.min(clip.right, box.right), bottom: Math.min(clip.bottom, box.bottom) };
			if (inside.right <= inside.left || inside.bottom <= inside.top) return;
		}
		const closed = element instanceof HTMLDetailsElement && !element.open;
		for (const child of element.childNodes) {
			if (closed && !(child instanceof Element && child.tagName === "SUMMARY")) continue;
			if (child instanceof Element) this.element(child, own, inside);
			else if (child instanceof Text) this.text(child, style, own, inside);
		}
	}
}

/* Returns as much of a text as there is room for. */
function cut(text: string, room: number): string {
	let low = 0;
	let high = text.length;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (ink.measureText(text.slice(0, middle) + "…").width <= room) low = middle;
		else high = middle - 1;
	}
	return low ? text.slice(0, low) + "…" : "";
}

/* Returns the lines that a text takes, each with its place. */
function lines(node: Text): [string, DOMRect][] {
	const range = document.createRange();
	let first = Math.max(0, node.data.search(/\S/));
	range.setStart(node, first);
	range.setEnd(node, node.data.length);
	const boxes = range.getClientRects();
	const kept = /^(pre|break-spaces)/.test(getComputedStyle(node.parentElement!).whiteSpace);
	const clean = (text: string) => (kept ? text.replace(/\t/g, "    ") : text.replace(/[\t\n\r ]+/g, " "));
	if (!boxes.length) return [];
	if (boxes.length === 1) return [[clean(node.data.slice(first)), boxes[0]]];
	const made: [string, DOMRect][] = [];
	const end = (last: number) => {
		range.setStart(node, first);
		range.setEnd(node, last);
		if (clean(node.data.slice(first, last)).trim()) made.push([clean(node.data.slice(first, last)).trimEnd(), range.getBoundingClientRect()]);
		first = last;
	};
	let top = NaN;
	for (let i = first; i < node.data.length; i++) {
		range.setStart(node, i);
		range.setEnd(node, i + 1);
		const box = range.getClientRects()[0];
		if (!box || !box.width) continue;
		if (!isNaN(top) && Math.abs(box.top - top) > 2) end(i);
		top = box.top;
	}
	end(node.data.length);
	return made;
}

/* Takes elements as they are shown, one below the other. */
export function picture(elements: Element[]): Picture {
	const taker = new Taker(Math.min(...elements.map((element) => element.getBoundingClientRect().left)) - MARGIN);
	let bottom = MARGIN;
	for (const element of elements) {
		const box = element.getBoundingClientRect();
		taker.top = box.top - bottom;
		taker.element(element, 1, { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity });
		bottom = Math.max(bottom + box.height, taker.bottom);
	}
	return { width: Math.ceil(taker.right + MARGIN), height: Math.ceil(taker.bottom + MARGIN), ground: colour(getComputedStyle(document.body).backgroundColor, 1)!, shapes: taker.shapes };
}
