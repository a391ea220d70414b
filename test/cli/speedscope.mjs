// SPDX-License-Identifier: Apache-2.0
// speedscope.mjs BUNDLE FILE: imports a file with speedscope's own importer, taken out of the
// program that its package from npm has for browsers, and prints the profiles' total weights and the
// first one's weight of each frame alone, as JSON.
import fs from 'node:fs';
import vm from 'node:vm';

const [bundle, file] = process.argv.slice(2);
const program = fs.readFileSync(bundle, 'utf8');
const name = /importProfileGroupFromText:\(\)=>(\w+)/.exec(program)[1];
// Stands for the page, which is not built.
const page = new Proxy(function () {}, {
	get: (_, key) => key === Symbol.toPrimitive ? () => '' :
		key === Symbol.iterator ? function* () {} : key === 'then' ? undefined : page,
	apply: () => page,
	construct: () => page,
	set: () => true,
	has: () => true,
});
let give;
const given = new Promise(resolve => (give = resolve));
const context = {
	console: {log() {}, warn() {}, error() {}}, give, document: page, window: page,
	navigator: page, localStorage: page, location: page, self: page, Image: page,
	FontFace: page, HTMLElement: class {}, Element: class {}, URL, TextDecoder, TextEncoder,
	setTimeout, performance, atob, btoa, requestAnimationFrame() {},
};
context.globalThis = context;
try {
	vm.runInNewContext(program.replace('console.log(`speedscope v', `give(${name});$&`), context);
} catch {
	// The page cannot be drawn; the importer was given before.
}
const importer = await given;
const {profiles} = await importer('profile.json', fs.readFileSync(file, 'utf8'));
const frames = [];
profiles[0].forEachFrame(frame => frames.push([frame.name, frame.getSelfWeight()]));
console.log(JSON.stringify({
	totals: profiles.map(profile => [profile.getName(), profile.getTotalNonIdleWeight()]),
	frames,
}));
