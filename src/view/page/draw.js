// SPDX-License-Identifier: Apache-2.0
// Drawing rows of spans, moments, values and losses on a canvas. Needs no server and no page: the rows
// are given as data.

import {Palette, stateNames} from './colors.js';

/**
 * @typedef {import('./api.js').Row} Row
 * @typedef {{scale: number, shift: number, first: number, to: number, pixel: number}} Placed where
 *     the entries of a row are drawn: pixels per nanosecond, what is added to begins, first entry in sight,
 *     where sight ends, and the nanoseconds of a pixel that the row was made for
 */

/** Numbers of how spans end, as answers have them. */
export const spanEnds = {open: 3, beginLost: 4};

const LABEL_WIDTH = 56; /* least width in pixels of an entry for several spans that gets a label */

export class Drawing {
    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas) {
        this.canvas = canvas;
        this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
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
        this.ratio = devicePixelRatio || 1;
        c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
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
        let low = 0, high = row.begin.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            const end = row.begin[middle] + (hasLength ? row.dur?.[middle] ?? 0 : 0);
            if (end < from) low = middle + 1;
            else high = middle;
        }
        return {scale, shift, first: Math.max(0, low - 1), to, pixel};
    }

    /**
     * Draws the spans of one row. An entry for several spans is as high as the part of its time that
     * spans take.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {Placed} placed
     * @param {'spans' | 'states' | 'runs'} kind
     */
    drawSpans(top, height, row, placed, kind) {
        const c = this.context;
        const {scale, shift, first, to, pixel} = placed;
        const dur = row.dur ?? [], names = row.name ?? [], data = row.data ?? [], busy = row.busy ?? [];
        const hasText = height >= 11;
        const run = {from: 0, to: -10, count: 0, name: -1};
        let drawnTo = -10; /* where the last entry for several spans ends */
        const label = () => {
            if (run.count > 1 && run.to - run.from > LABEL_WIDTH && hasText) {
                c.fillStyle = this.palette.text;
                this.drawText(`${this.names[run.name] ?? ''} \u00d7${run.count.toLocaleString('en')}`, Math.max(run.from, 0) + 3,
                    top + height / 2 + 0.5, Math.min(run.to, this.width) - Math.max(run.from, 0) - 6);
            }
        };
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = (row.begin[i] + shift) * scale, end = x + dur[i] * scale;
            if (end < -1) continue;
            const left = this.snap(Math.max(x, -2)), right = Math.max(left + 1, this.snap(Math.min(end, this.width + 2)));
            if (row.count[i] > 1) this.isDense = true;
            if (row.count[i] > 1 && right <= drawnTo) { /* other entries have this pixel already */
                run.count += row.count[i];
                continue;
            }
            const name = this.names[names[i]] ?? (kind === 'runs' ? this.threadName(data[i] ?? 0) : '');
            const isFaint = this.highlight !== 0 && names[i] !== this.highlight && kind === 'spans';
            c.fillStyle = kind === 'states' ? this.palette.state(data[i] ?? 0) : this.fillOf(name);
            if (isFaint) c.globalAlpha = 0.3;
            if (row.count[i] > 1) {
                const share = kind === 'states' ? 1 : Math.min(1, (busy[i] ?? 0) / Math.max(dur[i], pixel, 1));
                const size = Math.max(3, Math.round(height * (0.25 + 0.75 * share)));
                if (!isFaint) c.globalAlpha = 0.85;
                c.fillRect(left, top + height - size, right - left, size);
                if (names[i] !== run.name || left - run.to > 2) {
                    c.globalAlpha = 1;
                    label();
                    Object.assign(run, {from: left, to: right, count: row.count[i], name: names[i]});
                } else {
                    run.to = right;
                    run.count += row.count[i];
                }
                drawnTo = right;
            } else {
                const gap = right - left > 3 ? 0.75 : 0;
                c.fillRect(left, top, right - left - gap, height);
                if (kind === 'spans' && data[i] === spanEnds.open) this.fade(left, right, top, height);
                if (right - left > 24 && hasText && (kind !== 'states' || (data[i] ?? 0) !== 0)) {
                    c.globalAlpha = 1;
                    c.fillStyle = this.palette.text;
                    this.drawText(kind === 'states' ? stateNames[data[i] ?? 0] : name !== '' ? name : '(no name)', Math.max(left, 0) + 3,
                        top + height / 2 + 0.5, right - Math.max(left, 0) - 6);
                }
            }
            c.globalAlpha = 1;
        }
        label();
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
        const c = this.context;
        const {scale, shift, first, to, pixel} = placed;
        const names = row.name ?? [];
        let most = 2, drawnTo = -310, drawnSize = 0;
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) most = Math.max(most, row.count[i]);
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = (row.begin[i] + shift) * scale;
            if (x < -300) continue;
            const size = Math.max(2, Math.sqrt(row.count[i] / most) * (height - 2));
            const left = this.snap(x), right = Math.max(left + 1, this.snap(x + Math.max(row.dur?.[i] ?? 0, pixel) * scale));
            if (row.count[i] > 1) {
                this.isDense = true;
                if (right <= drawnTo && size <= drawnSize) continue; /* a taller column has this pixel already */
                drawnTo = right;
                drawnSize = size;
            }
            const name = this.names[names[i]] ?? this.kinds[row.data?.[i] ?? 0] ?? '';
            c.fillStyle = this.fillOf(name);
            if (this.highlight !== 0 && names[i] !== this.highlight) c.globalAlpha = 0.3;
            if (row.count[i] > 1) {
                c.fillRect(left, top + height - 1 - size, right - left, size);
                c.fillStyle = this.palette.edge;
                c.fillRect(left, top + height - 1 - size, right - left, 1.5);
            } else {
                this.diamond(x, top + Math.max(0, height - 14), Math.min(height, 14));
                const next = i + 1 < row.begin.length ? (row.begin[i + 1] + shift) * scale : this.width + 300;
                if (next - x > 40) {
                    c.fillStyle = this.palette.text;
                    this.drawText(name, x + 6, top + height - Math.min(height, 14) / 2, Math.min(next - x - 12, 300));
                }
            }
            c.globalAlpha = 1;
        }
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
     * Draws a value over time; fills each pixel from the least value in it to the greatest.
     * @param {number} top
     * @param {number} height
     * @param {Row} row
     * @param {Placed} placed
     * @param {string} title
     * @param {number} endX where the trace ends
     */
    drawPlot(top, height, row, placed, title, endX) {
        const c = this.context;
        const {scale, shift, first, to, pixel} = placed;
        const min = row.min ?? [], max = row.max ?? [], last = row.last ?? [];
        let low = Infinity, high = -Infinity;
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            low = Math.min(low, min[i]);
            high = Math.max(high, max[i]);
        }
        if (low > high) return;
        if (low > 0) low = 0;
        if (high < 0) high = 0;
        if (high === low) high = low + 1;
        /** @type {(value: number) => number} */
        const y = (value) => top + height - 2 - (value - low) / (high - low) * (height - 4);
        c.strokeStyle = this.palette.accent;
        c.fillStyle = this.palette.fill(title);
        c.beginPath();
        const below = new Path2D(), spread = new Path2D();
        let isOpen = false;
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = this.snap((row.begin[i] + shift) * scale);
            const end = i + 1 < row.begin.length ? this.snap((row.begin[i + 1] + shift) * scale) : Math.max(x, Math.min(endX, this.width));
            if (row.count[i] > 1) this.isDense = true;
            below.rect(x, y(last[i]), Math.max(end - x, 0), y(0) - y(last[i]));
            if (row.count[i] > 1) spread.rect(x, y(max[i]), Math.max(1, pixel * scale), Math.max(1, y(min[i]) - y(max[i])));
            if (!isOpen) c.moveTo(x, y(last[i]));
            else c.lineTo(x, y(last[i]));
            c.lineTo(end, y(last[i]));
            isOpen = true;
        }
        c.globalAlpha = 0.55;
        c.fill(below);
        c.globalAlpha = 1;
        c.fill(spread);
        c.stroke();
        this.scaleLabel(numberText(high), top + 7);
        this.scaleLabel(numberText(low), top + height - 7);
    }

    /**
     * @param {string} text
     * @param {number} y
     */
    scaleLabel(text, y) {
        const c = this.context;
        c.globalAlpha = 0.75;
        c.fillStyle = this.palette.back;
        c.fillRect(1, y - 6, c.measureText(text).width + 4, 12);
        c.globalAlpha = 1;
        c.fillStyle = this.palette.text2;
        c.fillText(text, 3, y);
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
        const fits = Math.floor(width / (this.fontSize * 0.5));
        if (fits < 2) return;
        let shown = text.length > fits * 2 ? text.slice(0, fits * 2) : text;
        if (this.context.measureText(shown).width > width) {
            let low = 0, high = shown.length;
            while (low < high) {
                const middle = (low + high + 1) >> 1;
                if (this.context.measureText(shown.slice(0, middle) + '\u2026').width <= width) low = middle;
                else high = middle - 1;
            }
            if (low < 1) return;
            shown = shown.slice(0, low) + '\u2026';
        }
        this.context.fillText(shown, x, y);
    }

    /**
     * @param {string} text
     * @param {number} x
     * @param {number} y
     */
    label(text, x, y) {
        const c = this.context;
        const width = c.measureText(text).width;
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

/** @param {number} value */
export function numberText(value) {
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(6)));
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
