/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a picture as an SVG file, or draws it for a PNG file. */
import { Colour, Picture, Shape } from "./picture";

const SCALE = 2; /* pixels of a PNG file for one of the page: slides are large */
const LARGEST = 16000; /* pixels a side that every browser can draw */

function escaped(text: string): string {
	/* What XML cannot have has been named before. */
	return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

function figure(value: number): string {
	return String(Math.round(value * 100) / 100);
}

function painted(name: string, of: Colour | null): string {
	if (!of) return ` ${name}="none"`;
	return ` ${name}="${of.css}"` + (of.opacity < 1 ? ` ${name}-opacity="${figure(of.opacity)}"` : "");
}

function written(shape: Shape): string {
	switch (shape.kind) {
		case "box": {
			/* A line lies inside its box. */
			const by = shape.stroke ? 0.5 : 0;
			return `<rect x="${figure(shape.x + by)}" y="${figure(shape.y + by)}" width="${figure(Math.max(0, shape.width - 2 * by))}" height="${figure(Math.max(0, shape.height - 2 * by))}"` + (shape.radius ? ` rx="${figure(shape.radius)}"` : "") + painted("fill", shape.fill) + (shape.stroke ? painted("stroke", shape.stroke) : "") + "/>";
		}
		case "text":
			return `<text x="${figure(shape.x)}" y="${figure(shape.y)}" textLength="${figure(shape.width)}" lengthAdjust="spacingAndGlyphs" font-family="${escaped(shape.family)}" font-size="${figure(shape.size)}"` + (shape.weight === "400" ? "" : ` font-weight="${escaped(shape.weight)}"`) + (shape.italic ? ' font-style="italic"' : "") + painted("fill", shape.fill) + ` xml:space="preserve">${escaped(shape.text)}</text>`;
		case "path": {
			const [x, y, left, top] = shape.at;
			return `<path transform="matrix(${x} 0 0 ${y} ${figure(left)} ${figure(top)})" d="${escaped(shape.d)}"${painted("fill", shape.fill)} shape-rendering="crispEdges"/>`;
		}
	}
}

export function asSvg(picture: Picture, title: string): Blob {
	const { width, height } = picture;
	return new Blob([`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\n<title>${escaped(title)}</title>\n<rect width="${width}" height="${height}"${painted("fill", picture.ground)}/>\n`, picture.shapes.map(written).join("\n"), "\n</svg>\n"], { type: "image/svg+xml" });
}

function paint(context: CanvasRenderingContext2D, shape: Shape): void {
	const filled = (of: Colour) => {
		context.fillStyle = of.css;
		context.globalAlpha = of.opacity;
	};
	if (shape.kind === "text") {
		filled(shape.fill);
		context.font = shape.font;
		context.fillText(shape.text, shape.x, shape.y, shape.width + 1);
	} else if (shape.kind === "path") {
		const [x, y, left, top] = shape.at;
		context.save();
		context.transform(x, 0, 0, y, left, top);
		filled(shape.fill);
		context.fill(new Path2D(shape.d));
		context.restore();
	} else {
		const by = shape.stroke ? 0.5 : 0;
		context.beginPath();
		/* TypeScript 4.8's DOM does not know it yet. */
		(context as unknown as { roundRect: (...values: number[]) => void }).roundRect(shape.x + by, shape.y + by, Math.max(0, shape.width - 2 * by), Math.max(0, shape.height - 2 * by), shape.radius);
		if (shape.fill) {
			filled(shape.fill);
			context.fill();
		}
		if (shape.stroke) {
			context.strokeStyle = shape.stroke.css;
			context.globalAlpha = shape.stroke.opacity;
			context.stroke();
		}
	}
}

export function asPng(picture: Picture): Promise<Blob> {
	const scale = Math.min(SCALE, LARGEST / picture.width, LARGEST / picture.height);
	const canvas = document.createElement("canvas");
	canvas.width = Math.floor(picture.width * scale);
	canvas.height = Math.floor(picture.height * scale);
	const context = canvas.getContext("2d")!;
	context.scale(scale, scale);
	context.fillStyle = picture.ground.css;
	context.fillRect(0, 0, picture.width, picture.height);
	for (const shape of picture.shapes) paint(context, shape);
	return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("the picture is too large"))), "image/png"));
}
