// SPDX-License-Identifier: Apache-2.0
// Colours that people with any colour vision can tell apart: those of Okabe and Ito, in tints for dark
// text on a light page and for light text on a dark page.

/** @typedef {{fill: string, text: string}} Paint */

const light = ['#a6cee9', '#f5cf87', '#8fd6be', '#f2c3dc', '#f4eb9c', '#f0b48f', '#b9c4e8', '#d7d0c0',
    '#b6e0e8', '#cfe3a1'];
const dark = ['#1f5f8f', '#7d5a10', '#14674e', '#7b4466', '#69631a', '#83421a', '#47548a', '#5b5446',
    '#1d6570', '#4f6420'];

const states = {
    light: ['#d9dde3', '#4f9d7c', '#e6a23c', '#f2d36b', '#e9edf2', '#c46a6a', '#b8a4cf'],
    dark: ['#39414d', '#2f8a63', '#b2741a', '#8f7a1e', '#262d37', '#9c4343', '#6b5590'],
};

export const stateNames = ['unknown', 'running', 'preempted', 'runnable', 'sleeping', 'blocked',
    'stopped'];

/** @type {Map<string, number>} */
const hashes = new Map();

/** @param {string} text */
function hash(text) {
    let h = hashes.get(text);
    if (h === undefined) {
        h = 2166136261;
        for (let i = 0; i < text.length && i < 200; i++)
            h = Math.imul(h ^ text.charCodeAt(i), 16777619);
        h = (h >>> 0) % light.length;
        if (hashes.size < 100000) hashes.set(text, h);
    }
    return h;
}

export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    if (matchMedia('print').matches) return false;
    if (chosen) return chosen === 'dark';
    return matchMedia('(prefers-color-scheme: dark)').matches;
}

/**
 * The numbers of red, green and blue of a colour, which is written "#rrggbb".
 * @param {string} color
 */
function parts(color) {
    const all = parseInt(color.slice(1), 16);
    return [all >> 16, all >> 8 & 255, all & 255];
}

/**
 * Mixes two colours.
 * @param {string} color
 * @param {string} into
 * @param {number} share of `color`, from 0 to 1
 */
function mixed(color, into, share) {
    const to = parts(into);
    return '#' + parts(color).map((part, i) => Math.round(to[i] + (part - to[i]) * share).toString(16).padStart(2, '0')).join('');
}

export class Palette {
    constructor() {
        this.isDark = isDark();
        /** @type {Map<string, string>[]} fainter colours that were asked for, by how faint they are */
        this.fainter = [];
        /** @type {Map<string, string>} colours of moments, by those of spans */
        this.marks = new Map();
        const style = getComputedStyle(document.documentElement);
        /** @param {string} name */
        const get = (name) => style.getPropertyValue(name).trim();
        this.back = get('--back');
        this.back2 = get('--back-2');
        this.back3 = get('--back-3');
        this.line = get('--line');
        this.text = get('--text');
        this.text2 = get('--text-2');
        this.accent = get('--accent');
        this.warn = get('--warn');
        this.error = get('--error');
        this.edge = this.isDark ? '#c9d3e0' : '#5a6678';
    }

    /**
     * A colour as if the background shone through. Mixed colours are drawn faster than see-through ones.
     * @param {string} color
     * @param {number} percent of the colour
     */
    faint(color, percent) {
        const known = this.fainter[percent] ??= new Map();
        let faint = known.get(color);
        if (faint === undefined) {
            faint = mixed(color, this.back, percent / 100);
            known.set(color, faint);
        }
        return faint;
    }

    /** @param {string} name */
    fill(name) {
        return (this.isDark ? dark : light)[hash(name)];
    }

    /**
     * The colour of a moment, which is too small to be seen in the colour of a span.
     * @param {string} fill
     */
    mark(fill) {
        let mark = this.marks.get(fill);
        if (mark === undefined) {
            mark = mixed(fill, this.text, this.isDark ? 0.5 : 0.8);
            this.marks.set(fill, mark);
        }
        return mark;
    }

    /**
     * The colour of a ratio: blue for faster, orange for slower, which people who do not see red or
     * green can tell apart.
     * @param {number | undefined} ratio time after, divided by the time before
     */
    tone(ratio) {
        if (ratio === undefined) return this.isDark ? '#39414d' : '#e3e7ec';
        const strength = Math.min(1, Math.abs(Math.log2(ratio)) / 2);
        const color = ratio >= 1 ? (this.isDark ? '#cd6e14' : '#eb8728') : (this.isDark ? '#2878cd' : '#509be6');
        return mixed(color, this.isDark ? '#393939' : '#e4e4e4', strength);
    }

    /** @param {number} state */
    state(state) {
        const all = this.isDark ? states.dark : states.light;
        return all[state] ?? all[0];
    }
}
