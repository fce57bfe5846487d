// SPDX-License-Identifier: Apache-2.0
// The names of the tracks, left of the picture.

import {make} from './dom.js';
import {countText, lengthText} from './time.js';

/** @typedef {import('./model.js').Node} Node */

export class Names {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.list = /** @type {HTMLElement} */ (document.getElementById('names'));
        this.pins = /** @type {HTMLElement} */ (document.getElementById('pins'));
        /** @type {Map<string, HTMLElement>} */
        this.rows = new Map();
    }

    /** Makes all names anew, after tracks were added or moved. */
    renew() {
        const {model, timeline} = this.page;
        this.list.style.height = Math.max(model.height, timeline.height) + 'px';
        this.pins.style.setProperty('--pinned', model.pinnedHeight + 'px');
        for (const row of this.rows.values()) row.remove();
        this.rows.clear();
    }

    /** Makes elements for the names in sight, and removes those out of sight. */
    fill() {
        const {model, timeline, scroller} = this.page;
        const top = scroller.scrollTop;
        const nodes = new Set([...model.pins, ...model.between(top - 200, top + timeline.height + 200)]);
        const wanted = new Set([...nodes].map((node) => node.key));
        for (const [key, row] of this.rows) {
            if (wanted.has(key) || row.contains(document.activeElement)) continue;
            row.remove();
            this.rows.delete(key);
        }
        for (const node of nodes) if (!this.rows.has(node.key)) this.rows.set(node.key, this.make(node));
    }

    /** @param {string} key */
    focus(key) {
        this.rows.get(key)?.focus();
    }

    /**
     * The text that is shown about a track while the pointer is on its name.
     * @param {Node} node
     */
    about(node) {
        const {info} = node;
        const lines = [node.title];
        if (node.about !== '') lines.push(node.about);
        if (info !== undefined && info.events > 0) lines.push(`${countText(info.events)} events`);
        if (info !== undefined && info.spans > 0) lines.push(`${countText(info.spans)} spans, ${countText(info.depth)} deep`);
        if (info !== undefined && info.busy > 0) lines.push(`busy for ${lengthText(info.busy, this.page.clock)}`);
        return lines.join('\n');
    }

    /** @param {Node} node */
    make(node) {
        const {page} = this;
        const canFold = node.children.length !== 0 || (node.info?.depth ?? 0) > 1;
        const isGroup = node.children.some((child) => child.counter === undefined);
        const fold = make('button', {type: 'button', 'aria-label': node.isFolded ? 'Open' : 'Fold', tabindex: '-1',
            click: () => page.fold(node)}, canFold ? (node.isFolded ? '\u25b8' : '\u25be') : '');
        if (!canFold) fold.style.visibility = 'hidden';
        const label = make('span', {class: 'label', title: this.about(node)}, node.title);
        const whole = Number(page.end - page.base);
        const busy = node.info !== undefined && node.info.busy > 0 && whole > 0 ? node.info.busy / whole * 100 : 0;
        if (busy > 0) label.append(make('span', {class: 'about'}, `${busy < 0.1 ? '<0.1' : busy.toFixed(busy < 10 ? 1 : 0)} %`));
        else if (node.about !== '') label.append(make('span', {class: 'about'}, node.about));
        const pin = make('button', {type: 'button', class: 'pin', title: node.isPinned ? 'Unpin (P)' : 'Keep on top (P)',
            'aria-label': node.isPinned ? 'Unpin' : 'Keep on top', 'aria-pressed': String(node.isPinned), tabindex: '-1',
            click: () => page.pin(node)}, node.isPinned ? '\u2715' : '\u2191');
        const row = make('div', {class: 'track' + (isGroup ? ' group' : '') + (node.isPinned ? ' pinned' : ''),
            role: 'treeitem', tabindex: '0', 'aria-level': String(node.level + 1), 'aria-label': node.title,
            ...(canFold ? {'aria-expanded': String(!node.isFolded)} : {})}, fold, label, pin);
        row.style.top = node.top + 'px';
        row.style.height = node.height + 'px';
        row.style.paddingLeft = 2 + Math.min(node.level, 6) * 12 + 'px';
        row.addEventListener('keydown', (event) => this.key(event, node));
        row.addEventListener('dblclick', () => { if (canFold) page.fold(node); });
        (node.isPinned ? this.pins : this.list).append(row);
        return row;
    }

    /**
     * @param {KeyboardEvent} event
     * @param {Node} node
     */
    key(event, node) {
        const {page} = this;
        const at = page.model.shown.indexOf(node);
        const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        let next = node;
        if (step !== 0 && at + step >= 0 && at + step < page.model.shown.length) {
            next = page.model.shown[at + step];
            page.scrollTo(next);
        } else if (event.key === 'Home' || event.key === 'End') {
            next = page.model.shown[event.key === 'Home' ? 0 : page.model.shown.length - 1];
            page.scrollTo(next);
        } else if (event.key === 'Enter' || event.key === ' ' || (event.key === 'ArrowRight' && node.isFolded) ||
            (event.key === 'ArrowLeft' && !node.isFolded)) {
            page.fold(node);
        } else if (event.key.toLowerCase() === 'p') {
            page.pin(node);
        } else {
            return;
        }
        page.draw();
        this.focus(next.key);
        event.preventDefault();
        event.stopPropagation();
    }
}
