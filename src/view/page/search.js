// SPDX-License-Identifier: Apache-2.0
// Searching by names and expressions: what was asked, what fits, and going from hit to hit.

import {ask} from './api.js';
import {countText} from './time.js';

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * Returns what was typed as an expression: a word finds the names that contain it.
 * @param {string} text
 */
export function expressionOf(text) {
    const isExpression = /[=<>~"()]|\b(and|or|not|exists|in|between)\b/.test(text);
    return isExpression || text === '' ? text : `contains(lower(name), lower("${text.replace(/[\\"]/g, '\\$&')}"))`;
}

export class Search {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.query = '';
        /** @type {import('./panel.js').Hit[]} */
        this.hits = [];
    }

    /** @param {string} text */
    fill(text) {
        /** @type {HTMLInputElement} */ (get('search')).value = text;
        return this.run(text);
    }

    /** @param {string} text */
    async run(text) {
        const state = get('search-state');
        const {timeline, tiles, panel, where} = this.page;
        this.query = text.trim();
        this.hits = timeline.hits = [];
        timeline.hitAt = -1;
        state.classList.remove('error');
        state.textContent = '';
        this.page.writeHash();
        this.page.redraw();
        if (this.query === '') return;
        const fits = expressionOf(this.query);
        state.textContent = '...';
        try {
            const answer = await ask('search', {where: where === '' ? fits : `(${where}) and (${fits})`});
            Object.assign(tiles.names, answer.names);
            this.hits = answer.hits;
            timeline.hits = this.hits.map((hit) => ({since: Number(BigInt(hit[0]) + this.page.shiftOf(hit[2]) - this.page.base), track: hit[2]}))
                .sort((a, b) => a.since - b.since);
            panel.showHits(this.hits, answer.found, answer.names);
            this.tell(answer.found);
        } catch (error) {
            state.textContent = String(/** @type {Error} */ (error).message);
            state.classList.add('error');
        }
        this.page.redraw();
    }

    /** @param {number} [found] */
    tell(found = this.hits.length) {
        const at = this.page.timeline.hitAt;
        get('search-state').textContent = this.hits.length === 0 ? 'nothing fits'
            : (at >= 0 ? `${countText(at + 1)} of ` : '') + countText(found) + (at < 0 ? ' hits' : '');
    }

    /** @param {number} index */
    goTo(index) {
        if (this.hits.length === 0) return;
        const at = (index + this.hits.length) % this.hits.length;
        this.page.timeline.hitAt = at;
        this.tell();
        this.page.goTo(this.page.thingOf(this.hits[at]));
    }

    /** @param {number} step */
    step(step) {
        const {hitAt, view} = this.page.timeline;
        if (hitAt >= 0) {
            this.goTo(hitAt + step);
            return;
        }
        const next = this.hits.findIndex((hit) => BigInt(hit[0]) >= view.begin);
        this.goTo(step > 0 ? (next < 0 ? 0 : next) : (next < 0 ? this.hits.length : next) - 1);
    }
}
