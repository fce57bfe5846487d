// SPDX-License-Identifier: Apache-2.0
// The axis of time: an overview of the whole trace, and the scale of the part in sight.

import {fit} from './draw.js';
import {Texts} from './texts.js';
import {lengthText, momentText, tickLength, wallText} from './time.js';

export class Axis {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.overview = /** @type {HTMLCanvasElement} */ (document.getElementById('overview'));
        this.ruler = /** @type {HTMLCanvasElement} */ (document.getElementById('ruler'));
        this.corner = /** @type {HTMLElement} */ (document.getElementById('axis-corner'));
        this.mark = /** @type {HTMLElement} */ (document.getElementById('in-sight'));
        this.context = /** @type {CanvasRenderingContext2D} */ (this.ruler.getContext('2d', {alpha: false}));
        this.texts = new Texts(this.context);
        this.markWidth = 0;
        this.markTimer = 0;
        /** @type {unknown[]} what the overview was drawn of */
        this.drawn = [];
        this.listen();
    }

    resize() {
        for (const canvas of [this.overview, this.ruler]) {
            canvas.style.width = canvas.style.height = '';
            const box = canvas.getBoundingClientRect();
            fit(canvas, Math.round(this.page.timeline.width), Math.max(10, Math.round(box.height)));
        }
        this.drawn = [];
        this.texts.clear();
    }

    draw() {
        this.drawRuler();
        this.showSight();
        const {palette, hits, bookmarks} = this.page.timeline;
        const of = [this.page.info, palette, hits, bookmarks.map((mark) => mark.at).join()];
        if (of.every((part, i) => part === this.drawn[i])) return;
        this.drawn = of;
        this.drawOverview();
    }

    drawRuler() {
        const c = this.context;
        const {palette, width, view} = this.page.timeline;
        const scale = devicePixelRatio || 1;
        const height = this.ruler.height / scale;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = palette.back2;
        c.fillRect(0, 0, width, height);
        c.font = '11px system-ui, "DejaVu Sans", sans-serif';
        c.textBaseline = 'middle';
        const step = BigInt(tickLength(view.length * 110 / width, this.page.clock));
        const since = view.begin - this.page.base;
        const first = since / step * step;
        const isDeep = Number(step) < Number(this.page.end - this.page.base) / 1e5;
        const origin = isDeep ? first : 0n;
        for (let at = first; at <= since + BigInt(Math.ceil(view.length)); at += step) {
            const x = this.page.timeline.x(this.page.base + at);
            c.fillStyle = palette.line;
            c.fillRect(Math.round(x), height - 8, 1, 8);
            c.fillStyle = palette.text2;
            const text = this.page.clock === 'ns' ? lengthText(at - origin, 'ns') : shortCount(Number(at - origin));
            const label = (isDeep && at >= origin ? '+' : '') + text;
            /* A time of which an edge cuts off digits would be another one. */
            if (x >= -3 && x + 3 + this.texts.width(label) <= width) c.fillText(label, x + 3, height / 2 - 2);
        }
        const corner = this.corner;
        const text = isDeep ? `${momentText(first, this.page.clock)} +` : `${lengthText(Math.round(view.length), this.page.clock)} in sight`;
        if (corner.textContent !== text) corner.textContent = text;
    }

    drawOverview() {
        const c = /** @type {CanvasRenderingContext2D} */ (this.overview.getContext('2d', {alpha: false}));
        const {palette, width} = this.page.timeline;
        const scale = devicePixelRatio || 1;
        const height = this.overview.height / scale;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = palette.back;
        c.fillRect(0, 0, width, height);
        if (this.page.info === undefined) return;
        const whole = Number(this.page.end - this.page.base) || 1;
        const {bins, lossy, begin} = this.page.info.activity, binWidth = this.page.info.activity.width;
        const most = Math.sqrt(Math.max(1, ...bins));
        const shift = Number(BigInt(begin) - this.page.base);
        /** @type {(x: number) => number} */
        const snap = (x) => Math.round(x * scale) / scale;
        c.fillStyle = palette.text2;
        for (let i = 0; i < bins.length; i++) {
            if (bins[i] === 0) continue;
            /* Bins begin and end on whole pixels: else their borders show as stripes. */
            const x = snap((shift + i * binWidth) / whole * width), until = snap((shift + (i + 1) * binWidth) / whole * width);
            const size = Math.sqrt(bins[i]) / most * (height - 6);
            c.fillRect(x, height - size, Math.max(1, until - x), size);
        }
        c.fillStyle = palette.error;
        for (const i of lossy) c.fillRect((shift + i * binWidth) / whole * width - 1, 0, Math.max(3, binWidth / whole * width), 5);
        c.fillStyle = palette.accent;
        for (const mark of this.page.timeline.bookmarks) c.fillRect(Number(mark.at - this.page.base) / whole * width - 1, height - 8, 2, 8);
        c.fillStyle = palette.warn;
        for (const hit of this.page.timeline.hits) c.fillRect(hit.since / whole * width - 0.5, 0, 1.5, 6);
    }

    /** Shows in the overview what part of the whole is in sight. */
    showSight() {
        const {width, view} = this.page.timeline;
        this.mark.hidden = this.page.info === undefined;
        const whole = Number(this.page.end - this.page.base) || 1;
        const begin = Number(view.begin - this.page.base) / whole * width, end = begin + view.length / whole * width;
        const from = Math.max(0, Math.min(width - 3, begin)), size = Math.max(3, Math.min(width, end) - from);
        this.mark.style.transform = `translateX(${from}px)`;
        if (size !== this.markWidth) this.mark.style.width = `${size}px`;
        this.markWidth = size;
        /* What is read aloud, or shown when the pointer rests, need not be renewed with each picture. */
        clearTimeout(this.markTimer);
        this.markTimer = setTimeout(() => this.tellSight(begin / width), 200);
    }

    /** @param {number} share of the whole that is before what is in sight */
    tellSight(share) {
        const {view} = this.page.timeline;
        this.overview.setAttribute('aria-valuenow', String(Math.round(Math.max(0, Math.min(100, share * 100)))));
        this.overview.setAttribute('aria-valuetext', `${lengthText(Math.round(view.length), this.page.clock)} from ${momentText(view.begin - this.page.base, this.page.clock)}`);
        this.corner.title = this.page.wall === undefined ? '' : wallText(view.begin + this.page.wall);
    }

    listen() {
        let from = -1;
        /** @type {(event: MouseEvent, canvas: HTMLElement) => number} */
        const place = (event, canvas) => event.clientX - canvas.getBoundingClientRect().left;
        this.ruler.addEventListener('pointerdown', (event) => {
            from = place(event, this.ruler);
            this.ruler.setPointerCapture(event.pointerId);
        });
        this.ruler.addEventListener('pointermove', (event) => {
            const x = place(event, this.ruler);
            if (from < 0 || Math.abs(x - from) < 4) return;
            this.page.timeline.stretch = {begin: this.page.timeline.timeAt(Math.min(x, from)), end: this.page.timeline.timeAt(Math.max(x, from)) + 1n, tracks: undefined};
            this.page.redraw();
        });
        this.ruler.addEventListener('pointerup', (event) => {
            if (from >= 0 && Math.abs(place(event, this.ruler) - from) >= 4 && this.page.timeline.stretch !== undefined)
                this.page.selectStretch(this.page.timeline.stretch.begin, this.page.timeline.stretch.end, undefined);
            from = -1;
        });
        this.ruler.addEventListener('wheel', (event) => this.page.input.wheel(event, place(event, this.ruler), true), {passive: false});
        let isMoving = false;
        /** @type {(event: MouseEvent) => void} */
        const center = (event) => {
            const share = place(event, this.overview) / this.page.timeline.width;
            const {length} = this.page.timeline.view;
            const middle = this.page.base + BigInt(Math.round(Number(this.page.end - this.page.base) * share));
            this.page.setView(middle - BigInt(Math.round(length / 2)), length);
        };
        this.overview.addEventListener('pointerdown', (event) => {
            isMoving = true;
            this.overview.setPointerCapture(event.pointerId);
            center(event);
        });
        this.overview.addEventListener('pointermove', (event) => { if (isMoving) center(event); });
        this.overview.addEventListener('pointerup', () => { isMoving = false; });
        this.overview.addEventListener('wheel', (event) => this.page.input.wheel(event, this.page.timeline.width / 2, true), {passive: false});
    }
}

/**
 * A count as text for an axis: "2 k", "1.5 M".
 * @param {number} count
 */
function shortCount(count) {
    for (const [unit, word] of /** @type {[number, string][]} */ ([[1e9, ' G'], [1e6, ' M'], [1e3, ' k']]))
        if (Math.abs(count) >= unit) return Number((count / unit).toFixed(3)) + word;
    return String(count);
}
