// SPDX-License-Identifier: Apache-2.0
// The picture: drawing the stretch in sight, and finding what is at the pointer.

import {stateNames} from './colors.js';
import {Drawing, NONE, firstFrom, fit, numberText, spanEnds} from './draw.js';
import {Plot} from './plots.js';
import {Sums, tracksWithin} from './sums.js';
import {lengthText, momentText, tickLength} from './time.js';

/**
 * @typedef {import('./model.js').Node} Node
 * @typedef {import('./model.js').Part} Part
 * @typedef {{begin: bigint, length: number}} View
 * @typedef {{kind: 'span' | 'async' | 'mark' | 'state' | 'run' | 'counter' | 'loss', track: number,
 *     depth: number, begin: bigint, end: bigint, count: number, busy: number, name: string,
 *     nameNumber: number, offset: number, data: number, text: string, node: Node}} Thing
 */

export class Timeline extends Drawing {
    /**
     * @param {HTMLCanvasElement} canvas
     * @param {import('./model.js').Model} model
     * @param {import('./tiles.js').Tiles} tiles
     */
    constructor(canvas, model, tiles) {
        super(canvas);
        this.plot = new Plot(this);
        this.sums = new Sums(this);
        this.model = model;
        this.tiles = tiles;
        this.names = tiles.names;
        /** @type {View} */
        this.view = {begin: 0n, length: 1};
        this.base = 0n;
        this.traceEnd = 0n;
        this.box = new DOMRect(); /* where the canvas is in the window */
        /** @type {import('./time.js').Clock} */
        this.clock = 'ns';
        this.scroll = 0;
        /** @type {{begin: bigint, end: bigint, tracks: Set<number> | undefined} | undefined} */
        this.stretch = undefined;
        /** @type {Thing | undefined} */
        this.selected = undefined;
        /** @type {{since: number, track: number}[]} hits by time: when, counted from the begin of the traces */
        this.hits = [];
        this.hitAt = -1;
        /** @type {{at: bigint, text: string}[]} */
        this.bookmarks = [];
    }

    resize() {
        const parent = /** @type {HTMLElement} */ (this.canvas.parentElement);
        const left = parseFloat(getComputedStyle(this.canvas).marginLeft);
        this.width = Math.max(50, parent.clientWidth - left);
        this.height = Math.max(20, parent.clientHeight);
        fit(this.canvas, this.width, this.height);
        this.box = this.canvas.getBoundingClientRect();
    }

    /**
     * Returns where on the canvas the pointer is. The place of the canvas is known, as asking for it would
     * have the browser lay out the page at once.
     * @param {{clientX: number, clientY: number}} event
     */
    placeOf(event) {
        return {x: event.clientX - this.box.left, y: event.clientY - this.box.top};
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

    /**
     * Returns the tracks in sight.
     * @param {number} [margin] pixels above and below that are taken as if they were in sight
     */
    tracksInSight(margin = 0) {
        const nodes = [...this.model.pins, ...this.model.between(this.scroll - margin, this.scroll + this.height + margin)];
        return nodes.flatMap((node) => node.isFolded && !node.hasContent ? tracksWithin(node) : [node])
            .filter((node) => node.hasContent && node.track >= 0).map((node) => node.track);
    }

    /**
     * Returns the position of a node on the canvas.
     * @param {Node} node
     */
    topOf(node) {
        return node.isPinned ? node.top : node.top - this.scroll;
    }

    /** @param {number} y on the canvas */
    nodeAt(y) {
        if (y < this.model.pinnedHeight) return this.model.pins.find((node) => y >= node.top && y < node.top + node.height);
        return this.model.nodeAt(y + this.scroll);
    }

    draw() {
        const c = this.context;
        this.begin();
        const key = this.tiles.stretchFor(this.view.begin, this.view.length).key;
        const {pins, pinnedHeight} = this.model;
        this.tiles.rank(key, this.view.begin, this.end);
        this.drawGrid();
        c.save();
        c.beginPath();
        c.rect(0, pinnedHeight, this.width, this.height);
        c.clip();
        for (const node of this.model.between(this.scroll + pinnedHeight, this.scroll + this.height)) this.drawNode(node);
        c.restore();
        for (const node of pins) this.drawNode(node);
        if (pins.length !== 0) {
            c.fillStyle = this.palette.text2;
            c.fillRect(0, pinnedHeight - 2, this.width, 2);
        }
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

    /** @param {Node} node */
    drawNode(node) {
        const c = this.context;
        const top = this.topOf(node);
        c.fillStyle = this.palette.line;
        c.fillRect(0, Math.round(top + node.height) - 1, this.width, 1);
        if (node.isPinned) {
            c.globalAlpha = 0.35;
            c.fillStyle = this.palette.back3;
            c.fillRect(0, top, this.width, node.height - 1);
            c.globalAlpha = 1;
        }
        if (!node.hasContent && node.isFolded) this.drawSum(node);
        if (!node.hasContent) return;
        const found = this.tiles.rowsOf(node.track);
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
     * Draws what the tracks below a folded one do together, as far as it is known.
     * @param {Node} node
     */
    drawSum(node) {
        const top = this.topOf(node);
        const found = tracksWithin(node).flatMap((below) => this.tiles.rowsOf(below.track) ?? []);
        if (found.length !== 0 && top < this.height && top + node.height > 0) this.sums.draw(found, top + 2, node.height - 4);
    }

    /**
     * @param {Node} node
     * @param {Part} part
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawRow(node, part, row, stretch) {
        const nodeTop = this.topOf(node);
        const top = nodeTop + part.top + Math.min(row.index, part.rows - 1) * part.rowHeight;
        if (top > this.height || top + part.height < 0) return;
        const placed = this.place(row, Number(stretch.begin - this.view.begin), this.width / this.view.length, stretch.pixel,
            part.kind !== 'counter' && part.kind !== 'marks');
        if (part.kind === 'counter') {
            if (row.index === part.counter) this.plot.draw(nodeTop + part.top, part.height, row, placed, node.title, this.x(this.traceEnd));
        } else if (part.kind === 'marks') {
            this.drawMarks(top, part.rowHeight, row, placed);
        } else if (row.index < part.rows || part.kind === 'runs') {
            this.drawSpans(top, part.rowHeight - 1, row, placed, part.kind === 'async' ? 'spans' : part.kind);
        }
    }

    /**
     * @param {Node} node
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     */
    drawLosses(node, row, stretch) {
        const scale = this.width / this.view.length;
        const shift = Number(stretch.begin - this.view.begin);
        const dur = row.dur ?? NONE;
        const top = this.topOf(node);
        let left = -20, right = -20; /* neighbours are hatched together */
        for (let i = Math.max(0, firstFrom(row, -shift, true) - 1); i < row.begin.length && row.begin[i] <= this.view.length - shift; i++) {
            const x = (row.begin[i] + shift) * scale, end = x + Math.max(6, dur[i] * scale);
            if (x > right) {
                this.hatch(left, top, right - left, node.height - 1);
                left = x;
            }
            right = Math.max(right, end);
        }
        this.hatch(left, top, right - left, node.height - 1);
    }

    /**
     * Draws a remark about what the picture leaves out, or does not show one by one.
     * @param {string} key
     */
    drawRemark(key) {
        const stretch = this.tiles.stretches.get(key);
        /** @type {string[]} */
        const texts = [];
        if (stretch?.isSummary) texts.push('Summed up: zoom in for each event, for arrows and states');
        else if (this.isDense) texts.push('Some stand for several: zoom in for each');
        if (stretch !== undefined && stretch.leftOut > 0) texts.push(`${numberText(stretch.leftOut)} not drawn`);
        if (stretch !== undefined && stretch.arrowsLeftOut > 0) texts.push(`${numberText(stretch.arrowsLeftOut)} or more arrows not drawn`);
        if (texts.length === 0) return;
        const text = this.texts.fit(texts.join('; '), this.width - 12, Infinity);
        this.context.globalAlpha = 0.9;
        this.label(text, Math.max(4, this.width - this.texts.width(text) - 8), this.height - 12);
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
            this.arrow(x, a, y, b);
        }
        c.globalAlpha = 1;
    }

    /** @param {number} track */
    rowHeightOf(track) {
        const node = this.model.byTrack.get(track);
        if (node === undefined || !node.isShown) return undefined;
        const part = node.parts.find((p) => p.kind === 'spans') ?? node.parts[0];
        return this.topOf(node) + (part ? part.top + Math.min(9, part.rowHeight / 2) : 10);
    }

    drawOverlay() {
        const c = this.context;
        if (this.stretch !== undefined) {
            const from = this.x(this.stretch.begin), to = this.x(this.stretch.end);
            /* What is outside the selected stretch is made faint, so that colours in it do not change. */
            c.globalAlpha = 0.5;
            c.fillStyle = this.palette.back2;
            c.fillRect(0, 0, Math.max(0, from), this.height);
            c.fillRect(to, 0, Math.max(0, this.width - to), this.height);
            if (this.stretch.tracks !== undefined) this.fadeOthers(this.stretch.tracks, Math.max(0, from), Math.min(this.width, to));
            c.globalAlpha = 1;
            c.fillStyle = this.palette.accent;
            c.fillRect(from - 1, 0, 2, this.height);
            c.fillRect(to - 1, 0, 2, this.height);
            const text = lengthText(this.stretch.end - this.stretch.begin, this.clock);
            c.fillStyle = this.palette.text;
            if (to > 0 && from < this.width) this.label(text, Math.max(0, from) + 4, 12);
        }
        if (this.selected !== undefined) this.outline(this.selected);
        c.fillStyle = this.palette.warn;
        this.drawHits();
        for (const mark of this.bookmarks) {
            const x = this.x(mark.at);
            if (x < -1 || x > this.width) continue;
            c.fillStyle = this.palette.accent;
            c.fillRect(x, 0, 1.5, this.height);
            this.label(mark.text, x + 4, this.height - 12);
        }
    }

    /**
     * Makes faint within a stretch those tracks that are not selected.
     * @param {Set<number>} tracks
     * @param {number} from
     * @param {number} to
     */
    fadeOthers(tracks, from, to) {
        if (to <= from) return;
        const nodes = [...this.model.pins, ...this.model.between(this.scroll + this.model.pinnedHeight, this.scroll + this.height)];
        for (const node of nodes) {
            if (!node.hasContent || tracks.has(node.track)) continue;
            const top = node.isPinned ? this.topOf(node) : Math.max(this.model.pinnedHeight, this.topOf(node));
            this.context.fillRect(from, top, to - from, this.topOf(node) + node.height - 1 - top);
        }
    }

    /** Marks the hits of a search that are in sight. */
    drawHits() {
        const {hits} = this;
        const scale = this.width / this.view.length, from = Number(this.view.begin - this.base);
        let low = 0, high = hits.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if ((hits[middle].since - from) * scale < -1) low = middle + 1;
            else high = middle;
        }
        for (let i = low; i < hits.length; i++) {
            const x = (hits[i].since - from) * scale;
            if (x > this.width) break;
            const node = this.model.byTrack.get(hits[i].track);
            if (node === undefined || !node.isShown) continue;
            const top = this.topOf(node);
            if (top < this.height && top + node.height > 0) this.context.fillRect(x - 1, top, 2, 6);
        }
    }

    /** @param {Thing} thing */
    outline(thing) {
        const c = this.context;
        const node = this.model.byTrack.get(thing.track);
        const wanted = thing.kind === 'span' ? 'spans' : thing.kind === 'async' ? 'async'
            : thing.kind === 'mark' ? 'marks' : thing.kind === 'run' ? 'runs' : 'states';
        const part = node?.parts.find((p) => p.kind === wanted);
        if (node === undefined || part === undefined || !node.isShown) return;
        const x = Math.max(-4, this.x(thing.begin));
        const width = Math.min(this.width + 4, this.x(thing.end)) - x;
        const top = this.topOf(node) + part.top + Math.min(thing.depth, part.rows - 1) * part.rowHeight;
        c.lineWidth = 2;
        c.strokeStyle = this.palette.text;
        c.strokeRect(x - (thing.kind === 'mark' ? 5 : 0), top, Math.max(3, width) + (thing.kind === 'mark' ? 10 : 0),
            part.rowHeight - 1);
        c.lineWidth = 1;
    }

    /**
     * Returns the thing at a position of the picture, undefined if there is none.
     * @param {number} x
     * @param {number} y
     * @returns {Thing | undefined}
     */
    thingAt(x, y) {
        const node = this.nodeAt(y);
        if (node === undefined || !node.hasContent) return undefined;
        const found = this.tiles.rowsOf(node.track);
        if (found === undefined) return undefined;
        const inside = y - this.topOf(node);
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
        const first = firstFrom(row, (x - slack) / scale - shift, row.row !== 'counter' && row.row !== 'marks');
        for (let i = Math.max(0, first - 1); i < row.begin.length; i++) {
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
        return best < 0 ? undefined : this.thingOf(node, row, stretch, best, depth);
    }

    /**
     * @param {Node} node
     * @param {import('./api.js').Row} row
     * @param {import('./tiles.js').Stretch} stretch
     * @param {number} at
     * @param {number} depth
     * @returns {Thing}
     */
    thingOf(node, row, stretch, at, depth) {
        const nameNumber = row.name?.[at] ?? 0;
        const begin = stretch.begin + BigInt(row.begin[at]);
        /** @type {Record<string, Thing['kind']>} */
        const kinds = {spans: 'span', async: 'async', marks: 'mark', states: 'state', runs: 'run', counter: 'counter', losses: 'loss'};
        const data = row.data?.[at] ?? 0;
        const name = row.row === 'states' ? stateNames[data] : this.names[nameNumber] ??
            (row.row === 'runs' ? this.threadName(data) : row.row === 'marks' ? this.kinds[data] : '') ?? '';
        return {kind: kinds[row.row], track: row.track, depth, begin, end: begin + BigInt(row.dur?.[at] ?? 0), count: row.count[at],
            busy: row.busy?.[at] ?? 0, name, nameNumber, offset: row.offset?.[at] ?? 0, data,
            text: row.row === 'counter' ? plotText(row, at) : row.row === 'losses' ? lossText(data) : '', node};
    }

    /**
     * Returns the thing next to another one in its row, or the thing above or below it.
     * @param {Thing} thing
     * @param {number} step
     * @param {number} deeper
     * @returns {Thing | undefined}
     */
    beside(thing, step, deeper) {
        /** @type {Record<string, string>} */
        const words = {span: 'spans', async: 'async', mark: 'marks', state: 'states', run: 'runs'};
        const found = this.tiles.rowsOf(thing.track);
        const row = found?.rows.find((one) => one.row === words[thing.kind] && one.index === thing.depth + deeper);
        if (found === undefined || row === undefined) return undefined;
        const begin = Number(thing.begin - found.stretch.begin);
        let best = -1;
        for (let i = 0; i < row.begin.length; i++) {
            if (deeper < 0 && row.begin[i] <= begin) best = i;
            if (deeper > 0 && best < 0 && row.begin[i] >= begin) best = i;
            if (deeper === 0 && step < 0 && row.begin[i] < begin) best = i;
            if (deeper === 0 && step > 0 && best < 0 && row.begin[i] > begin) best = i;
        }
        return best < 0 ? undefined : this.thingOf(thing.node, row, found.stretch, best, row.index);
    }

    /**
     * Returns the text that describes a thing.
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
        const isSpan = thing.kind === 'span' || thing.kind === 'async';
        const end = isSpan && thing.data === spanEnds.open ? '\nstill open when the trace ends'
            : isSpan && thing.data === spanEnds.beginLost ? '\nits begin is missing' : '';
        return `${name}${length ? '\n' + length : ''}\nat ${at}${end}`;
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

/**
 * Returns the part of a node where a row is drawn.
 * @param {Node} node
 * @param {import('./api.js').Row} row
 */
function partOf(node, row) {
    if ((row.row === 'counter') !== (node.counter !== undefined)) return undefined;
    return node.parts.find((part) => part.kind === row.row);
}
