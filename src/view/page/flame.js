// SPDX-License-Identifier: Apache-2.0
// A flame graph on a canvas: callers above, callees below, each as wide as the time it takes. Needs no
// server: the tree is given as data.

import {Drawing, fit} from './draw.js';
import {make} from './dom.js';

/**
 * @typedef {[number, number, number, number, number]} FlameNode number of the name, number of the
 *     parent, count, own time, whole time; the first node is the root
 * @typedef {{total: number, nodes: FlameNode[], names: Record<string, string>, leftOut?: number}} FlameData
 */

const ROW = 18;

export class FlameGraph {
    /**
     * @param {FlameData} data
     * @param {{length: (value: number) => string, pick?: (name: string) => void,
     *     tones?: Map<string, number>}} options
     */
    constructor(data, options) {
        this.data = data;
        this.options = options;
        this.canvas = /** @type {HTMLCanvasElement} */ (make('canvas', {tabindex: '0', role: 'application', class: 'flame',
            'aria-label': 'Flame graph. Arrow keys walk through it, Enter zooms, Escape shows all.'}));
        this.about = make('p', {class: 'muted', 'aria-live': 'polite'});
        this.drawing = new Drawing(this.canvas);
        this.drawing.names = data.names;
        this.drawing.tones = options.tones;
        this.root = 0; /* the node that fills the width */
        this.at = 0; /* the node that the pointer or the keys are on */
        /** @type {number[][]} */
        this.children = data.nodes.map(() => []);
        /** @type {number[]} */
        this.depth = data.nodes.map(() => 0);
        for (const [i, node] of data.nodes.entries()) {
            if (i === 0) continue;
            this.children[node[1]].push(i);
            this.depth[i] = this.depth[node[1]] + 1;
        }
        this.rows = data.nodes.reduce((most, _, i) => Math.max(most, this.depth[i]), 0) + 1;
        /** @type {{x: number, width: number}[]} */
        this.places = [];
        this.element = make('div', {}, this.about, this.canvas);
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.element);
        matchMedia('print').addEventListener('change', () => this.draw());
    }

    /** @param {number} node */
    name(node) {
        return node === 0 ? 'all' : this.data.names[this.data.nodes[node][0]] ?? '(no name)';
    }

    draw() {
        const d = this.drawing;
        const width = this.element.clientWidth;
        if (width === 0) return;
        d.palette = new (/** @type {any} */ (d.palette.constructor))();
        d.width = width;
        d.height = this.rows * ROW;
        fit(this.canvas, d.width, d.height);
        d.begin();
        this.places = this.data.nodes.map(() => ({x: 0, width: -1}));
        for (let up = this.root; up !== 0; up = this.data.nodes[up][1]) this.places[up] = {x: 0, width};
        this.places[0] = {x: 0, width};
        this.layout(this.root, 0, width);
        for (const [i, place] of this.places.entries()) if (place.width >= 0.3) this.drawNode(i, place);
        this.tell();
    }

    /**
     * @param {number} node
     * @param {number} x
     * @param {number} width
     */
    layout(node, x, width) {
        this.places[node] = {x, width};
        const whole = this.data.nodes[node][4] || 1;
        for (const child of this.children[node]) {
            const part = this.data.nodes[child][4] / whole * width;
            if (part >= 0.3) this.layout(child, x, part);
            x += part;
        }
    }

    /**
     * @param {number} node
     * @param {{x: number, width: number}} place
     */
    drawNode(node, {x, width}) {
        const d = this.drawing, c = d.context;
        const top = this.depth[node] * ROW;
        const name = this.name(node);
        c.fillStyle = node === 0 ? d.palette.back3 : d.fillOf(name);
        c.fillRect(x, top, Math.max(0.5, width - 0.75), ROW - 1);
        if (node === this.at) {
            c.strokeStyle = d.palette.text;
            c.lineWidth = 2;
            c.strokeRect(x + 1, top + 1, Math.max(1, width - 2.75), ROW - 3);
            c.lineWidth = 1;
        }
        if (width > 24) {
            c.fillStyle = d.palette.text;
            d.drawText(name, x + 3, top + ROW / 2, width - 6);
        }
    }

    tell() {
        const [, , count, self, total] = this.data.nodes[this.at];
        const share = this.data.total > 0 ? ` (${(total / this.data.total * 100).toFixed(1)} %)` : '';
        const ratio = this.options.tones?.get(this.name(this.at));
        this.about.textContent = `${this.name(this.at)}: ${this.options.length(total)}${share}` +
            (this.at === 0 ? '' : `, ${this.options.length(self)} of its own, ${count.toLocaleString('en')} times`) +
            (ratio === undefined ? '' : `, ${ratio.toFixed(2)} times as long`) +
            (this.at === 0 && this.data.leftOut ? `; ${this.data.leftOut.toLocaleString('en')} paths are too narrow to be shown` : '');
    }

    /** @param {MouseEvent} event */
    nodeAt(event) {
        const box = this.canvas.getBoundingClientRect();
        const x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top) / ROW);
        return this.places.findIndex((place, i) => this.depth[i] === depth && x >= place.x && x < place.x + place.width);
    }

    /** @param {number} node */
    zoom(node) {
        this.root = node;
        this.at = node;
        this.draw();
    }

    listen() {
        this.canvas.addEventListener('pointermove', (event) => {
            const node = this.nodeAt(event);
            if (node >= 0 && node !== this.at) {
                this.at = node;
                this.draw();
            }
        });
        this.canvas.addEventListener('click', (event) => {
            const node = this.nodeAt(event);
            if (node >= 0) this.zoom(node === this.root ? 0 : node);
        });
        this.canvas.addEventListener('dblclick', () => { if (this.at !== 0) this.options.pick?.(this.name(this.at)); });
        this.canvas.addEventListener('keydown', (event) => {
            const parent = this.data.nodes[this.at][1];
            const beside = parent < 0 ? [0] : this.children[parent];
            const index = beside.indexOf(this.at);
            /** @type {Record<string, () => number | undefined>} */
            const moves = {ArrowDown: () => this.children[this.at][0], ArrowUp: () => (parent >= 0 ? parent : undefined),
                ArrowLeft: () => beside[index - 1], ArrowRight: () => beside[index + 1]};
            if (event.key in moves) {
                this.at = moves[event.key]() ?? this.at;
                this.draw();
            } else if (event.key === 'Enter') {
                this.zoom(this.at);
            } else if (event.key === 'Escape' && this.root !== 0) {
                this.zoom(0);
            } else {
                return;
            }
            event.preventDefault();
            event.stopPropagation();
        });
    }
}
