// SPDX-License-Identifier: Apache-2.0
// The names of the tracks, left of the picture.

import {make} from './dom.js';
import {countText, lengthText, ofThem} from './time.js';

/** @typedef {import('./model.js').Node} Node */

const MARGIN = 200; /* pixels above and below what is in sight where names are kept, too */

/**
 * Whether a track has others below it, or spans that fit on fewer lines.
 * @param {Node} node
 */
function canFold(node) {
    return node.children.length !== 0 || (node.info?.depth ?? 0) > 1;
}

/**
 * How many tracks with something in them are below a track.
 * @param {Node} node
 * @returns {number}
 */
function tracksBelow(node) {
    return node.children.reduce((sum, child) => sum + (child.hasContent ? 1 : 0) + tracksBelow(child), 0);
}

export class Names {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.list = /** @type {HTMLElement} */ (document.getElementById('names'));
        this.pins = /** @type {HTMLElement} */ (document.getElementById('pins'));
        /** @type {Map<string, {element: HTMLElement, node: Node, look: string}>} rows by key of the node */
        this.rows = new Map();
        this.isStale = true; /* tracks were added, moved or changed since the rows were filled */
        this.filledAt = 0; /* how far the tracks were scrolled then */
        for (const list of [this.list, this.pins]) this.listen(list);
    }

    /** Tells that tracks were added, moved or changed. */
    renew() {
        const {model, timeline} = this.page;
        this.list.style.height = Math.max(model.height, timeline.height) + 'px';
        this.pins.style.setProperty('--pinned', model.pinnedHeight + 'px');
        this.isStale = true;
    }

    /** Makes elements for the names in sight and near it, and removes those out of sight. */
    fill() {
        const {model, timeline} = this.page;
        const top = timeline.scroll;
        if (!this.isStale && Math.abs(top - this.filledAt) < MARGIN / 2) return;
        this.isStale = false;
        this.filledAt = top;
        const nodes = [...model.pins, ...model.between(top - MARGIN, top + timeline.height + MARGIN)];
        const wanted = new Set(nodes.map((node) => node.key));
        for (const [key, row] of this.rows) {
            const node = model.nodes.get(key);
            if (wanted.has(key) || (node?.isShown && row.element.contains(document.activeElement))) continue;
            row.element.remove();
            this.rows.delete(key);
        }
        /** @type {Map<HTMLElement, HTMLElement>} the row that was put last, by the list that it is in */
        const last = new Map();
        for (const node of nodes) {
            const list = node.isPinned ? this.pins : this.list;
            last.set(list, this.put(node, list, last.get(list)));
        }
    }

    /**
     * Has the row of a track show what is known of it now, in the place where it is read.
     * @param {Node} node
     * @param {HTMLElement} list
     * @param {HTMLElement | undefined} before the row above it
     */
    put(node, list, before) {
        const {info} = node;
        const look = [node.title, node.about, node.level, node.isFolded, node.isPinned, node.children.length, info?.busy, info?.depth,
            info?.events, this.page.end - this.page.base].join('\n');
        const old = this.rows.get(node.key);
        const element = old?.look === look ? old.element : this.make(node);
        const isFocused = old !== undefined && old.element !== element && old.element.contains(document.activeElement);
        if (old !== undefined && old.element !== element) old.element.remove();
        if (element.parentElement !== list || element.previousElementSibling !== (before ?? null))
            list.insertBefore(element, before === undefined ? list.firstChild : before.nextSibling);
        if (isFocused) element.focus();
        this.rows.set(node.key, {element, node, look});
        element.style.top = node.top + 'px';
        element.style.height = node.height + 'px';
        return element;
    }

    /** @param {HTMLElement} list of rows, which get no listeners each */
    listen(list) {
        /** @type {(event: Event) => Node | undefined} */
        const nodeOf = (event) => {
            const row = /** @type {HTMLElement} */ (event.target).closest('.track');
            return row instanceof HTMLElement ? this.rows.get(row.dataset.key ?? '')?.node : undefined;
        };
        list.addEventListener('click', (event) => {
            const node = nodeOf(event);
            const button = /** @type {HTMLElement} */ (event.target).closest('button');
            if (node === undefined || button === null) return;
            if (button.classList.contains('pin')) this.page.pin(node);
            else this.page.fold(node);
        });
        list.addEventListener('dblclick', (event) => {
            const node = nodeOf(event);
            if (node !== undefined && canFold(node) && /** @type {HTMLElement} */ (event.target).closest('button') === null) this.page.fold(node);
        });
        list.addEventListener('keydown', (event) => {
            const node = nodeOf(event);
            if (node !== undefined) this.key(event, node);
        });
    }

    /** @param {string} key */
    focus(key) {
        this.rows.get(key)?.element.focus();
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
        if (node.isFolded && !node.hasContent) lines.push('Folded: the height is how many of the tracks below are busy at once');
        return lines.join('\n');
    }

    /** @param {Node} node */
    make(node) {
        const {page} = this;
        const isFoldable = canFold(node);
        const isGroup = node.children.some((child) => child.counter === undefined);
        const fold = make('button', {type: 'button', class: 'fold', 'aria-label': node.isFolded ? 'Open' : 'Fold', tabindex: '-1'},
            isFoldable ? (node.isFolded ? '\u25b8' : '\u25be') : '');
        if (!isFoldable) fold.style.visibility = 'hidden';
        const label = make('span', {class: 'label', title: this.about(node)}, node.title);
        const whole = Number(page.end - page.base);
        const busy = node.info !== undefined && node.info.busy > 0 && whole > 0 ? node.info.busy / whole * 100 : 0;
        if (busy > 0) label.append(make('span', {class: 'about'}, `${busy < 0.1 ? '<0.1' : busy.toFixed(busy < 10 ? 1 : 0)} %`));
        else if (node.isFolded && isGroup) label.append(make('span', {class: 'about'}, ofThem(tracksBelow(node), 'track', 'tracks')));
        else if (node.about !== '') label.append(make('span', {class: 'about'}, node.about));
        const pin = make('button', {type: 'button', class: 'pin', title: node.isPinned ? 'Unpin (P)' : 'Keep on top (P)',
            'aria-label': node.isPinned ? 'Unpin' : 'Keep on top', 'aria-pressed': String(node.isPinned), tabindex: '-1'},
        node.isPinned ? '\u2715' : '\u2191');
        const row = make('div', {class: 'track' + (isGroup ? ' group' : '') + (node.isPinned ? ' pinned' : ''),
            role: 'treeitem', tabindex: '0', 'aria-level': String(node.level + 1), 'aria-label': node.title, 'data-key': node.key,
            ...(isFoldable ? {'aria-expanded': String(!node.isFolded)} : {})}, fold, label, pin);
        row.style.paddingLeft = 2 + Math.min(node.level, 6) * 12 + 'px';
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
