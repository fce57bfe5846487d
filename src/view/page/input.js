// SPDX-License-Identifier: Apache-2.0
// Input to the page: keys, pointer, fingers and buttons.

import {sortings} from './model.js';
import {make} from './dom.js';
import {expressionOf} from './search.js';
import {momentText} from './time.js';

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id */
const getInput = (id) => /** @type {HTMLInputElement} */ (get(id));

export class Input {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.pointerX = 0;
        this.tip = get('tip');
        this.cursor = get('cursor');
        /** @type {{clientX: number, clientY: number} | undefined} where the pointer is over the picture */
        this.pointer = undefined;
        this.isLooking = false; /* what is at the pointer is looked up with the next picture */
        this.tipText = '';
    }

    listen() {
        const {page} = this;
        addEventListener('resize', () => page.resize());
        new ResizeObserver(() => page.resize()).observe(page.scroller);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => page.repaint());
        matchMedia('print').addEventListener('change', () => page.repaint());
        page.scroller.addEventListener('scroll', () => page.redraw());
        addEventListener('keydown', (event) => this.key(event));
        addEventListener('hashchange', () => page.readHash());
        get('zoom-all').addEventListener('click', () => page.showAll());
        get('zoom-selection').addEventListener('click', () => page.zoomToSelection());
        get('bookmark').addEventListener('click', () => page.bookmark());
        get('copy-link').addEventListener('click', () => page.copy(location.href, get('copy-link')));
        get('help').addEventListener('click', () => page.panel.show('help'));
        get('theme').addEventListener('click', () => {
            document.documentElement.dataset.theme = page.timeline.palette.isDark ? 'light' : 'dark';
            page.repaint();
        });
        get('filter').addEventListener('input', () => {
            page.model.filter = getInput('filter').value;
            page.relayout();
        });
        const sort = /** @type {HTMLSelectElement} */ (get('sort'));
        sort.append(...Object.entries(sortings).map(([value, text]) => make('option', {value}, text)));
        sort.addEventListener('change', () => {
            page.model.sortBy(sort.value);
            page.layoutChanged();
            page.writeHash();
        });
        get('collapse-all').addEventListener('click', () => page.foldAll());
        get('search-form').addEventListener('submit', (event) => {
            event.preventDefault();
            const text = getInput('search').value;
            if (text.trim() === page.search.query && page.search.hits.length !== 0) page.search.step(1);
            else page.search.run(text);
        });
        get('search-next').addEventListener('click', () => page.search.step(1));
        get('search-previous').addEventListener('click', () => page.search.step(-1));
        get('search-only').addEventListener('click', () => page.setFilter(expressionOf(getInput('search').value.trim())));
        get('only-all').addEventListener('click', () => page.setFilter(''));
        this.listenPicture();
        this.listenDivider();
        this.listenNamesDivider();
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const target = /** @type {HTMLElement} */ (event.target);
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (target.matches('input, select, textarea')) {
            if (event.key === 'Escape') target.blur();
            return;
        }
        const isButton = target.matches('button, a, [role="tab"], [role="separator"]');
        const inPanel = get('panel').contains(target);
        const {width, height} = this.page.timeline;
        const x = this.pointerX > 0 && this.pointerX < width ? this.pointerX : width / 2;
        /** @type {Record<string, () => void>} */
        const actions = {
            w: () => this.page.zoom(0.7, x), '+': () => this.page.zoom(0.7, x), '=': () => this.page.zoom(0.7, x),
            s: () => this.page.zoom(1 / 0.7, x), '-': () => this.page.zoom(1 / 0.7, x),
            a: () => this.page.move(-width / 8), d: () => this.page.move(width / 8),
            '0': () => this.page.showAll(), f: () => this.page.zoomToSelection(), '/': () => get('search').focus(),
            n: () => this.page.search.step(1), N: () => this.page.search.step(-1), m: () => this.page.bookmark(),
            '[': () => this.page.step(true), ']': () => this.page.step(false), '?': () => this.page.panel.show('help'),
            Escape: () => { this.leave(); this.page.clear(); },
            ',': () => this.page.stepBeside(-1), '.': () => this.page.stepBeside(1),
            u: () => this.page.stepDeeper(-1), j: () => this.page.stepDeeper(1),
            c: () => { if (this.page.timeline.selected?.node) this.page.fold(this.page.timeline.selected.node); },
            p: () => { if (this.page.timeline.selected?.node) this.page.pin(this.page.timeline.selected.node); },
        };
        /** @type {Record<string, () => void>} */
        const moves = {
            ArrowLeft: () => this.page.move(-width / 12), ArrowRight: () => this.page.move(width / 12),
            ArrowUp: () => { this.page.scroller.scrollTop -= 40; }, ArrowDown: () => { this.page.scroller.scrollTop += 40; },
            PageUp: () => { this.page.scroller.scrollTop -= height * 0.9; }, PageDown: () => { this.page.scroller.scrollTop += height * 0.9; },
            Home: () => this.page.showAll(), Enter: () => this.selectMiddle(),
        };
        const action = actions[event.key] ?? actions[event.key.toLowerCase()] ??
            (isButton || inPanel ? undefined : moves[event.key]);
        if (action === undefined) return;
        action();
        event.preventDefault();
    }

    /** Selects what is in the middle of the picture, or nearest to it, for people who use no pointer. */
    selectMiddle() {
        const {width, height} = this.page.timeline;
        for (let y = 4; y < height; y += 6)
            for (const x of [width / 2, width / 2 - width / 8, width / 2 + width / 8]) {
                const thing = this.page.timeline.thingAt(x, y);
                if (thing !== undefined && thing !== this.page.timeline.selected) {
                    this.page.select(thing);
                    return;
                }
            }
    }

    listenPicture() {
        const canvas = this.page.timeline.canvas;
        /** @type {Map<number, {x: number, y: number}>} */
        const fingers = new Map();
        /** @type {{x: number, y: number, view: import('./timeline.js').View, scroll: number, isPan: boolean, hasMoved: boolean} | undefined} */
        let drag;
        /** @type {(event: {clientX: number, clientY: number}) => {x: number, y: number}} */
        const place = (event) => this.page.timeline.placeOf(event);
        canvas.addEventListener('pointerdown', (event) => {
            const at = place(event);
            canvas.setPointerCapture(event.pointerId);
            fingers.set(event.pointerId, at);
            this.leave();
            const isPan = event.shiftKey || event.button === 1 || event.pointerType === 'touch';
            drag = {...at, view: this.page.timeline.view, scroll: this.page.scroller.scrollTop, isPan, hasMoved: false};
            canvas.classList.toggle('panning', isPan);
            if (event.button === 1) event.preventDefault();
        });
        canvas.addEventListener('pointermove', (event) => {
            const at = place(event);
            this.pointerX = at.x;
            if (fingers.size === 2 && fingers.has(event.pointerId)) {
                this.pinch(fingers, event.pointerId, at);
                return;
            }
            if (drag === undefined) {
                if (event.pointerType !== 'touch') this.hover(event);
                return;
            }
            if (Math.hypot(at.x - drag.x, at.y - drag.y) > 4) drag.hasMoved = true;
            if (!drag.hasMoved) return;
            if (drag.isPan) {
                this.page.setView(drag.view.begin - BigInt(Math.round((at.x - drag.x) * drag.view.length / this.page.timeline.width)), drag.view.length);
                this.page.scroller.scrollTop = drag.scroll - (at.y - drag.y);
            } else {
                this.dragStretch(drag, at);
            }
        });
        /** @type {(event: PointerEvent) => void} */
        const up = (event) => {
            fingers.delete(event.pointerId);
            canvas.classList.remove('panning');
            const was = drag;
            drag = undefined;
            if (was === undefined || event.type === 'pointercancel') return;
            if (was.hasMoved) {
                if (!was.isPan && this.page.timeline.stretch !== undefined)
                    this.page.selectStretch(this.page.timeline.stretch.begin, this.page.timeline.stretch.end, this.page.timeline.stretch.tracks);
                return;
            }
            this.page.select(this.page.timeline.thingAt(was.x, was.y));
        };
        canvas.addEventListener('pointerup', up);
        canvas.addEventListener('pointercancel', up);
        canvas.addEventListener('pointerleave', () => this.leave());
        canvas.addEventListener('dblclick', (event) => {
            const at = place(event);
            const thing = this.page.timeline.thingAt(at.x, at.y);
            if (thing !== undefined && thing.end > thing.begin) this.page.zoomTo(thing.begin, thing.end);
            else this.page.zoom(0.25, at.x);
        });
        canvas.addEventListener('wheel', (event) => this.wheel(event, place(event).x, false), {passive: false});
    }

    /**
     * @param {{x: number, y: number}} from
     * @param {{x: number, y: number}} to
     */
    dragStretch(from, to) {
        const left = Math.min(from.x, to.x), right = Math.max(from.x, to.x);
        const {timeline, model, scroller} = this.page;
        const top = Math.min(from.y, to.y), bottom = Math.max(from.y, to.y) + 1;
        const nodes = [...model.pins.filter((node) => node.top < bottom && node.top + node.height > top),
            ...model.between(Math.max(top, model.pinnedHeight) + scroller.scrollTop, bottom + scroller.scrollTop)];
        const tracks = new Set(nodes.filter((node) => node.hasContent && timeline.topOf(node) < bottom).map((node) => node.track));
        this.page.timeline.stretch = {begin: this.page.timeline.timeAt(left), end: this.page.timeline.timeAt(right) + 1n,
            tracks: tracks.size === 0 ? undefined : tracks};
        this.page.redraw();
    }

    /**
     * Zooms with two fingers: what is between them stays where it is.
     * @param {Map<number, {x: number, y: number}>} fingers
     * @param {number} id
     * @param {{x: number, y: number}} at
     */
    pinch(fingers, id, at) {
        const other = [...fingers].find(([key]) => key !== id)?.[1];
        const before = fingers.get(id);
        if (other === undefined || before === undefined) return;
        const was = Math.max(10, Math.abs(before.x - other.x)), is = Math.max(10, Math.abs(at.x - other.x));
        fingers.set(id, at);
        this.page.zoom(was / is, (at.x + other.x) / 2);
    }

    /**
     * @param {WheelEvent} event
     * @param {number} x
     * @param {boolean} isAxis
     */
    wheel(event, x, isAxis) {
        const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
        const down = event.deltaY * unit, across = event.deltaX * unit;
        if (event.ctrlKey || event.metaKey || isAxis) {
            event.preventDefault();
            this.page.zoom(Math.exp(Math.max(-200, Math.min(200, down)) * (event.ctrlKey ? 0.005 : 0.003)), x);
        } else if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
            event.preventDefault();
            this.page.move(event.shiftKey && across === 0 ? down : across);
        }
    }

    /**
     * Shows on the axis where the pointer is.
     * @param {number} x
     */
    showCursor(x) {
        const {page} = this;
        this.cursor.hidden = page.info?.begin === undefined;
        this.cursor.style.transform = `translateX(${Math.round(x)}px)`;
        const time = momentText(page.timeline.timeAt(x) - page.base, page.clock);
        if (this.cursor.dataset.time !== time) this.cursor.dataset.time = time;
        this.cursor.classList.toggle('left', x > page.timeline.width - 160);
    }

    /**
     * Looks what is at the pointer, once for each picture that the browser shows.
     * @param {{clientX: number, clientY: number}} event
     */
    hover(event) {
        this.pointer = {clientX: event.clientX, clientY: event.clientY};
        if (this.isLooking) return;
        this.isLooking = true;
        requestAnimationFrame(() => {
            if (this.isLooking) this.hoverAgain();
        });
    }

    /** Looks what is at the pointer now. */
    hoverAgain() {
        this.isLooking = false;
        if (this.pointer === undefined) return;
        const {timeline} = this.page;
        const at = timeline.placeOf(this.pointer);
        const thing = timeline.thingAt(at.x, at.y);
        const shape = thing === undefined ? '' : 'pointer';
        if (timeline.canvas.style.cursor !== shape) timeline.canvas.style.cursor = shape;
        this.showCursor(at.x);
        if (thing === undefined) this.tip.hidden = true;
        else this.showTip(timeline.describe(thing), this.pointer);
    }

    /** Says no more what is at the pointer. */
    leave() {
        this.pointer = undefined;
        this.tip.hidden = this.cursor.hidden = true;
    }

    /**
     * @param {string} text
     * @param {{clientX: number, clientY: number}} at
     */
    showTip(text, {clientX, clientY}) {
        const {tip} = this;
        tip.hidden = false;
        if (text !== this.tipText) this.tipText = tip.textContent = text;
        /* By percents of itself it is moved without measuring it, which would lay out the page. */
        const left = clientX > innerWidth * 0.6 ? `calc(${clientX - 10}px - 100%)` : `${clientX + 14}px`;
        const top = clientY > innerHeight * 0.6 ? `calc(${clientY - 10}px - 100%)` : `${clientY + 18}px`;
        tip.style.transform = `translate(max(4px, ${left}), ${top})`;
    }

    listenDivider() {
        const divider = get('divider');
        let from = 0, height = 0;
        /** @type {(size: number) => void} */
        const set = (size) => {
            document.documentElement.style.setProperty('--panel', Math.max(40, Math.min(innerHeight - 200, size)) + 'px');
            this.page.resize();
        };
        divider.addEventListener('pointerdown', (event) => {
            from = event.clientY;
            height = get('panel').offsetHeight;
            divider.setPointerCapture(event.pointerId);
        });
        divider.addEventListener('pointermove', (event) => {
            if (height > 0) set(height + from - event.clientY);
        });
        divider.addEventListener('pointerup', () => { height = 0; });
        divider.addEventListener('dblclick', () => set(get('panel').offsetHeight > innerHeight * 0.4 ? 200 : innerHeight * 0.6));
        divider.addEventListener('keydown', (event) => {
            const step = event.key === 'ArrowUp' ? 24 : event.key === 'ArrowDown' ? -24 : 0;
            if (step === 0) return;
            set(get('panel').offsetHeight + step);
            event.preventDefault();
            event.stopPropagation();
        });
    }

    /** Lets the border between names and picture be dragged. */
    listenNamesDivider() {
        const divider = get('names-divider');
        let isMoving = false;
        /** @type {(width: number) => void} */
        const set = (width) => {
            document.documentElement.style.setProperty('--names', Math.max(60, Math.min(innerWidth - 200, width)) + 'px');
            this.page.resize();
        };
        divider.addEventListener('pointerdown', (event) => {
            isMoving = true;
            divider.setPointerCapture(event.pointerId);
        });
        divider.addEventListener('pointermove', (event) => { if (isMoving) set(event.clientX); });
        divider.addEventListener('pointerup', () => { isMoving = false; });
        divider.addEventListener('keydown', (event) => {
            const step = event.key === 'ArrowLeft' ? -16 : event.key === 'ArrowRight' ? 16 : 0;
            if (step === 0) return;
            set(get('names').offsetWidth + step);
            event.preventDefault();
            event.stopPropagation();
        });
    }
}
