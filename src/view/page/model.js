// SPDX-License-Identifier: Apache-2.0
// The tracks as a tree, and where the rows of its nodes are shown.

import {traceName} from './time.js';

export const HAS_MARKS = 1, HAS_LOSSES = 2, HAS_RUNS = 4, HAS_STATES = 8;
export const SPAN_HEIGHT = 18, MARK_HEIGHT = 14, DENSE_HEIGHT = 28, PLOT_HEIGHT = 40, STATE_HEIGHT = 14, TITLE_HEIGHT = 22;
const SMALL_HEIGHT = 5, SMALL_ROWS = 4;

/**
 * @typedef {{kind: 'spans' | 'async' | 'marks' | 'states' | 'runs' | 'counter', top: number,
 *     height: number, rowHeight: number, rows: number, counter?: number}} Part
 * @typedef {{key: string, title: string, about: string, track: number, level: number,
 *     children: Node[], parts: Part[], isFolded: boolean, isPinned: boolean, top: number,
 *     height: number, hasContent: boolean, isShown: boolean, source: number, info?: import('./api.js').TrackInfo,
 *     counter?: number}} Node
 */

/** @type {Record<string, number>} */
const kindOrder = {cpu: 0, process: 1, thread: 2, stream: 3, substream: 4, provider: 5};

/** Ways to sort the tracks of the same parent. @type {Record<string, string>} */
export const sortings = {number: 'Number', name: 'Name', busy: 'Busiest', events: 'Events'};

/**
 * The sum of a number over a track and all tracks below it.
 * @param {Node} node
 * @param {'busy' | 'events'} key
 * @returns {number}
 */
function sumOf(node, key) {
    return node.children.reduce((sum, child) => sum + sumOf(child, key), node.info?.[key] ?? 0);
}

/**
 * @param {Node} a
 * @param {Node} b
 * @param {string} sorting
 */
function compareNodes(a, b, sorting) {
    if (sorting === 'name' && a.counter === undefined && b.counter === undefined)
        return a.title.localeCompare(b.title, 'en', {numeric: true}) || a.track - b.track;
    if (sorting === 'busy' || sorting === 'events') {
        const difference = sumOf(b, sorting) - sumOf(a, sorting);
        if (difference !== 0) return difference;
    }
    const x = kindOrder[a.info?.kind ?? ''] ?? 9, y = kindOrder[b.info?.kind ?? ''] ?? 9;
    if (x !== y) return x - y;
    const m = BigInt(a.info?.number ?? 0), n = BigInt(b.info?.number ?? 0);
    return m < n ? -1 : m > n ? 1 : a.track - b.track;
}

export class Model {
    constructor() {
        /** @type {Node[]} */
        this.roots = [];
        /** @type {Map<string, Node>} */
        this.nodes = new Map();
        /** @type {Node[]} the nodes that are shown, from top to bottom */
        this.shown = [];
        this.height = 0;
        this.filter = '';
        this.sorting = 'number';
        /** @type {Node[]} the nodes that stay on top */
        this.pins = [];
        this.pinnedHeight = 0;
        /** @type {Set<string>} */
        this.folded = new Set();
        /** @type {Set<string>} */
        this.pinned = new Set();
        /** @type {Map<number, Node>} the node that shows a track, by its number */
        this.byTrack = new Map();
    }

    /** @param {import('./api.js').Info} info */
    build(info) {
        this.nodes = new Map();
        this.byTrack = new Map();
        this.roots = [];
        const hasSeveral = info.traces.length > 1;
        for (const track of info.tracks) this.addTrack(track);
        for (const [index, counter] of info.counters.entries()) this.addCounter(info, index, counter);
        /** @type {Map<number, Node>} */
        const traces = new Map();
        for (const node of this.nodes.values()) {
            const parent = node.counter === undefined && node.info?.parent
                ? this.nodes.get(`t${node.info.parent}`) : undefined;
            if (node.counter !== undefined) {
                (this.nodes.get(`t${node.track}`)?.children ?? this.roots).push(node);
            } else if (parent !== undefined && parent !== node) {
                parent.children.push(node);
            } else if (hasSeveral) {
                this.traceNode(info, traces, node.info?.source ?? 0).children.push(node);
            } else {
                this.roots.push(node);
            }
        }
        for (const node of traces.values()) this.nodes.set(node.key, node);
        if (hasSeveral) /* a track is below the node of its trace, so its title need not name the trace */
            for (const node of this.nodes.values()) node.title = node.title.replace(new RegExp(`^${node.source}: `), '');
        this.sort(this.roots, 0);
    }

    /** @param {import('./api.js').TrackInfo} track */
    addTrack(track) {
        const isGroup = track.events === 0 && track.spans === 0 && track.has === 0;
        const node = this.makeNode(`t${track.track}`, track.track === 0 ? 'no track' : track.title,
            track.track);
        node.info = track;
        node.source = track.source ?? 0;
        node.hasContent = !isGroup;
        this.byTrack.set(track.track, node);
    }

    /**
     * @param {import('./api.js').Info} info
     * @param {number} index
     * @param {[number, number, number]} counter
     */
    addCounter(info, index, [track, name, field]) {
        const title = info.names[name] ?? '', value = info.names[field] ?? '';
        const node = this.makeNode(`c${track}/${title}/${value}`,
            value !== '' && value !== 'value' && value !== title ? `${title}: ${value}` : title, track);
        node.counter = index;
        node.hasContent = true;
        node.source = this.byTrack.get(track)?.source ?? 0;
    }

    /**
     * @param {string} key
     * @param {string} title
     * @param {number} track
     * @returns {Node}
     */
    makeNode(key, title, track) {
        /** @type {Node} */
        const node = {key, title, about: '', track, level: 0, children: [], parts: [],
            isFolded: false, isPinned: false, top: 0, height: 0, hasContent: false, isShown: false, source: 0};
        this.nodes.set(key, node);
        return node;
    }

    /**
     * @param {import('./api.js').Info} info
     * @param {Map<number, Node>} traces
     * @param {number} source
     */
    traceNode(info, traces, source) {
        let node = traces.get(source);
        if (node === undefined) {
            const about = info.traces.find((trace) => trace.number === source);
            node = {key: `s${source}`, title: traceName(about?.path ?? '') || `trace ${source}`,
                about: about?.title ?? '', track: -1, level: 0, children: [], parts: [],
                isFolded: false, isPinned: false, top: 0, height: 0, hasContent: false, isShown: false, source};
            traces.set(source, node);
            this.roots.push(node);
        }
        return node;
    }

    /**
     * @param {Node[]} nodes
     * @param {number} level
     */
    sort(nodes, level) {
        nodes.sort((a, b) => compareNodes(a, b, this.sorting));
        for (const node of nodes) {
            node.level = level;
            this.sort(node.children, level + 1);
        }
    }

    /** @param {string} sorting */
    sortBy(sorting) {
        this.sorting = sorting in sortings ? sorting : 'number';
        this.sort(this.roots, 0);
        this.layout();
    }

    /** Decides which nodes are shown and where. */
    layout() {
        const wanted = this.filter.toLowerCase();
        /** @type {Node[]} */
        const pinned = [];
        /** @type {Node[]} */
        const others = [];
        /** @type {(node: Node, isWanted: boolean) => boolean} */
        const matches = (node, isWanted) => isWanted || node.title.toLowerCase().includes(wanted) ||
            node.children.some((child) => matches(child, false));
        /** @type {(nodes: Node[], isWanted: boolean) => void} */
        const walk = (nodes, isWanted) => {
            for (const node of nodes) {
                if (!matches(node, isWanted)) continue;
                node.isFolded = this.folded.has(node.key);
                node.isPinned = this.pinned.has(node.key);
                (node.isPinned ? pinned : others).push(node);
                if (!node.isFolded || wanted !== '')
                    walk(node.children, isWanted || node.title.toLowerCase().includes(wanted));
            }
        };
        walk(this.roots, wanted === '');
        for (const node of this.nodes.values()) node.isShown = false;
        this.pins = pinned;
        this.shown = [...pinned, ...others];
        this.height = 0;
        for (const node of this.shown) {
            layoutNode(node);
            node.isShown = true;
            node.top = this.height;
            this.height += node.height;
        }
        const last = pinned[pinned.length - 1];
        this.pinnedHeight = last === undefined ? 0 : last.top + last.height;
    }

    /**
     * Returns the nodes between two heights.
     * @param {number} top
     * @param {number} bottom
     */
    between(top, bottom) {
        let low = 0, high = this.shown.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.shown[middle].top + this.shown[middle].height <= top) low = middle + 1;
            else high = middle;
        }
        let end = low;
        while (end < this.shown.length && this.shown[end].top < bottom) end++;
        return this.shown.slice(low, end);
    }

    /** @param {number} height */
    nodeAt(height) {
        return this.between(height, height + 1)[0];
    }

    /**
     * Unfolds the nodes above a track, so that it is shown, and returns its node.
     * @param {number} track
     */
    reveal(track) {
        const node = this.byTrack.get(track);
        let at = node;
        this.filter = '';
        while (at !== undefined) {
            const parent = at.info?.parent ? this.nodes.get(`t${at.info.parent}`) : undefined;
            if (parent !== undefined) this.folded.delete(parent.key);
            at = parent === at ? undefined : parent;
        }
        if (node !== undefined) this.folded.delete(node.key);
        this.layout();
        return node;
    }
}

/** @param {Node} node */
function layoutNode(node) {
    const info = node.info;
    let top = 2;
    node.parts = [];
    /** @type {(kind: Part['kind'], rows: number, rowHeight: number) => void} */
    const add = (kind, rows, rowHeight) => {
        const height = rows * rowHeight;
        node.parts.push({kind, top, height, rowHeight, rows, counter: node.counter});
        top += height + 2;
    };
    if (node.counter !== undefined) {
        add('counter', 1, PLOT_HEIGHT);
    } else if (info !== undefined && node.hasContent) {
        if (info.has & HAS_RUNS) add('runs', 1, SPAN_HEIGHT);
        if (info.has & HAS_STATES) add('states', 1, STATE_HEIGHT);
        if (info.has & HAS_MARKS) add('marks', 1, info.depth === 0 && info.async === 0 ? DENSE_HEIGHT : MARK_HEIGHT);
        if (info.depth > 0)
            add('spans', node.isFolded ? Math.min(info.depth, SMALL_ROWS) : info.depth,
                node.isFolded ? SMALL_HEIGHT : SPAN_HEIGHT);
        if (info.async > 0)
            add('async', Math.min(info.async, node.isFolded ? SMALL_ROWS : 64),
                node.isFolded ? SMALL_HEIGHT : SPAN_HEIGHT);
    }
    node.height = Math.max(TITLE_HEIGHT, top);
}
