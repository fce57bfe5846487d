// SPDX-License-Identifier: Apache-2.0
// The page: what is shown of the traces, what is selected, and the address that has both.

import {addressOf, copyText, goTo} from './address.js';
import {ask, isStill} from './api.js';
import {Axis} from './axis.js';
import {Palette} from './colors.js';
import {Input} from './input.js';
import {Model} from './model.js';
import {Names} from './names.js';
import {Panel} from './panel.js';
import {Search} from './search.js';
import {Tiles} from './tiles.js';
import {Timeline} from './timeline.js';
import {countText, lengthText, ofThem, traceName} from './time.js';

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const LENGTH_LEAST = 10; /* nanoseconds in sight at the deepest zoom */

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
        this.hashTimer = 0;
        /** @type {Map<number, bigint>} how much later than recorded each trace is shown */
        this.shifts = new Map();
        /** @type {import('./timeline.js').Thing | undefined} the thing that other traces are aligned with */
        this.anchor = undefined;
        /** @type {{begin: bigint, end: bigint, tracks: Set<number> | undefined} | undefined} */
        this.remembered = undefined; /* the stretch that other stretches are compared with */
        this.model = new Model();
        this.tiles = new Tiles(() => this.redraw(), (why) => this.say(why, true));
        this.tiles.shiftOf = (track) => this.shiftOf(track);
        this.timeline = new Timeline(/** @type {HTMLCanvasElement} */ (get('picture')), this.model, this.tiles);
        this.inSight = () => ({view: this.timeline.view, tracks: this.timeline.tracksInSight(), near: this.timeline.tracksInSight(this.timeline.height / 2)});
        this.timeline.threadName = (thread) => this.trackTitle(thread);
        this.scroller = get('tracks');
        this.panel = new Panel(this);
        this.search = new Search(this);
        this.axis = new Axis(this);
        this.names = new Names(this);
        this.input = new Input(this);
    }

    // ---- Starting the page

    async start() {
        this.input.listen();
        this.resize();
        await this.refresh();
        this.readHash();
        this.redraw();
        while (this.info !== undefined && !this.info.complete && this.info.error === undefined) {
            await new Promise((resolve) => setTimeout(resolve, 400));
            await this.refresh();
        }
    }

    /** Asks what is known of the traces by now. */
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
        const wasPictured = this.info?.pictured, wasComplete = this.info?.complete;
        this.info = info;
        this.clock = info.clock;
        this.timeline.clock = info.clock;
        this.timeline.kinds = info.kinds;
        const format = info.traces[0]?.format;
        if (this.panel.stretch.cutFormat === '') this.panel.stretch.cutFormat = format === 'heph' || format === 'xray' ? format : 'fxt';
        this.wall = info.wall === undefined ? undefined : BigInt(info.wall);
        if (info.begin !== undefined && info.end !== undefined) {
            this.base = BigInt(info.begin);
            this.end = BigInt(info.end);
            this.timeline.base = this.base;
            this.timeline.traceEnd = this.end;
            this.tiles.origin = this.base;
        }
        Object.assign(this.tiles.names, info.names);
        this.model.build(info);
        this.model.layout();
        this.tiles.isGrowing = !info.pictured && info.error === undefined;
        if (!wasPictured || (info.complete && !wasComplete)) this.tiles.outdate();
        if (!this.hasMoved) this.showAll(true);
        const names = info.traces.map((trace) => traceName(trace.path)).join(' + ');
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
            if (info.lost > 0) what.push(`${ofThem(info.lost, 'event was', 'events were')} lost: hatched.`);
            if (info.missing > 0) what.push(`${ofThem(info.missing, 'packet is', 'packets are')} missing.`);
            if (info.errors > 0) what.push(`${ofThem(info.errors, 'error was', 'errors were')} found in the traces: see the tab Traces.`);
            if (info.events === 0 && info.insns === 0) what.push('There are no events.');
            this.say(what.join(' '), what.length !== 0);
            return;
        }
        const progress = document.createElement('progress');
        if (info.pictured) {
            bar.replaceChildren(info.clock === 'instructions' ? 'Looking for places to read on from: until then questions take longer'
                : 'Looking for what is open where: until then arrows and states are not shown, and questions take longer');
        } else {
            if (info.total > 0) progress.value = info.read / info.total;
            bar.replaceChildren(`Reading: ${info.insns > 0 ? countText(info.insns) + ' instructions' : countText(info.events) + ' events'} so far`, progress);
        }
        bar.classList.remove('warn');
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

    // ---- The stretch in sight

    resize() {
        this.timeline.resize();
        this.axis.resize();
        this.names.renew();
        this.draw(); /* at once, as a canvas with a new size is empty and printing does not wait */
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
        this.axis.draw();
        this.names.fill();
        if (this.info?.begin !== undefined) this.tiles.want(this.inSight);
        this.input.hoverAgain();
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
     * @param {number} factor below 1 to zoom in
     * @param {number} x position that keeps its time
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
     * Moves and zooms only as far as needed to see a stretch.
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

    // ---- The tracks that are shown

    layoutChanged() {
        get('spacer').style.height = Math.max(0, this.model.height - this.timeline.height) + 'px';
        this.names.renew();
        this.redraw();
    }

    /** @param {import('./model.js').Node} node */
    scrollTo(node) {
        if (node.isPinned) return;
        const top = this.scroller.scrollTop + this.model.pinnedHeight, bottom = this.scroller.scrollTop + this.timeline.height;
        if (node.top < top) this.scroller.scrollTop = node.top - this.model.pinnedHeight;
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

    // ---- Shifting traces against each other

    /**
     * How much later than recorded a track is shown.
     * @param {number} track
     */
    shiftOf(track) {
        return this.shifts.size === 0 ? 0n : this.shifts.get(this.model.byTrack.get(track)?.source ?? 0) ?? 0n;
    }

    /**
     * Groups tracks by how much their trace is shifted; each group is asked for at its own time.
     * @param {Set<number> | undefined} tracks
     * @returns {{shift: bigint, source: number, tracks: Set<number> | undefined}[]}
     */
    groups(tracks) {
        return this.shifts.size === 0 ? [{shift: 0n, source: -1, tracks}] : this.bySource(tracks);
    }

    /**
     * Groups tracks by the trace that they belong to.
     * @param {Set<number> | undefined} tracks
     * @returns {{shift: bigint, source: number, tracks: Set<number> | undefined}[]}
     */
    bySource(tracks) {
        /** @type {Map<number, Set<number>>} */
        const sets = new Map();
        for (const track of tracks ?? this.model.byTrack.keys()) {
            const source = this.model.byTrack.get(track)?.source ?? 0;
            sets.set(source, (sets.get(source) ?? new Set()).add(track));
        }
        return [...sets].map(([source, group]) => ({shift: this.shifts.get(source) ?? 0n, source, tracks: group}));
    }

    /** @param {import('./timeline.js').Thing} thing the thing that other traces are aligned with */
    setAnchor(thing) {
        this.anchor = thing;
        this.say(`"${thing.name}" is what traces can be aligned with: select something in another trace, then "Align with it".`);
        this.panel.showThing(thing);
    }

    /**
     * Shifts the trace of a thing so that the thing begins where the anchor begins.
     * @param {import('./timeline.js').Thing} thing
     */
    alignWith(thing) {
        if (this.anchor === undefined) return;
        const source = thing.node.source;
        const by = this.anchor.begin - thing.begin;
        this.setShift(source, (this.shifts.get(source) ?? 0n) + by);
        this.say(`Shown ${lengthText(by < 0n ? -by : by, this.clock)} ${by < 0n ? 'earlier' : 'later'} than before; "Align as recorded" in Traces undoes it.`);
        this.select({...thing, begin: thing.begin + by, end: thing.end + by});
    }

    /**
     * @param {number} source
     * @param {bigint} shift
     */
    setShift(source, shift) {
        if (shift === 0n) this.shifts.delete(source);
        else this.shifts.set(source, shift);
        this.tiles.clear();
        this.writeHash();
        this.redraw();
    }

    /** @param {Map<string, number> | undefined} tones how much slower what has a name became */
    setTones(tones) {
        this.timeline.tones = tones;
        this.redraw();
    }

    // ---- The filter for everything that is shown

    /** @param {string} where an expression; "": everything */
    setFilter(where) {
        this.where = this.tiles.where = where.trim();
        this.tiles.clear();
        const chip = get('only');
        chip.hidden = this.where === '';
        get('only-text').textContent = this.where;
        if (this.timeline.stretch !== undefined) this.selectStretch(this.timeline.stretch.begin, this.timeline.stretch.end, this.timeline.stretch.tracks);
        this.writeHash();
        this.resize();
    }

    // ---- Selecting things and stretches

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
     * Selects the event of a track at a moment, or the first one after it.
     * @param {number} track
     * @param {bigint} at
     */
    async goToMoment(track, at) {
        try {
            const answer = await ask('window', {begin: at, end: at + 64n, width: 64, tracks: track});
            const row = answer.rows.find((/** @type {any} */ one) => one.row === 'marks');
            const node = this.model.byTrack.get(track);
            const shift = this.shiftOf(track);
            if (node === undefined) return;
            const begin = at + shift + (row === undefined ? 0n : BigInt(row.begin[0]));
            this.goTo({kind: 'mark', track, depth: 0, begin, end: begin, count: 1, busy: 0, name: '', nameNumber: 0,
                offset: row?.offset?.[0] ?? 0, data: 0, text: '', node});
        } catch (error) {
            this.say(String(/** @type {Error} */ (error).message), true);
        }
    }

    /** @param {number} track */
    goToTrack(track) {
        const node = this.model.reveal(track);
        this.layoutChanged();
        if (node === undefined) return;
        this.scrollTo(node);
        this.draw();
        this.names.focus(node.key);
    }

    /**
     * Selects a thing and brings it in sight.
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
            begin: BigInt(begin) + this.shiftOf(track), end: BigInt(end) + this.shiftOf(track), count: 1, busy: 0,
            name: this.tiles.names[nameNumber] ?? '', nameNumber, offset: Number(offset), data: 0, text: '', node: /** @type {any} */ (this.model.byTrack.get(track))};
    }

    /**
     * Goes to the next thing of the selected name, or to the one before.
     * @param {boolean} isBackward
     */
    async step(isBackward) {
        const thing = this.timeline.selected;
        if (thing === undefined || isStill) return;
        try {
            const answer = await ask('next', {at: thing.begin - this.shiftOf(thing.track), back: isBackward ? 1 : 0, where: this.where,
                ...(thing.nameNumber !== 0 ? {limit: thing.nameNumber} : {name: thing.name})});
            Object.assign(this.tiles.names, answer.names);
            if (answer.hits.length === 0) this.say(isBackward ? 'There is none of this name before.' : 'There is none of this name after it.');
            else this.goTo(this.thingOf(answer.hits[0]));
        } catch (error) {
            this.say(String(/** @type {Error} */ (error).message), true);
        }
    }

    /**
     * Goes to another thing in the row of the selected one.
     * @param {number} step
     */
    stepBeside(step) {
        const next = this.timeline.selected && this.timeline.beside(this.timeline.selected, step, 0);
        if (next) this.goTo(next);
    }

    /**
     * Goes to the caller of the selected span, or to its first callee.
     * @param {number} step
     */
    stepDeeper(step) {
        const next = this.timeline.selected && this.timeline.beside(this.timeline.selected, 0, step);
        if (next) this.goTo(next);
    }

    // ---- Notes and links

    bookmark() {
        const at = this.timeline.timeAt(this.timeline.width / 2);
        const text = this.timeline.selected?.name || `mark ${this.timeline.bookmarks.length + 1}`;
        const thing = this.timeline.selected;
        this.timeline.bookmarks.push({at: thing !== undefined ? thing.begin : at, text});
        this.notesChanged();
        this.panel.editNote(this.timeline.bookmarks.length - 1);
    }

    notesChanged() {
        this.panel.showNotes();
        this.writeHash();
        this.redraw();
    }

    /**
     * @param {string} text
     * @param {HTMLElement} button that says that it was done
     */
    copy(text, button) {
        return copyText(text, button);
    }

    /** Puts what is seen into the address, so that a link leads to it. */
    writeHash() {
        clearTimeout(this.hashTimer);
        this.hashTimer = setTimeout(() => {
            const text = addressOf(this);
            history.replaceState(null, '', text === '' ? location.pathname : `#${text}`);
        }, 200);
    }

    readHash() {
        try {
            goTo(this, location.hash.slice(1));
        } catch {
            this.say('The link has something in it that is not shown.', true);
        }
    }

    // ---- Actions of keys and buttons

    repaint() {
        this.timeline.palette = new Palette();
        this.resize();
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

    clear() {
        this.timeline.stretch = undefined;
        this.timeline.selected = undefined;
        this.timeline.highlight = 0;
        this.timeline.tones = undefined;
        this.writeHash();
        this.redraw();
    }
}

const page = new Page();
/* The page is globally visible, for tests and for the curious. */
Object.assign(globalThis, {stelePage: page});
page.start();
