// SPDX-License-Identifier: Apache-2.0
// The picture: what is drawn of the view, and what stands under the pointer.

import {Palette, stateNames} from './colors.js';
import {lengthText, momentText, tickLength} from './time.js';
import {SPAN_HEIGHT} from './model.js';

/**
 * @typedef {import('./model.js').Node} Node
 * @typedef {import('./model.js').Part} Part
 * @typedef {{begin: bigint, length: number}} View
 * @typedef {{kind: 'span' | 'async' | 'mark' | 'state' | 'run' | 'counter' | 'loss', track: number,
 *     depth: number, begin: bigint, end: bigint, count: number, busy: number, name: string,
 *     nameNumber: number, offset: number, data: number, text: string, node: Node}} Thing
 */

export class Timeline {
    /**
     * @param {HTMLCanvasElement} canvas
     * @param {import('./model.js').Model} model
     * @param {import('./tiles.js').Tiles} tiles
     */
    constructor(canvas, model, tiles) {
        this.canvas = canvas;
        this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        this.model = model;
        this.tiles = tiles;
        /** @type {View} */
        this.view = {begin: 0n, length: 1};
        this.base = 0n;
        /** @type {import('./time.js').Clock} */
        this.clock = 'ns';
        this.width = 1;
        this.height = 1;
        this.scroll = 0;
        this.palette = new Palette();
        /** @type {{begin: bigint, end: bigint, tracks: Set<number> | undefined} | undefined} */
        this.stretch = undefined;
        /** @type {Thing | undefined} */
        this.selected = undefined;
        /** @type {{begin: bigint, track: number}[]} */
        this.hits = [];
        this.hitAt = -1;
        /** @type {string[]} what events without a name are called */
        this.kinds = [];
        /** @type {{at: bigint, text: string}[]} */
        this.bookmarks = [];
        this.highlight = 0; /* number of a name that is drawn on top of the others */
        this.isDense = false;
        this.fontSize = 11;
    }

    resize() {
        const parent = /** @type {HTMLElement} */ (this.canvas.parentElement);
        const left = parseFloat(getComputedStyle(this.canvas).marginLeft);
        this.width = Math.max(50, parent.clientWidth - left);
        this.height = Math.max(20, parent.clientHeight);
        fit(this.canvas, this.width, this.height);
    }

    /** @param {bigint} time */
    x(time) {
        return Number(time - this.view.begin) * this.width / this.view.length;
    }

    /** @param {number} x */
    timeAt(x) {
        return this.view.begin + BigInt(Math.floor(x * this.view.length / this.width));
    }

    get end() {
        return this.view.begin + BigInt(Math.ceil(this.view.length));
    }

    /** The tracks that are in sight, and a bit more. */
    tracksInSight() {
        const nodes = this.model.between(this.scroll - this.height / 2, this.scroll + this.height * 1.5);
        return nodes.filter((node) => node.hasContent && node.track >= 0).map((node) => node.track);
    }

    draw() {
        const c = this.context;
        const scale = devicePixelRatio || 1;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = this.palette.back;
        c.fillRect(0, 0, this.width, this.height);
        c.textBaseline = 'middle';
        c.font = `${this.fontSize}px system-ui, "DejaVu Sans", sans-serif`;
        this.isDense = false;
        const key = this.tiles.stretchFor(this.view.begin, this.view.length).key;
        this.drawGrid();
        for (const node of this.model.between(this.scroll, this.scroll + this.height))
            this.drawNode(node, key);
        this.drawArrows(key);
        this.drawOverlay();
        this.drawRemark(key);
    }

    drawGrid() {
        const c = this.context;
        const step = tickLength(this.view.length * 110 / this.width, this.clock);
        const since = this.view.begin - this.base;
        let at = since / BigInt(step) * BigInt(step);
        c.fillStyle = this.palette.back3;
        for (; at <= since + BigInt(Math.ceil(this.view.length)); at += BigInt(step))
            c.fillRect(Math.round(this.x(this.base + at)), 0, 1, this.height);
    }

    /**
     * @param {Node} node
     * @param {string} key
     */
    drawNode(node, key) {
        const c = this.context;
        const top = node.top - this.scroll;
        c.fillStyle = this.palette.line;
        c.fillRect(0, Math.round(top + node.height) - 1, this.width, 1);
        if (node.isPinned) {
            c.globalAlpha = 0.35;
            c.fillStyle = this.palette.back3;
            c.fillRect(0, top, this.width, node.height - 1);
            c.globalAlpha = 1;
        }
        if (!node.hasContent) return;
        const found = this.tiles.rowsOf(node.track, key, this.view.begin, this.end);
        if (found === undefined) {
            c.fillStyle = this.palette.text2;
            c.fillText('...', 6, top + 11);
            return;
        }
        c.save();
        c.beginPath();
        c.rect(0, top, this.width, node.height - 1);
        c.clip();
        for (const row of found.rows) {
            const part = partOf(node, row);
            if (part !== undefined) this.drawRow(node, part, row, found.stretch);
        }
        for (const row of found.rows)
            if (row.row === 'losses') this.drawLosses(node, row, found.stretch);
        c.restore();
    }

    /**
     * @param {Node} node
     * @param {Part} part
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawRow(node, part, row, stretch) {
        const top = node.top - this.scroll + part.top + Math.min(row.index, part.rows - 1) * part.rowHeight;
        if (top > this.height || top + part.height < 0) return;
        if (part.kind === 'counter') {
            if (row.index === part.counter) this.drawPlot(node.top - this.scroll + part.top, part.height, row, stretch, node);
        } else if (part.kind === 'marks') {
            this.drawMarks(top, part.rowHeight, row, stretch);
        } else if (row.index < part.rows || part.kind === 'runs') {
            this.drawSpans(top, part, row, stretch);
        }
    }

    /**
     * Where the entries of a row begin on the screen, and which of them are in sight.
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     * @param {boolean} hasLength
     */
    inSight(row, stretch, hasLength) {
        const scale = this.width / this.view.length;
        const shift = Number(stretch.begin - this.view.begin);
        const from = -shift, to = from + this.view.length;
        let low = 0, high = row.begin.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            const end = row.begin[middle] + (hasLength ? row.dur?.[middle] ?? 0 : 0);
            if (end < from) low = middle + 1;
            else high = middle;
        }
        return {scale, shift, first: Math.max(0, low - 1), to};
    }

    /**
     * @param {number} top
     * @param {Part} part
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawSpans(top, part, row, stretch) {
        const c = this.context;
        const {scale, shift, first, to} = this.inSight(row, stretch, true);
        const height = part.rowHeight - 1;
        const isState = part.kind === 'states';
        const hasText = part.rowHeight >= SPAN_HEIGHT;
        const dur = row.dur ?? [], names = row.name ?? [], data = row.data ?? [];
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = (row.begin[i] + shift) * scale;
            const width = Math.max(1, dur[i] * scale);
            if (x + width < 0) continue;
            const left = Math.max(x, -2), shown = Math.min(x + width, this.width + 2) - left;
            const name = this.tiles.names[names[i]] ?? '';
            const isMany = row.count[i] > 1;
            c.fillStyle = isState ? this.palette.state(data[i]) : this.palette.fill(name);
            if (this.highlight !== 0 && names[i] !== this.highlight && !isState) c.globalAlpha = 0.3;
            c.fillRect(left, top, shown > 3 ? shown - 0.75 : shown, height);
            c.globalAlpha = 1;
            if (isMany) {
                this.isDense = true;
                c.fillStyle = this.palette.text2;
                c.fillRect(left, top + height - 2, Math.max(1, shown), 2);
            }
            if (hasText && shown > 24 && !isState && !isMany) {
                c.fillStyle = this.palette.text;
                this.drawText(name !== '' ? name : '(no name)', Math.max(left, 0) + 3, top + height / 2 + 0.5,
                    Math.min(shown - (left < 0 ? -left : 0), this.width) - 6);
            }
        }
    }

    /**
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
     * @param {number} top
     * @param {number} height
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawMarks(top, height, row, stretch) {
        const c = this.context;
        const {scale, shift, first, to} = this.inSight(row, stretch, false);
        const names = row.name ?? [];
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = (row.begin[i] + shift) * scale;
            if (x < -100) continue;
            const name = this.tiles.names[names[i]] ?? this.kinds[row.data?.[i] ?? 0] ?? '';
            const isMany = row.count[i] > 1;
            if (isMany) this.isDense = true;
            c.fillStyle = this.palette.fill(name);
            c.strokeStyle = this.palette.text2;
            if (this.highlight !== 0 && names[i] !== this.highlight) c.globalAlpha = 0.3;
            if (isMany) {
                const size = Math.min(1, 0.4 + Math.log10(row.count[i]) / 5) * (height - 2);
                c.fillStyle = this.palette.text2;
                c.fillRect(x, top + height - 1 - size, Math.max(1, stretch.pixel * scale), size);
            } else {
                c.beginPath();
                c.moveTo(x, top + 1);
                c.lineTo(x + 4, top + height / 2);
                c.lineTo(x, top + height - 2);
                c.lineTo(x - 4, top + height / 2);
                c.closePath();
                c.fill();
                c.stroke();
                const next = i + 1 < row.begin.length ? (row.begin[i + 1] + shift) * scale : this.width + 200;
                if (next - x > 40) {
                    c.fillStyle = this.palette.text;
                    this.drawText(name, x + 6, top + height / 2, Math.min(next - x - 12, 300));
                }
            }
            c.globalAlpha = 1;
        }
    }

    /**
     * @param {number} top
     * @param {number} height
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     * @param {Node} node
     */
    drawPlot(top, height, row, stretch, node) {
        const c = this.context;
        const {scale, shift, first, to} = this.inSight(row, stretch, false);
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
        c.fillStyle = this.palette.fill(node.title);
        c.beginPath();
        let x = 0, isOpen = false;
        for (let i = first; i < row.begin.length && row.begin[i] <= to; i++) {
            x = (row.begin[i] + shift) * scale;
            const end = i + 1 < row.begin.length ? (row.begin[i + 1] + shift) * scale : this.width;
            if (row.count[i] > 1) this.isDense = true;
            c.globalAlpha = 0.55;
            c.fillRect(x, y(last[i]), Math.max(1, end - x), y(0) - y(last[i]));
            c.globalAlpha = 1;
            if (row.count[i] > 1) c.fillRect(x, y(max[i]), Math.max(1, stretch.pixel * scale), Math.max(1, y(min[i]) - y(max[i])));
            if (!isOpen) c.moveTo(x, y(last[i]));
            else c.lineTo(x, y(last[i]));
            c.lineTo(end, y(last[i]));
            isOpen = true;
        }
        c.stroke();
        c.fillStyle = this.palette.text2;
        c.fillText(numberText(high), 3, top + 6);
        c.fillText(numberText(low), 3, top + height - 7);
    }

    /**
     * @param {Node} node
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawLosses(node, row, stretch) {
        const {scale, shift, to} = this.inSight(row, stretch, true);
        const dur = row.dur ?? [];
        for (let i = 0; i < row.begin.length && row.begin[i] <= to; i++) {
            const x = (row.begin[i] + shift) * scale, width = Math.max(6, dur[i] * scale);
            this.hatch(x, node.top - this.scroll, width, node.height - 1);
        }
    }

    /**
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
     * What the picture does not show, or not each by itself.
     * @param {string} key
     */
    drawRemark(key) {
        const stretch = this.tiles.stretches.get(key);
        /** @type {string[]} */
        const texts = [];
        if (stretch?.isSummary) texts.push('Summed up: zoom in for each event, for arrows and states');
        else if (this.isDense) texts.push('Some stand for several: zoom in for each');
        if (stretch !== undefined && stretch.leftOut > 0) texts.push(`${stretch.leftOut.toLocaleString('en')} not drawn`);
        if (texts.length === 0) return;
        const text = texts.join('; ');
        this.context.globalAlpha = 0.9;
        this.label(text, Math.max(4, this.width - this.context.measureText(text).width - 8), this.height - 12);
        this.context.globalAlpha = 1;
    }

    /** @param {string} key */
    drawArrows(key) {
        const c = this.context;
        const stretch = this.tiles.stretches.get(key);
        if (stretch === undefined || stretch.arrows.size === 0) return;
        const scale = this.width / this.view.length;
        const shift = Number(stretch.begin - this.view.begin);
        c.strokeStyle = this.palette.accent;
        c.fillStyle = this.palette.accent;
        c.globalAlpha = stretch.arrows.size > 200 ? 0.35 : 0.75;
        for (const [begin, end, from, to] of stretch.arrows.values()) {
            const a = this.rowHeightOf(from), b = this.rowHeightOf(to);
            const x = (begin + shift) * scale, y = (end + shift) * scale;
            if (a === undefined || b === undefined || (x > this.width && y > this.width) || (x < 0 && y < 0))
                continue;
            const bend = Math.max(8, Math.min(60, Math.abs(y - x) / 2));
            c.beginPath();
            c.moveTo(x, a);
            c.bezierCurveTo(x + bend, a, y - bend, b, y, b);
            c.stroke();
            c.beginPath();
            c.moveTo(y, b);
            c.lineTo(y - 6, b - 3);
            c.lineTo(y - 6, b + 3);
            c.fill();
        }
        c.globalAlpha = 1;
    }

    /** @param {number} track */
    rowHeightOf(track) {
        const node = this.model.byTrack.get(track);
        if (node === undefined || !this.model.shown.includes(node)) return undefined;
        const part = node.parts.find((p) => p.kind === 'spans') ?? node.parts[0];
        return node.top - this.scroll + (part ? part.top + Math.min(9, part.rowHeight / 2) : 10);
    }

    drawOverlay() {
        const c = this.context;
        if (this.stretch !== undefined) {
            const from = this.x(this.stretch.begin), to = this.x(this.stretch.end);
            c.globalAlpha = 0.16;
            c.fillStyle = this.palette.accent;
            c.fillRect(from, 0, to - from, this.height);
            c.globalAlpha = 1;
            c.fillRect(from, 0, 1, this.height);
            c.fillRect(to - 1, 0, 1, this.height);
            const text = lengthText(this.stretch.end - this.stretch.begin, this.clock);
            c.fillStyle = this.palette.text;
            if (to > 0 && from < this.width) this.label(text, Math.max(0, from) + 4, 12);
        }
        if (this.selected !== undefined) this.outline(this.selected);
        c.fillStyle = this.palette.warn;
        for (const hit of this.hits) {
            const x = this.x(hit.begin);
            const node = x >= -1 && x <= this.width ? this.model.byTrack.get(hit.track) : undefined;
            if (node !== undefined && node.top - this.scroll < this.height && node.top + node.height > this.scroll)
                c.fillRect(x - 1, node.top - this.scroll, 2, 5);
        }
        for (const mark of this.bookmarks) {
            const x = this.x(mark.at);
            if (x < -1 || x > this.width) continue;
            c.fillStyle = this.palette.accent;
            c.fillRect(x, 0, 1.5, this.height);
            this.label(mark.text, x + 4, this.height - 12);
        }
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

    /** @param {Thing} thing */
    outline(thing) {
        const c = this.context;
        const node = this.model.byTrack.get(thing.track);
        const wanted = thing.kind === 'span' ? 'spans' : thing.kind === 'async' ? 'async'
            : thing.kind === 'mark' ? 'marks' : thing.kind === 'run' ? 'runs' : 'states';
        const part = node?.parts.find((p) => p.kind === wanted);
        if (node === undefined || part === undefined || !this.model.shown.includes(node)) return;
        const x = Math.max(-4, this.x(thing.begin));
        const width = Math.min(this.width + 4, this.x(thing.end)) - x;
        const top = node.top - this.scroll + part.top + Math.min(thing.depth, part.rows - 1) * part.rowHeight;
        c.lineWidth = 2;
        c.strokeStyle = this.palette.text;
        c.strokeRect(x - (thing.kind === 'mark' ? 5 : 0), top, Math.max(3, width) + (thing.kind === 'mark' ? 10 : 0),
            part.rowHeight - 1);
        c.lineWidth = 1;
    }

    /**
     * What stands at a place of the picture.
     * @param {number} x
     * @param {number} y
     * @returns {Thing | undefined}
     */
    thingAt(x, y) {
        const node = this.model.nodeAt(y + this.scroll);
        if (node === undefined || !node.hasContent) return undefined;
        const key = this.tiles.stretchFor(this.view.begin, this.view.length).key;
        const found = this.tiles.rowsOf(node.track, key, this.view.begin, this.end);
        if (found === undefined) return undefined;
        const inside = y + this.scroll - node.top;
        /** @type {Thing | undefined} */
        let loss;
        for (const row of found.rows) {
            if (row.row === 'losses') loss ??= this.entryAt(node, row, found.stretch, x, 0, 4);
            const part = partOf(node, row);
            if (part === undefined || (part.kind === 'counter' && row.index !== part.counter)) continue;
            const top = part.top + (part.kind === 'counter' ? 0 : Math.min(row.index, part.rows - 1) * part.rowHeight);
            const height = part.kind === 'counter' ? part.height : part.rowHeight;
            if (inside < top || inside >= top + height) continue;
            const thing = this.entryAt(node, row, found.stretch, x, row.index, part.kind === 'marks' ? 5 : 2);
            if (thing !== undefined) return thing;
        }
        return loss;
    }

    /**
     * @param {Node} node
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     * @param {number} x
     * @param {number} depth
     * @param {number} slack pixels
     * @returns {Thing | undefined}
     */
    entryAt(node, row, stretch, x, depth, slack) {
        const scale = this.width / this.view.length;
        const shift = Number(stretch.begin - this.view.begin);
        const isCounter = row.row === 'counter';
        let best = -1, bestFar = slack;
        for (let i = 0; i < row.begin.length; i++) {
            const from = (row.begin[i] + shift) * scale;
            if (from > x + slack) break;
            const to = isCounter ? (i + 1 < row.begin.length ? (row.begin[i + 1] + shift) * scale : Infinity)
                : from + (row.dur?.[i] ?? 0) * scale;
            const far = x < from ? from - x : x > to ? x - to : 0;
            if (far <= bestFar) {
                best = i;
                bestFar = far;
            }
        }
        if (best < 0) return undefined;
        const nameNumber = row.name?.[best] ?? 0;
        const begin = stretch.begin + BigInt(row.begin[best]);
        /** @type {Record<string, Thing['kind']>} */
        const kinds = {spans: 'span', async: 'async', marks: 'mark', states: 'state', runs: 'run',
            counter: 'counter', losses: 'loss'};
        const data = row.data?.[best] ?? 0;
        return {kind: kinds[row.row], track: row.track, depth, begin,
            end: begin + BigInt(row.dur?.[best] ?? 0), count: row.count[best], busy: row.busy?.[best] ?? 0,
            name: row.row === 'states' ? stateNames[data] : this.tiles.names[nameNumber] ??
                (row.row === 'marks' ? this.kinds[data] : '') ?? '', nameNumber,
            offset: row.offset?.[best] ?? 0, data,
            text: isCounter ? plotText(row, best) : row.row === 'losses' ? lossText(data) : '', node};
    }

    /**
     * What to say of something.
     * @param {Thing} thing
     */
    describe(thing) {
        const at = momentText(thing.begin - this.base, this.clock);
        const length = thing.end > thing.begin ? lengthText(thing.end - thing.begin, this.clock) : '';
        if (thing.kind === 'loss') return `${thing.text}\n${at}${length ? ', ' + length : ''}`;
        if (thing.kind === 'counter') return `${thing.node.title}\n${thing.text}\nat ${at}`;
        const name = thing.name !== '' ? thing.name : '(no name)';
        if (thing.count > 1)
            return `${thing.count.toLocaleString('en')} here within a pixel; the longest: ${name}\n` +
                (thing.busy > 0 ? `${lengthText(thing.busy, this.clock)} together, ` : '') + `from ${at}\nZoom in to see each.`;
        return `${name}${length ? '\n' + length : ''}\nat ${at}`;
    }
}

/**
 * @param {import('./api.js').Row} row
 * @param {number} at
 */
function plotText(row, at) {
    if (row.count[at] === 1) return numberText(row.last?.[at] ?? 0);
    return `${row.count[at].toLocaleString('en')} samples from ${numberText(row.min?.[at] ?? 0)} to ` +
        `${numberText(row.max?.[at] ?? 0)}, last ${numberText(row.last?.[at] ?? 0)}`;
}

/** @param {number} count */
function lossText(count) {
    return count > 0 ? `${count.toLocaleString('en')} events lost` : 'Events lost, how many is not known';
}

/** @param {number} value */
export function numberText(value) {
    return Number.isInteger(value) ? value.toLocaleString('en') : String(Number(value.toPrecision(6)));
}

/**
 * The place of a row in its node.
 * @param {Node} node
 * @param {import('./api.js').Row} row
 */
function partOf(node, row) {
    if ((row.row === 'counter') !== (node.counter !== undefined)) return undefined;
    return node.parts.find((part) => part.kind === row.row);
}

/**
 * Gives a canvas the size of its place, in the pixels of the screen.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 */
export function fit(canvas, width, height) {
    const scale = devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = width + 'px';
    canvas.style.height = height + 'px';
}
