// SPDX-License-Identifier: Apache-2.0
// Texts on a canvas. Measuring is slow, so widths are kept: of texts, and of the parts of texts that
// were tried where a text does not fit.

/**
 * @typedef {{whole: number, parts: Map<number, number> | undefined, width: number, shown: string}} Known width of the
 *     text and of its first letters with an ellipsis (negative: not measured), and the answer for the
 *     width that was asked for last
 */

const ELLIPSIS = '\u2026';
const WIDTHS_MAX = 8000;

export class Texts {
    /** @param {CanvasRenderingContext2D} context whose font stays as it is */
    constructor(context) {
        this.context = context;
        /** @type {Map<string, Known>} */
        this.known = new Map();
        this.count = 0; /* widths that are kept */
    }

    /** Forgets all widths, after the font changed. */
    clear() {
        this.known.clear();
        this.count = 0;
    }

    /**
     * @param {string} text
     * @returns {Known}
     */
    get(text) {
        let known = this.known.get(text);
        if (known === undefined) {
            if (this.count >= WIDTHS_MAX) this.clear();
            known = {whole: -1, parts: undefined, width: -1, shown: ''};
            this.known.set(text, known);
            this.count++;
        }
        return known;
    }

    /** @param {string} text */
    width(text) {
        const known = this.get(text);
        if (known.whole < 0) known.whole = this.context.measureText(text).width;
        return known.whole;
    }

    /**
     * Returns as much of a text as fits, with an ellipsis if it is cut; '' if nothing does.
     * @param {string} text
     * @param {number} width
     * @param {number} most letters that could fit at all
     */
    fit(text, width, most) {
        const known = this.get(text);
        if (known.width !== width) {
            known.shown = text.length <= most && this.width(text) <= width ? text : this.cut(text, known, width, Math.min(text.length, most));
            known.width = width;
        }
        return known.shown;
    }

    /**
     * @param {string} text
     * @param {Known} known
     * @param {number} width
     * @param {number} most letters
     */
    cut(text, known, width, most) {
        const parts = known.parts ??= new Map();
        let low = 0, high = most;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            let part = parts.get(middle);
            if (part === undefined) {
                part = this.context.measureText(text.slice(0, middle) + ELLIPSIS).width;
                parts.set(middle, part);
                this.count++;
            }
            if (part <= width) low = middle;
            else high = middle - 1;
        }
        return low < 1 ? '' : text.slice(0, low) + ELLIPSIS;
    }
}
