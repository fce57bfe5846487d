// SPDX-License-Identifier: Apache-2.0
// Drawing rows of spans, moments and losses on a canvas. Needs no server and no page: the rows
// are given as data.

import {Boxes} from './boxes.js';
import {Palette, stateNames} from './colors.js';
import {Texts} from './texts.js';

/**
 * @typedef {import('./api.js').Row} Row
 * @typedef {{scale: number, shift: number, first: number, to: number, pixel: number}} Placed where
 *     the entries of a row are drawn: pixels per nanosecond, what is added to begins, first entry in sight,
 *     where sight ends, and the nanoseconds of a pixel that the row was made for
 */

/** Numbers of how spans end, as answers have them. */
export const spanEnds = {open: 3, beginLost: 4};

/** @type {number[]} a column of a row that has none */
export const NONE = [];
const TEXT_HEIGHT = 11; /* least height of a row whose entries have texts */
const SYSCALL = 'syscall_';
const LABEL_WIDTH = 56; /* least width in pixels of an entry for several spans that gets a label */

export class Drawing {
    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas) {
        this.canvas = canvas;
        this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', {alpha: false}));
        this.boxes = new Boxes(this.context);
        this.caps = new Boxes(this.context);
        this.texts = new Texts(this.context);
        this.run = {from: 0, to: 0, drawnTo: 0, count: 0, name: -1}; /* neighbours that get one label */
        /** @type {string[]} texts that are drawn after the boxes of their row */
        this.labels = [];
        /** @type {number[]} where these begin: across and down, by turns */
        this.labelPlaces = [];
        this.palette = new Palette();
        this.width = 1;
        this.height = 1;
        this.ratio = 1; /* pixels of the screen for one of the page */
        this.fontSize = 11;
        /** @type {Record<string, string>} names by number */
        this.names = {};
        /** @type {string[]} names of the kinds, used for events without a name */
        this.kinds = [];
        this.highlight = 0; /* number of the name whose spans are highlighted; 0: none */
        /** @type {Map<string, number> | undefined} ratio of time after to time before, by name */
        this.tones = undefined;
        this.isDense = false; /* an entry that was drawn stands for several things */
        /** @type {(thread: number) => string} */
        this.threadName = (thread) => `thread ${thread}`;
    }

    begin() {
        const c = this.context;
        const ratio = devicePixelRatio || 1;
        if (ratio !== this.ratio) this.texts.clear();
        this.ratio = ratio;
        c.setTransform(ratio, 0, 0, ratio, 0, 0);
        c.fillStyle = this.palette.back;
        c.fillRect(0, 0, this.width, this.height);
        c.textBaseline = 'middle';
        c.font = `${this.fontSize}px system-ui, "DejaVu Sans", sans-serif`;
        this.isDense = false;
    }

    /**
     * Rounds a position to whole pixels of the screen, so that neighbours leave no gaps.
     * @param {number} x
     */
    snap(x) {
        return Math.round(x * this.ratio) / this.ratio;
    }

    /** @param {string} name */
    fillOf(name) {
        return this.tones === undefined ? this.palette.fill(name) : this.palette.tone(this.tones.get(name));
    }

    /**
     * Finds out where the entries of a row are drawn, and which of them are in sight.
     * @param {Row} row
     * @param {number} shift
     * @param {number} scale
     * @param {number} pixel
     * @param {boolean} hasLength
     * @returns {Placed}
     */
    place(row, shift, scale, pixel, hasLength) {
        const from = -shift, to = from + this.width / scale;
        const first = firstFrom(row, from, hasLength);
        return {scale, shift, first: Math.max(0, first - 1), to, pixel};
    }

    /**
     * Draws the spans of one row.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {Placed} placed
     * @param {'spans' | 'states' | 'runs'} kind
     */
    drawSpans(top, height, row, placed, kind) {
        const {scale, shift, first, to, pixel} = placed;
        const {begin, count} = row, dur = row.dur ?? NONE;
        const {run} = this;
        if (height >= TEXT_HEIGHT) this.drawBacks(top, height, row, placed, kind);
        run.to = run.drawnTo = -10;
        run.count = 0;
        run.name = -1;
        for (let i = first; i < begin.length && begin[i] <= to; i++) {
            const x = (begin[i] + shift) * scale, end = x + dur[i] * scale;
            if (end < -1) continue;
            const left = this.snap(Math.max(x, -2)), right = Math.max(left + 1, this.snap(Math.min(end, this.width + 2)));
            if (count[i] > 1) this.drawSeveral(top, height, row, i, left, right, pixel, kind);
            else this.drawOne(top, height, row, i, left, right, kind);
        }
        this.labelRun(top, height);
        this.boxes.flush();
        this.drawLabels();
    }

    /**
     * Draws the pale back of entries for several spans, so that labels stand on what they belong to,
     * however low the boxes are.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {Placed} placed
     * @param {'spans' | 'states' | 'runs'} kind
     */
    drawBacks(top, height, row, placed, kind) {
        const {scale, shift, first, to} = placed;
        const {begin, count} = row, dur = row.dur ?? NONE, names = row.name ?? NONE;
        let from = 0, until = -10, name = -1, at = -1;
        for (let i = first; i <= begin.length; i++) {
            const isOver = i === begin.length || begin[i] > to;
            const x = isOver ? 0 : (begin[i] + shift) * scale;
            const isNext = !isOver && count[i] > 1 && names[i] === name && x - until <= 2;
            if (!isNext && at >= 0) {
                this.boxes.add(this.palette.faint(this.spanFill(row, at, kind), 25), from, until, top, height);
                at = -1;
            }
            if (isOver) break;
            if (count[i] <= 1) continue;
            if (at < 0) from = this.snap(Math.max(x, -2));
            at = i;
            name = names[i];
            until = Math.max(from + 1, this.snap(Math.min(x + dur[i] * scale, this.width + 2)));
        }
        this.boxes.flush();
    }

    /**
     * The colour of an entry of a row of spans.
     * @param {Row} row
     * @param {number} i
     * @param {'spans' | 'states' | 'runs'} kind
     */
    spanFill(row, i, kind) {
        if (kind === 'states') return this.palette.state(row.data?.[i] ?? 0);
        const fill = this.fillOf(this.spanName(row, i, kind));
        return this.highlight !== 0 && row.name?.[i] !== this.highlight && kind === 'spans' ? this.palette.faint(fill, 30) : fill;
    }

    /**
     * @param {Row} row
     * @param {number} i
     * @param {'spans' | 'states' | 'runs'} kind
     */
    spanName(row, i, kind) {
        return this.names[row.name?.[i] ?? 0] ?? (kind === 'runs' ? this.threadName(row.data?.[i] ?? 0) : '');
    }

    /**
     * Draws an entry for several spans, as high as the part of its time that spans take.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {number} i
     * @param {number} left
     * @param {number} right
     * @param {number} pixel
     * @param {'spans' | 'states' | 'runs'} kind
     */
    drawSeveral(top, height, row, i, left, right, pixel, kind) {
        const {run} = this;
        const name = row.name?.[i] ?? 0;
        this.isDense = true;
        if (right <= run.drawnTo) { /* other entries have this pixel already */
            run.count += row.count[i];
            return;
        }
        const share = kind === 'states' ? 1 : Math.min(1, (row.busy?.[i] ?? 0) / Math.max(row.dur?.[i] ?? 0, pixel, 1));
        const size = Math.max(3, Math.round(height * (0.25 + 0.75 * share)));
        this.boxes.add(this.palette.faint(this.spanFill(row, i, kind), 85), left, right, top + height - size, size);
        if (name !== run.name || left - run.to > 2) {
            this.labelRun(top, height);
            run.from = left;
            run.count = row.count[i];
            run.name = name;
        } else {
            run.count += row.count[i];
        }
        run.to = run.drawnTo = right;
    }

    /**
     * Draws an entry for one span.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {number} i
     * @param {number} left
     * @param {number} right
     * @param {'spans' | 'states' | 'runs'} kind
     */
    drawOne(top, height, row, i, left, right, kind) {
        const state = row.data?.[i] ?? 0;
        this.boxes.add(this.spanFill(row, i, kind), left, right - (right - left > 3 ? 0.75 : 0), top, height);
        if (kind === 'spans' && state === spanEnds.open) {
            this.boxes.flush();
            this.fade(left, right, top, height);
        }
        if (right - left <= 24 || height < TEXT_HEIGHT || (kind === 'states' && state === 0)) return;
        const text = kind === 'states' ? stateNames[state] : this.spanName(row, i, kind) || '(no name)';
        this.addLabel(text, Math.max(left, 0) + 3, top + height / 2 + 0.5, right - Math.max(left, 0) - 6);
    }

    /**
     * Labels neighbours that stand for several spans of one name each.
     * @param {number} top
     * @param {number} height
     */
    labelRun(top, height) {
        const {from, to, count, name} = this.run;
        if (count <= 1 || to - from <= LABEL_WIDTH || height < TEXT_HEIGHT) return;
        const x = Math.max(from, 0);
        this.addLabel(`${this.names[name] ?? ''} \u00d7${numberText(count)}`, x + 3, top + height / 2 + 0.5, Math.min(to, this.width) - x - 6);
    }

    /**
     * Keeps a text that is drawn when all boxes of its row are.
     * @param {string} text
     * @param {number} x
     * @param {number} y
     * @param {number} width
     */
    addLabel(text, x, y, width) {
        const shown = this.fitText(text, width);
        if (shown === '') return;
        this.labels.push(shown);
        this.labelPlaces.push(x, y);
    }

    drawLabels() {
        const c = this.context;
        const {labels, labelPlaces} = this;
        if (labels.length === 0) return;
        c.fillStyle = this.palette.text;
        for (let i = 0; i < labels.length; i++) c.fillText(labels[i], labelPlaces[2 * i], labelPlaces[2 * i + 1]);
        labels.length = labelPlaces.length = 0;
    }

    /**
     * Lets the end of a span fade, with a dashed edge: the trace ended before the span did.
     * @param {number} left
     * @param {number} right
     * @param {number} top
     * @param {number} height
     */
    fade(left, right, top, height) {
        const c = this.context;
        const width = Math.min(32, (right - left) / 2);
        if (right > this.width + 2 || width < 1) return;
        const paint = c.createLinearGradient(right - width, 0, right, 0);
        paint.addColorStop(0, this.palette.back + '00');
        paint.addColorStop(1, this.palette.back);
        c.globalAlpha = 1;
        c.fillStyle = paint;
        c.fillRect(right - width, top, width, height);
        if (width < 3) return;
        c.strokeStyle = this.palette.text2;
        c.setLineDash([2, 2]);
        c.beginPath();
        c.moveTo(right - 1, top);
        c.lineTo(right - 1, top + height);
        c.stroke();
        c.setLineDash([]);
    }

    /**
     * Draws moments as diamonds, and several at the same place as a column.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {Placed} placed
     */
    drawMarks(top, height, row, placed) {
        const {scale, shift, first, to, pixel} = placed;
        const {begin, count} = row, names = row.name ?? NONE, data = row.data ?? NONE;
        let most = 2, drawnTo = -310, drawnSize = 0;
        for (let i = first; i < begin.length && begin[i] <= to; i++) most = Math.max(most, count[i]);
        for (let i = first; i < begin.length && begin[i] <= to; i++) {
            const x = (begin[i] + shift) * scale;
            if (x < -300) continue;
            const name = this.names[names[i]] ?? this.kinds[data[i] ?? 0] ?? '';
            const whole = this.palette.mark(this.fillOf(name));
            const fill = this.highlight !== 0 && names[i] !== this.highlight ? this.palette.faint(whole, 30) : whole;
            if (count[i] === 1) {
                const next = i + 1 < begin.length ? (begin[i + 1] + shift) * scale : this.width + 300;
                this.drawMoment(x, next, top, height, fill, name);
                continue;
            }
            const size = this.snap(Math.max(2, Math.sqrt(count[i] / most) * (height - 2)));
            const left = this.snap(x), right = Math.max(left + 1, this.snap(x + Math.max(row.dur?.[i] ?? 0, pixel) * scale));
            this.isDense = true;
            if (right <= drawnTo && size <= drawnSize) continue; /* a taller column has this pixel already */
            drawnTo = right;
            drawnSize = size;
            this.boxes.add(fill, left, right, top + height - 1 - size, size);
            this.caps.add(this.palette.edge, left, right, top + height - 1 - size, 1.5);
        }
        this.flushColumns();
        this.drawLabels();
    }

    /** Draws the columns of moments that are not drawn yet, and then their upper edges. */
    flushColumns() {
        this.boxes.flush();
        this.caps.flush();
    }

    /**
     * Draws a moment that stands for itself, with its name where there is room.
     * @param {number} x
     * @param {number} next where the next one is
     * @param {number} top
     * @param {number} height
     * @param {string} fill
     * @param {string} name
     */
    drawMoment(x, next, top, height, fill, name) {
        this.flushColumns();
        this.context.fillStyle = fill;
        this.diamond(x, top + Math.max(0, height - 14), Math.min(height, 14));
        if (next - x > 40) this.addLabel(name, x + 6, top + height - Math.min(height, 14) / 2, Math.min(next - x - 12, 300));
    }

    /**
     * @param {number} x
     * @param {number} top
     * @param {number} size
     */
    diamond(x, top, size) {
        const c = this.context;
        c.strokeStyle = this.palette.text2;
        c.beginPath();
        c.moveTo(x, top + 1);
        c.lineTo(x + 4, top + size / 2);
        c.lineTo(x, top + size - 2);
        c.lineTo(x - 4, top + size / 2);
        c.closePath();
        c.fill();
        c.stroke();
    }

    /**
     * Hatches a stretch where events are missing, so that it cannot be overlooked.
     * @param {number} x
     * @param {number} top
     * @param {number} width
     * @param {number} height
     */
    hatch(x, top, width, height) {
        const c = this.context;
        const left = Math.max(x, -10), right = Math.min(x + width, this.width + 10);
        if (right <= left) return;
        c.save();
        c.beginPath();
        c.rect(left, top, right - left, height);
        c.clip();
        c.globalAlpha = 0.2;
        c.fillStyle = this.palette.error;
        c.fillRect(left, top, right - left, height);
        c.globalAlpha = 0.9;
        c.strokeStyle = this.palette.error;
        c.beginPath();
        for (let at = Math.floor((left - height) / 8) * 8; at < right; at += 8) {
            c.moveTo(at, top + height);
            c.lineTo(at + height, top);
        }
        c.stroke();
        c.restore();
    }

    /**
     * Draws a text, and cuts it if it does not fit.
     * @param {string} text
     * @param {number} x
     * @param {number} y
     * @param {number} width
     */
    drawText(text, x, y, width) {
        const shown = this.fitText(text, width);
        if (shown !== '') this.context.fillText(shown, x, y);
    }

    /**
     * Returns as much of a text as fits; '' if nothing does. What all system calls are called by is left
     * out first.
     * @param {string} text
     * @param {number} width
     */
    fitText(text, width) {
        const fits = Math.floor(width / (this.fontSize * 0.5));
        if (fits < 2) return '';
        const shown = this.texts.fit(text, width, fits * 2);
        return shown !== text && text.startsWith(SYSCALL) ? this.texts.fit(text.slice(SYSCALL.length), width, fits * 2) : shown;
    }

    /**
     * @param {string} text
     * @param {number} x
     * @param {number} y
     */
    label(text, x, y) {
        const c = this.context;
        const width = this.texts.width(text);
        c.fillStyle = this.palette.back2;
        c.fillRect(x - 3, y - 9, width + 6, 18);
        c.fillStyle = this.palette.text;
        c.fillText(text, x, y);
    }

    /**
     * @param {number} x
     * @param {number} from height where the arrow begins
     * @param {number} y
     * @param {number} to
     */
    arrow(x, from, y, to) {
        const c = this.context;
        const bend = Math.max(8, Math.min(60, Math.abs(y - x) / 2));
        c.beginPath();
        c.moveTo(x, from);
        c.bezierCurveTo(x + bend, from, y - bend, to, y, to);
        c.stroke();
        c.beginPath();
        c.moveTo(y, to);
        c.lineTo(y - 6, to - 3);
        c.lineTo(y - 6, to + 3);
        c.fill();
    }
}

const whole = new Intl.NumberFormat('en');

/** @param {number} value */
export function numberText(value) {
    return Number.isInteger(value) ? whole.format(value) : String(Number(value.toPrecision(6)));
}

/**
 * Returns the first entry of a row that ends at a moment, or later.
 * @param {Row} row
 * @param {number} from
 * @param {boolean} hasLength
 */
export function firstFrom(row, from, hasLength) {
    const {begin} = row, dur = hasLength ? row.dur : undefined;
    let low = 0, high = begin.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (begin[middle] + (dur?.[middle] ?? 0) < from) low = middle + 1;
        else high = middle;
    }
    return low;
}

/**
 * Sets the size of a canvas, in pixels of the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function fit(canvas, width, height) {
    const scale = devicePixelRatio || 1;
    const across = Math.round(width * scale), down = Math.round(height * scale);
    if (canvas.width !== across || canvas.height !== down) {
        canvas.width = across;
        canvas.height = down;
    }
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
}
