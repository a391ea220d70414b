/* SPDX-License-Identifier: Apache-2.0 */
/* What every view of the page is. */
import { Documents } from "./data";
import { Model } from "./stacks";
import { State } from "./state";

export interface Page {
	documents: Documents;
	model: Model | null;
}

export interface Shown {
	element: HTMLElement;
	/* Takes a change without being made again; returns false if that is necessary. */
	update?: (changed: Set<keyof State>) => boolean;
}

export interface View {
	key: string;
	title: string;
	/* It depends on the chosen value, range and thread. */
	chooses: boolean;
	/* Unless false: the chosen value matters. */
	choosesValue?: boolean;
	searches: boolean | ((page: Page) => boolean);
	/* Its figures are of the whole recording, whatever range or thread is chosen. */
	wholeOnly?: boolean | ((page: Page) => boolean);
	has: (page: Page) => boolean;
	make: (page: Page) => Shown;
}
