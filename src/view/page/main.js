// SPDX-License-Identifier: Apache-2.0
// The page: what is shown, and what keys, pointer and address do to it.

import {ask, isStill} from './api.js';
import {Palette} from './colors.js';
import {Model} from './model.js';
import {Panel, make} from './panel.js';
import {Tiles} from './tiles.js';
import {Timeline, fit} from './timeline.js';
import {countText, lengthText, momentText, tickLength, wallText} from './time.js';

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id */
const getInput = (id) => /** @type {HTMLInputElement} */ (get(id));
const LENGTH_LEAST = 10; /* ns in sight at the deepest zoom */

export class Page {
    constructor() {
        this.base = 0n;
        this.end = 1n;
        /** @type {import('./time.js').Clock} */
        this.clock = 'ns';
        /** @type {bigint | undefined} */
        this.wall = undefined;
        this.where = '';
        /** @type {import('./api.js').Info | undefined} */
        this.info = undefined;
        this.hasMoved = false;
        this.isDrawing = false;
        this.pointerX = 0;
        this.query = '';
        this.hashTimer = 0;
        /** @type {import('./panel.js').Hit[]} */
        this.hits = [];
        this.model = new Model();
        this.tiles = new Tiles(() => this.redraw(), (why) => this.say(why, true));
        this.timeline = new Timeline(/** @type {HTMLCanvasElement} */ (get('picture')), this.model, this.tiles);
        this.panel = new Panel(this);
        this.scroller = get('tracks');
        this.names = get('names');
        this.overview = /** @type {HTMLCanvasElement} */ (get('overview'));
        this.ruler = /** @type {HTMLCanvasElement} */ (get('ruler'));
        this.tip = get('tip');
        /** @type {Map<string, HTMLElement>} */
        this.rows = new Map();
        this.notice = '';
    }

    // ---- Start

    async start() {
        this.listen();
        this.resize();
        await this.refresh();
        this.readHash();
        this.redraw();
        while (this.info !== undefined && !this.info.complete && this.info.error === undefined) {
            await new Promise((resolve) => setTimeout(resolve, 400));
            await this.refresh();
        }
    }

    /** Asks how far the traces are known. */
    async refresh() {
        try {
            this.take(await ask('info', {}));
        } catch (error) {
            this.say(String(/** @type {Error} */ (error).message), true);
            await new Promise((resolve) => setTimeout(resolve, 1000));
        }
    }

    /** @param {import('./api.js').Info} info */
    take(info) {
        const wasComplete = this.info?.complete;
        this.info = info;
        this.clock = info.clock;
        this.timeline.clock = info.clock;
        this.timeline.kinds = info.kinds;
        const format = info.traces[0]?.format;
        if (this.panel.cutFormat === '') this.panel.cutFormat = format === 'heph' || format === 'xray' ? format : 'fxt';
        this.wall = info.wall === undefined ? undefined : BigInt(info.wall);
        if (info.begin !== undefined && info.end !== undefined) {
            this.base = BigInt(info.begin);
            this.end = BigInt(info.end);
            this.timeline.base = this.base;
            this.tiles.origin = this.base;
        }
        Object.assign(this.tiles.names, info.names);
        this.model.build(info);
        this.model.layout();
        this.tiles.isGrowing = !info.complete && info.error === undefined;
        if (!info.complete || !wasComplete) this.tiles.outdate();
        if (!this.hasMoved) this.showAll(true);
        const names = info.traces.map((trace) => trace.path.split('/').pop()).join(' + ');
        get('title').textContent = names;
        get('title').title = info.traces.map((trace) => trace.path).join('\n');
        document.title = `${names} - stele view`;
        this.panel.showTraces(info);
        this.tellProgress(info);
        this.layoutChanged();
    }

    /** @param {import('./api.js').Info} info */
    tellProgress(info) {
        const bar = get('notice');
        if (info.complete || info.error !== undefined) {
            const what = [];
            if (info.error !== undefined) what.push(`Reading ended early: ${info.error}.`);
            if (info.lost > 0) what.push(`${countText(info.lost)} events were lost: hatched.`);
            if (info.missing > 0) what.push(`${countText(info.missing)} packets are missing.`);
            if (info.errors > 0) what.push(`${countText(info.errors)} errors were found in the traces; the tab Traces has them.`);
            if (info.events === 0) what.push('There are no events.');
            this.say(what.join(' '), what.length !== 0);
            return;
        }
        const progress = document.createElement('progress');
        if (info.total > 0) progress.value = info.read / info.total;
        bar.replaceChildren(`Reading: ${countText(info.events)} events so far`, progress);
    }

    /**
     * @param {string} text
     * @param {boolean} [isWarning]
     */
    say(text, isWarning = false) {
        const bar = get('notice');
        bar.textContent = text;
        bar.classList.toggle('warn', isWarning);
        this.resize();
    }

    // ---- The view

    resize() {
        this.timeline.resize();
        for (const canvas of [this.overview, this.ruler]) {
            const box = canvas.getBoundingClientRect();
            canvas.style.width = canvas.style.height = '';
            fit(canvas, Math.round(this.timeline.width), Math.max(10, Math.round(box.height)));
        }
        this.redraw();
    }

    redraw() {
        if (this.isDrawing) return;
        this.isDrawing = true;
        requestAnimationFrame(() => {
            this.isDrawing = false;
            this.draw();
        });
    }

    draw() {
        this.timeline.scroll = this.scroller.scrollTop;
        this.timeline.draw();
        this.drawRuler();
        this.drawOverview();
        this.fillNames();
        if (this.info?.begin !== undefined)
            this.tiles.want(this.timeline.view.begin, this.timeline.view.length, this.timeline.tracksInSight());
    }

    /**
     * @param {bigint} begin
     * @param {number} length
     * @param {boolean} [isFirst]
     */
    setView(begin, length, isFirst = false) {
        const whole = Number(this.end - this.base);
        length = Math.min(Math.max(length, LENGTH_LEAST), Math.max(whole * 1.2, LENGTH_LEAST));
        const slack = BigInt(Math.ceil(length * 0.5));
        const least = this.base - slack, most = this.end + slack - BigInt(Math.ceil(length));
        if (begin > most) begin = most;
        if (begin < least) begin = least;
        this.timeline.view = {begin, length};
        if (!isFirst) {
            this.hasMoved = true;
            this.writeHash();
        }
        this.redraw();
    }

    /** @param {boolean} [isFirst] */
    showAll(isFirst = false) {
        const whole = Number(this.end - this.base);
        this.setView(this.base - BigInt(Math.round(whole * 0.01)), Math.max(whole * 1.02, LENGTH_LEAST), isFirst);
        if (!isFirst) this.hasMoved = false;
    }

    /**
     * @param {number} factor below 1: nearer
     * @param {number} x what stays where it is
     */
    zoom(factor, x) {
        const {begin, length} = this.timeline.view;
        const whole = Number(this.end - this.base);
        const wanted = Math.min(Math.max(length * factor, LENGTH_LEAST), Math.max(whole * 1.2, LENGTH_LEAST));
        const share = x / this.timeline.width;
        this.setView(begin + BigInt(Math.round((length - wanted) * share)), wanted);
    }

    /** @param {number} pixels */
    move(pixels) {
        const {begin, length} = this.timeline.view;
        this.setView(begin + BigInt(Math.round(pixels * length / this.timeline.width)), length);
    }

    /**
     * @param {bigint} begin
     * @param {bigint} end
     */
    zoomTo(begin, end) {
        const length = Number(end - begin);
        this.setView(begin - BigInt(Math.round(length * 0.05)), length * 1.1);
    }

    /**
     * Moves only as far as is needed to see a moment.
     * @param {bigint} begin
     * @param {bigint} end
     */
    bringInSight(begin, end) {
        const view = this.timeline.view;
        const length = Number(end - begin);
        if (length > view.length || (length > 0 && length < view.length / 500)) this.setView(begin - BigInt(Math.round(Math.max(length, 4) * 2)), Math.max(length, 4) * 5);
        else if (begin < view.begin || end > this.timeline.end)
            this.setView(begin - BigInt(Math.round((view.length - length) / 2)), view.length);
    }

    // ---- Axis

    drawRuler() {
        const c = /** @type {CanvasRenderingContext2D} */ (this.ruler.getContext('2d'));
        const {palette, width, view} = this.timeline;
        const scale = devicePixelRatio || 1;
        const height = this.ruler.height / scale;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = palette.back2;
        c.fillRect(0, 0, width, height);
        c.font = '11px system-ui, "DejaVu Sans", sans-serif';
        c.textBaseline = 'middle';
        const step = BigInt(tickLength(view.length * 110 / width, this.clock));
        const since = view.begin - this.base;
        const first = since / step * step;
        const isDeep = Number(step) < Number(this.end - this.base) / 1e5;
        const origin = isDeep ? first : 0n;
        for (let at = first; at <= since + BigInt(Math.ceil(view.length)); at += step) {
            const x = this.timeline.x(this.base + at);
            c.fillStyle = palette.line;
            c.fillRect(Math.round(x), height - 8, 1, 8);
            c.fillStyle = palette.text2;
            const text = this.clock === 'ns' ? lengthText(at - origin, 'ns') : shortCount(Number(at - origin));
            c.fillText((isDeep && at >= origin ? '+' : '') + text, x + 3, height / 2 - 2);
        }
        const corner = get('axis-corner');
        corner.textContent = isDeep ? `${momentText(first, this.clock)} +` : `${lengthText(Math.round(view.length), this.clock)} in sight`;
        corner.title = this.wall === undefined ? '' : wallText(view.begin + this.wall);
    }

    drawOverview() {
        const c = /** @type {CanvasRenderingContext2D} */ (this.overview.getContext('2d'));
        const {palette, width, view} = this.timeline;
        const scale = devicePixelRatio || 1;
        const height = this.overview.height / scale;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = palette.back;
        c.fillRect(0, 0, width, height);
        if (this.info === undefined) return;
        const whole = Number(this.end - this.base) || 1;
        const {bins, lossy, begin} = this.info.activity, binWidth = this.info.activity.width;
        const most = Math.log1p(Math.max(1, ...bins));
        const shift = Number(BigInt(begin) - this.base);
        c.fillStyle = palette.text2;
        for (let i = 0; i < bins.length; i++) {
            if (bins[i] === 0) continue;
            const x = (shift + i * binWidth) / whole * width;
            const size = Math.log1p(bins[i]) / most * (height - 6);
            c.fillRect(x, height - size, Math.max(1, binWidth / whole * width), size);
        }
        c.fillStyle = palette.error;
        for (const i of lossy) c.fillRect((shift + i * binWidth) / whole * width - 1, 0, Math.max(3, binWidth / whole * width), 5);
        c.fillStyle = palette.warn;
        for (const hit of this.hits) c.fillRect(Number(BigInt(hit[0]) - this.base) / whole * width - 0.5, 0, 1.5, 6);
        const from = Number(view.begin - this.base) / whole * width, size = Math.max(3, view.length / whole * width);
        c.fillStyle = palette.accent;
        c.globalAlpha = 0.2;
        c.fillRect(from, 0, size, height);
        c.globalAlpha = 1;
        c.strokeStyle = palette.accent;
        c.strokeRect(from + 0.5, 0.5, size - 1, height - 1);
        this.overview.setAttribute('aria-valuenow', String(Math.round(Math.max(0, Math.min(100, Number(view.begin - this.base) / whole * 100)))));
        this.overview.setAttribute('aria-valuetext', `${lengthText(Math.round(view.length), this.clock)} from ${momentText(view.begin - this.base, this.clock)}`);
    }

    // ---- Names of tracks

    layoutChanged() {
        get('spacer').style.height = Math.max(0, this.model.height - this.timeline.height) + 'px';
        this.names.style.height = Math.max(this.model.height, this.timeline.height) + 'px';
        for (const row of this.rows.values()) row.remove();
        this.rows.clear();
        this.redraw();
    }

    /** There are elements for the names in sight alone. */
    fillNames() {
        const top = this.scroller.scrollTop;
        const nodes = this.model.between(top - 200, top + this.timeline.height + 200);
        const wanted = new Set(nodes.map((node) => node.key));
        for (const [key, row] of this.rows) {
            if (wanted.has(key) || row.contains(document.activeElement)) continue;
            row.remove();
            this.rows.delete(key);
        }
        for (const node of nodes) if (!this.rows.has(node.key)) this.rows.set(node.key, this.makeName(node));
    }

    /** @param {import('./model.js').Node} node */
    makeName(node) {
        const canFold = node.children.length !== 0 || (node.info?.depth ?? 0) > 1;
        const fold = make('button', {type: 'button', 'aria-label': node.isFolded ? 'Open' : 'Fold', tabindex: '-1',
            click: () => this.fold(node)}, canFold ? (node.isFolded ? '\u25b8' : '\u25be') : '');
        if (!canFold) fold.style.visibility = 'hidden';
        const label = make('span', {class: 'label', title: node.title}, node.title);
        if (node.about !== '') label.append(make('span', {class: 'about'}, node.about));
        const pin = make('button', {type: 'button', class: 'pin', title: node.isPinned ? 'Unpin' : 'Pin to the top',
            'aria-label': node.isPinned ? 'Unpin' : 'Pin to the top', 'aria-pressed': String(node.isPinned), tabindex: '-1',
            click: () => this.pin(node)}, '\u2691');
        const row = make('div', {class: 'track' + (node.children.length !== 0 ? ' group' : '') + (node.isPinned ? ' pinned' : ''),
            role: 'treeitem', tabindex: '0', 'aria-level': String(node.level + 1), 'aria-label': node.title,
            ...(canFold ? {'aria-expanded': String(!node.isFolded)} : {})}, fold, label, pin);
        row.style.top = node.top + 'px';
        row.style.height = node.height + 'px';
        row.style.paddingLeft = 2 + Math.min(node.level, 6) * 12 + 'px';
        row.addEventListener('keydown', (event) => this.nameKey(event, node, row));
        this.names.append(row);
        return row;
    }

    /**
     * @param {KeyboardEvent} event
     * @param {import('./model.js').Node} node
     * @param {HTMLElement} row
     */
    nameKey(event, node, row) {
        const at = this.model.shown.indexOf(node);
        const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
        if (step !== 0 && at + step >= 0 && at + step < this.model.shown.length) {
            const next = this.model.shown[at + step];
            this.scrollTo(next);
            this.draw();
            this.rows.get(next.key)?.focus();
        } else if (event.key === 'Enter' || event.key === ' ' || (event.key === 'ArrowRight' && node.isFolded) ||
            (event.key === 'ArrowLeft' && !node.isFolded)) {
            this.fold(node);
            this.draw();
            this.rows.get(node.key)?.focus();
        } else if (event.key.toLowerCase() === 'p') {
            this.pin(node);
            this.draw();
            this.rows.get(node.key)?.focus();
        } else {
            return;
        }
        void row;
        event.preventDefault();
        event.stopPropagation();
    }

    /** @param {import('./model.js').Node} node */
    scrollTo(node) {
        const top = this.scroller.scrollTop, bottom = top + this.timeline.height;
        if (node.top < top) this.scroller.scrollTop = node.top;
        else if (node.top + Math.min(node.height, 60) > bottom) this.scroller.scrollTop = node.top + Math.min(node.height, this.timeline.height) - this.timeline.height;
    }

    /** @param {import('./model.js').Node} node */
    fold(node) {
        if (!this.model.folded.delete(node.key)) this.model.folded.add(node.key);
        this.relayout();
    }

    /** @param {import('./model.js').Node} node */
    pin(node) {
        if (!this.model.pinned.delete(node.key)) this.model.pinned.add(node.key);
        this.relayout();
    }

    relayout() {
        this.model.layout();
        this.layoutChanged();
        this.writeHash();
    }

    /** @param {number} track */
    trackTitle(track) {
        return this.model.byTrack.get(track)?.title ?? (track === 0 ? 'no track' : `track ${track}`);
    }

    // ---- Selecting

    /** @param {import('./timeline.js').Thing | undefined} thing */
    select(thing) {
        this.timeline.selected = thing;
        this.timeline.highlight = 0;
        if (thing !== undefined) this.panel.showThing(thing);
        this.writeHash();
        this.redraw();
    }

    /**
     * @param {bigint} begin
     * @param {bigint} end
     * @param {Set<number> | undefined} tracks
     */
    selectStretch(begin, end, tracks) {
        if (end <= begin) end = begin + 1n;
        this.timeline.stretch = {begin, end, tracks};
        this.panel.showStretch(begin, end, tracks);
        this.writeHash();
        this.redraw();
    }

    /** @param {number} name */
    setHighlight(name) {
        this.timeline.highlight = this.timeline.highlight === name ? 0 : name;
        this.redraw();
    }

    /**
     * @param {number} track
     * @param {number} depth
     * @param {bigint} at
     */
    goToSpan(track, depth, at) {
        this.goTo({kind: 'span', track, depth, begin: at, end: at, count: 1, busy: 0, name: '', nameNumber: 0,
            offset: 0, data: 0, text: '', node: /** @type {any} */ (this.model.byTrack.get(track))});
    }

    /**
     * Selects something that may be out of sight, and shows it.
     * @param {import('./timeline.js').Thing} thing
     */
    goTo(thing) {
        const node = this.model.reveal(thing.track);
        this.layoutChanged();
        if (node !== undefined) this.scrollTo(node);
        this.bringInSight(thing.begin, thing.end);
        this.select(thing);
    }

    /** @param {import('./panel.js').Hit} hit
     *  @returns {import('./timeline.js').Thing} */
    thingOf(hit) {
        const [begin, end, track, depth, nameNumber, kind, offset] = hit;
        return {kind: kind === 0 ? 'span' : kind === 1 ? 'async' : 'mark', track, depth: kind === 0 ? depth : 0,
            begin: BigInt(begin), end: BigInt(end), count: 1, busy: 0, name: this.tiles.names[nameNumber] ?? '',
            nameNumber, offset: Number(offset), data: 0, text: '', node: /** @type {any} */ (this.model.byTrack.get(track))};
    }

    /**
     * The next one of the selected name, or the one before.
     * @param {boolean} isBackward
     */
    async step(isBackward) {
        const thing = this.timeline.selected;
        if (thing === undefined || isStill) return;
        try {
            const answer = await ask('next', {at: thing.begin, back: isBackward ? 1 : 0,
                ...(thing.nameNumber !== 0 ? {limit: thing.nameNumber} : {name: thing.name})});
            Object.assign(this.tiles.names, answer.names);
            if (answer.hits.length === 0) this.say(isBackward ? 'There is none of this name before.' : 'There is none of this name after it.');
            else this.goTo(this.thingOf(answer.hits[0]));
        } catch (error) {
            this.say(String(/** @type {Error} */ (error).message), true);
        }
    }

    // ---- Searching

    /** @param {string} text */
    searchFor(text) {
        getInput('search').value = text;
        return this.search(text);
    }

    /** @param {string} text */
    async search(text) {
        const state = get('search-state');
        this.query = text.trim();
        this.hits = this.timeline.hits = [];
        this.timeline.hitAt = -1;
        state.classList.remove('error');
        state.textContent = '';
        this.writeHash();
        this.redraw();
        if (this.query === '') return;
        const isExpression = /[=<>~"()]|\b(and|or|not|exists|in|between)\b/.test(this.query);
        const where = isExpression ? this.query : `contains(lower(name), lower("${this.query.replace(/[\\"]/g, '\\$&')}"))`;
        state.textContent = '...';
        try {
            const answer = await ask('search', {where});
            Object.assign(this.tiles.names, answer.names);
            this.hits = answer.hits;
            this.timeline.hits = this.hits.map((hit) => ({begin: BigInt(hit[0]), track: hit[2]}));
            this.panel.showHits(this.hits, answer.found, answer.names);
            this.tellHits(answer.found);
        } catch (error) {
            state.textContent = String(/** @type {Error} */ (error).message);
            state.classList.add('error');
        }
        this.redraw();
    }

    /** @param {number} [found] */
    tellHits(found = this.hits.length) {
        const at = this.timeline.hitAt;
        get('search-state').textContent = this.hits.length === 0 ? 'nothing fits'
            : (at >= 0 ? `${countText(at + 1)} of ` : '') + countText(found) + (at < 0 ? ' hits' : '');
    }

    /** @param {number} index */
    goToHit(index) {
        if (this.hits.length === 0) return;
        this.timeline.hitAt = (index + this.hits.length) % this.hits.length;
        this.tellHits();
        this.goTo(this.thingOf(this.hits[this.timeline.hitAt]));
    }

    /** @param {number} step */
    stepHit(step) {
        if (this.timeline.hitAt >= 0) {
            this.goToHit(this.timeline.hitAt + step);
            return;
        }
        const from = this.timeline.view.begin;
        const next = this.hits.findIndex((hit) => BigInt(hit[0]) >= from);
        this.goToHit(step > 0 ? (next < 0 ? 0 : next) : (next < 0 ? this.hits.length : next) - 1);
    }

    // ---- Bookmarks and links

    bookmark() {
        const at = this.timeline.timeAt(this.timeline.width / 2);
        const text = this.timeline.selected?.name || `mark ${this.timeline.bookmarks.length + 1}`;
        const thing = this.timeline.selected;
        this.timeline.bookmarks.push({at: thing !== undefined ? thing.begin : at, text});
        this.writeHash();
        this.redraw();
    }

    /**
     * @param {string} text
     * @param {HTMLElement} button that says that it was done
     */
    async copy(text, button) {
        const label = button.textContent;
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = 'Copied';
        } catch {
            button.textContent = 'Not allowed here';
        }
        setTimeout(() => { button.textContent = label; }, 1200);
    }

    /** What is seen is in the address, so that a link leads to it. */
    writeHash() {
        clearTimeout(this.hashTimer);
        this.hashTimer = setTimeout(() => {
            const {timeline, model} = this;
            const parts = new URLSearchParams();
            if (this.hasMoved) parts.set('v', `${timeline.view.begin},${Math.round(timeline.view.length)}`);
            if (timeline.stretch !== undefined) parts.set('r', `${timeline.stretch.begin},${timeline.stretch.end}` +
                (timeline.stretch.tracks ? `,${[...timeline.stretch.tracks].join('.')}` : ''));
            const thing = timeline.selected;
            if (thing !== undefined && (thing.kind === 'span' || thing.kind === 'async' || thing.kind === 'mark'))
                parts.set('s', [thing.kind, thing.track, thing.depth, thing.begin, thing.end, thing.offset].join());
            if (this.query !== '') parts.set('q', this.query);
            if (model.filter !== '') parts.set('f', model.filter);
            if (model.folded.size !== 0) parts.set('c', [...model.folded].join('|'));
            if (model.pinned.size !== 0) parts.set('p', [...model.pinned].join('|'));
            for (const mark of timeline.bookmarks) parts.append('m', `${mark.at},${mark.text}`);
            const text = parts.toString();
            history.replaceState(null, '', text === '' ? location.pathname : `#${text}`);
        }, 200);
    }

    readHash() {
        const parts = new URLSearchParams(location.hash.slice(1));
        try {
            this.model.folded = new Set(parts.get('c')?.split('|') ?? []);
            this.model.pinned = new Set(parts.get('p')?.split('|') ?? []);
            this.model.filter = getInput('filter').value = parts.get('f') ?? '';
            this.model.layout();
            this.layoutChanged();
            for (const mark of parts.getAll('m')) {
                const comma = mark.indexOf(',');
                this.timeline.bookmarks.push({at: BigInt(mark.slice(0, comma)), text: mark.slice(comma + 1)});
            }
            const view = parts.get('v')?.split(',');
            if (view !== undefined) this.setView(BigInt(view[0]), Number(view[1]));
            const stretch = parts.get('r')?.split(',');
            if (stretch !== undefined) this.selectStretch(BigInt(stretch[0]), BigInt(stretch[1]),
                stretch[2] === undefined ? undefined : new Set(stretch[2].split('.').map(Number)));
            const query = parts.get('q');
            if (query !== null) this.searchFor(query);
            const thing = parts.get('s')?.split(',');
            if (thing !== undefined)
                this.select({kind: /** @type {any} */ (thing[0]), track: Number(thing[1]), depth: Number(thing[2]),
                    begin: BigInt(thing[3]), end: BigInt(thing[4]), offset: Number(thing[5]), count: 1, busy: 0, name: '',
                    nameNumber: 0, data: 0, text: '', node: /** @type {any} */ (this.model.byTrack.get(Number(thing[1])))});
        } catch {
            this.say('The link has something in it that is not shown.', true);
        }
    }

    // ---- Keys and pointer

    listen() {
        addEventListener('resize', () => this.resize());
        new ResizeObserver(() => this.resize()).observe(this.scroller);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
        this.scroller.addEventListener('scroll', () => this.redraw());
        addEventListener('keydown', (event) => this.key(event));
        addEventListener('hashchange', () => this.readHash());
        get('zoom-all').addEventListener('click', () => this.showAll());
        get('zoom-selection').addEventListener('click', () => this.zoomToSelection());
        get('bookmark').addEventListener('click', () => this.bookmark());
        get('copy-link').addEventListener('click', () => this.copy(location.href, get('copy-link')));
        get('help').addEventListener('click', () => this.panel.show('help'));
        get('theme').addEventListener('click', () => {
            document.documentElement.dataset.theme = this.timeline.palette.isDark ? 'light' : 'dark';
            this.repaint();
        });
        get('filter').addEventListener('input', () => {
            this.model.filter = getInput('filter').value;
            this.relayout();
        });
        get('collapse-all').addEventListener('click', () => this.foldAll());
        get('search-form').addEventListener('submit', (event) => {
            event.preventDefault();
            const text = getInput('search').value;
            if (text.trim() === this.query && this.hits.length !== 0) this.stepHit(1);
            else this.search(text);
        });
        get('search-next').addEventListener('click', () => this.stepHit(1));
        get('search-previous').addEventListener('click', () => this.stepHit(-1));
        this.listenPicture();
        this.listenAxis();
        this.listenDivider();
    }

    repaint() {
        this.timeline.palette = new Palette();
        this.redraw();
    }

    foldAll() {
        const groups = [...this.model.nodes.values()].filter((node) => node.children.length !== 0 || (node.info?.depth ?? 0) > 1);
        if (this.model.folded.size !== 0) this.model.folded.clear();
        else for (const node of groups) this.model.folded.add(node.key);
        this.relayout();
    }

    zoomToSelection() {
        const {stretch, selected} = this.timeline;
        if (stretch !== undefined && (selected === undefined || this.panel.tab === 'stretch')) this.zoomTo(stretch.begin, stretch.end);
        else if (selected !== undefined && selected.end > selected.begin) this.zoomTo(selected.begin, selected.end);
        else if (selected !== undefined) this.setView(selected.begin - 500n, 1000);
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
        const {width, height} = this.timeline;
        const x = this.pointerX > 0 && this.pointerX < width ? this.pointerX : width / 2;
        /** @type {Record<string, () => void>} */
        const actions = {
            w: () => this.zoom(0.7, x), '+': () => this.zoom(0.7, x), '=': () => this.zoom(0.7, x),
            s: () => this.zoom(1 / 0.7, x), '-': () => this.zoom(1 / 0.7, x),
            a: () => this.move(-width / 8), d: () => this.move(width / 8),
            '0': () => this.showAll(), f: () => this.zoomToSelection(), '/': () => get('search').focus(),
            n: () => this.stepHit(1), N: () => this.stepHit(-1), m: () => this.bookmark(),
            '[': () => this.step(true), ']': () => this.step(false), '?': () => this.panel.show('help'),
            Escape: () => this.clear(),
            c: () => { if (this.timeline.selected?.node) this.fold(this.timeline.selected.node); },
            p: () => { if (this.timeline.selected?.node) this.pin(this.timeline.selected.node); },
        };
        /** @type {Record<string, () => void>} */
        const moves = {
            ArrowLeft: () => this.move(-width / 12), ArrowRight: () => this.move(width / 12),
            ArrowUp: () => { this.scroller.scrollTop -= 40; }, ArrowDown: () => { this.scroller.scrollTop += 40; },
            PageUp: () => { this.scroller.scrollTop -= height * 0.9; }, PageDown: () => { this.scroller.scrollTop += height * 0.9; },
            Home: () => this.showAll(), Enter: () => this.selectMiddle(),
        };
        const action = actions[event.key] ?? actions[event.key.toLowerCase()] ??
            (isButton || inPanel ? undefined : moves[event.key]);
        if (action === undefined) return;
        action();
        event.preventDefault();
    }

    /** For those who have no pointer: what is in the middle of the picture, or nearest to it. */
    selectMiddle() {
        const {width, height} = this.timeline;
        for (let y = 4; y < height; y += 6)
            for (const x of [width / 2, width / 2 - width / 8, width / 2 + width / 8]) {
                const thing = this.timeline.thingAt(x, y);
                if (thing !== undefined && thing !== this.timeline.selected) {
                    this.select(thing);
                    return;
                }
            }
    }

    clear() {
        this.timeline.stretch = undefined;
        this.timeline.selected = undefined;
        this.timeline.highlight = 0;
        this.tip.hidden = true;
        this.writeHash();
        this.redraw();
    }

    listenPicture() {
        const canvas = this.timeline.canvas;
        /** @type {Map<number, {x: number, y: number}>} */
        const fingers = new Map();
        /** @type {{x: number, y: number, view: import('./timeline.js').View, scroll: number, isPan: boolean, hasMoved: boolean} | undefined} */
        let drag;
        /** @type {(event: {clientX: number, clientY: number}) => {x: number, y: number}} */
        const place = (event) => {
            const box = canvas.getBoundingClientRect();
            return {x: event.clientX - box.left, y: event.clientY - box.top};
        };
        canvas.addEventListener('pointerdown', (event) => {
            const at = place(event);
            canvas.setPointerCapture(event.pointerId);
            fingers.set(event.pointerId, at);
            this.tip.hidden = true;
            const isPan = event.shiftKey || event.button === 1 || event.pointerType === 'touch';
            drag = {...at, view: this.timeline.view, scroll: this.scroller.scrollTop, isPan, hasMoved: false};
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
                this.hover(at, event);
                return;
            }
            if (Math.hypot(at.x - drag.x, at.y - drag.y) > 4) drag.hasMoved = true;
            if (!drag.hasMoved) return;
            if (drag.isPan) {
                this.setView(drag.view.begin - BigInt(Math.round((at.x - drag.x) * drag.view.length / this.timeline.width)), drag.view.length);
                this.scroller.scrollTop = drag.scroll - (at.y - drag.y);
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
                if (!was.isPan && this.timeline.stretch !== undefined)
                    this.selectStretch(this.timeline.stretch.begin, this.timeline.stretch.end, this.timeline.stretch.tracks);
                return;
            }
            this.select(this.timeline.thingAt(was.x, was.y));
        };
        canvas.addEventListener('pointerup', up);
        canvas.addEventListener('pointercancel', up);
        canvas.addEventListener('pointerleave', () => { this.tip.hidden = true; });
        canvas.addEventListener('dblclick', (event) => {
            const at = place(event);
            const thing = this.timeline.thingAt(at.x, at.y);
            if (thing !== undefined && thing.end > thing.begin) this.zoomTo(thing.begin, thing.end);
            else this.zoom(0.25, at.x);
        });
        canvas.addEventListener('wheel', (event) => this.wheel(event, place(event).x, false), {passive: false});
    }

    /**
     * @param {{x: number, y: number}} from
     * @param {{x: number, y: number}} to
     */
    dragStretch(from, to) {
        const left = Math.min(from.x, to.x), right = Math.max(from.x, to.x);
        const scroll = this.scroller.scrollTop;
        const nodes = this.model.between(Math.min(from.y, to.y) + scroll, Math.max(from.y, to.y) + scroll + 1);
        const tracks = new Set(nodes.filter((node) => node.hasContent).map((node) => node.track));
        this.timeline.stretch = {begin: this.timeline.timeAt(left), end: this.timeline.timeAt(right) + 1n,
            tracks: tracks.size === 0 ? undefined : tracks};
        this.redraw();
    }

    /**
     * Two fingers: what is between them stays there.
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
        this.zoom(was / is, (at.x + other.x) / 2);
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
            this.zoom(Math.exp(Math.max(-200, Math.min(200, down)) * (event.ctrlKey ? 0.005 : 0.003)), x);
        } else if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
            event.preventDefault();
            this.move(event.shiftKey && across === 0 ? down : across);
        }
    }

    /**
     * @param {{x: number, y: number}} at
     * @param {PointerEvent} event
     */
    hover(at, event) {
        if (event.pointerType === 'touch') return;
        const thing = this.timeline.thingAt(at.x, at.y);
        this.timeline.canvas.style.cursor = thing === undefined ? '' : 'pointer';
        this.tip.hidden = thing === undefined;
        if (thing === undefined) return;
        this.tip.textContent = this.timeline.describe(thing);
        const box = this.tip.getBoundingClientRect();
        this.tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + 'px';
        this.tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18) + 'px';
    }

    listenAxis() {
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
            this.timeline.stretch = {begin: this.timeline.timeAt(Math.min(x, from)), end: this.timeline.timeAt(Math.max(x, from)) + 1n, tracks: undefined};
            this.redraw();
        });
        this.ruler.addEventListener('pointerup', (event) => {
            if (from >= 0 && Math.abs(place(event, this.ruler) - from) >= 4 && this.timeline.stretch !== undefined)
                this.selectStretch(this.timeline.stretch.begin, this.timeline.stretch.end, undefined);
            from = -1;
        });
        this.ruler.addEventListener('wheel', (event) => this.wheel(event, place(event, this.ruler), true), {passive: false});
        let isMoving = false;
        /** @type {(event: MouseEvent) => void} */
        const center = (event) => {
            const share = place(event, this.overview) / this.timeline.width;
            const {length} = this.timeline.view;
            const middle = this.base + BigInt(Math.round(Number(this.end - this.base) * share));
            this.setView(middle - BigInt(Math.round(length / 2)), length);
        };
        this.overview.addEventListener('pointerdown', (event) => {
            isMoving = true;
            this.overview.setPointerCapture(event.pointerId);
            center(event);
        });
        this.overview.addEventListener('pointermove', (event) => { if (isMoving) center(event); });
        this.overview.addEventListener('pointerup', () => { isMoving = false; });
        this.overview.addEventListener('wheel', (event) => this.wheel(event, this.timeline.width / 2, true), {passive: false});
    }

    listenDivider() {
        const divider = get('divider');
        let from = 0, height = 0;
        /** @type {(size: number) => void} */
        const set = (size) => {
            document.documentElement.style.setProperty('--panel', Math.max(40, Math.min(innerHeight - 200, size)) + 'px');
            this.resize();
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
        divider.addEventListener('keydown', (event) => {
            const step = event.key === 'ArrowUp' ? 24 : event.key === 'ArrowDown' ? -24 : 0;
            if (step === 0) return;
            set(get('panel').offsetHeight + step);
            event.preventDefault();
            event.stopPropagation();
        });
    }
}

/**
 * A count for an axis: "2 k", "1.5 M".
 * @param {number} count
 */
function shortCount(count) {
    for (const [unit, word] of /** @type {[number, string][]} */ ([[1e9, ' G'], [1e6, ' M'], [1e3, ' k']]))
        if (Math.abs(count) >= unit) return Number((count / unit).toFixed(3)) + word;
    return String(count);
}

const page = new Page();
/* For tests and for the curious. */
Object.assign(globalThis, {stelePage: page});
page.start();
