// SPDX-License-Identifier: Apache-2.0
// What the tracks below a folded one do together: how many of them are busy at each place, or how many
// moments they have.

/**
 * @typedef {import('./model.js').Node} Node
 * @typedef {{rows: import('./api.js').Row[], stretch: import('./tiles.js').Stretch}} Found
 */

const TRACKS_MAX = 100; /* tracks that are summed up; others are not asked for */

/**
 * Returns the tracks with something on them below a folded node, as many as are summed up.
 * @param {Node} node
 * @param {Node[]} [found]
 * @returns {Node[]}
 */
export function tracksWithin(node, found = []) {
    for (const child of node.children) {
        if (found.length === TRACKS_MAX) break;
        if (child.hasContent && child.counter === undefined && child.track >= 0) found.push(child);
        tracksWithin(child, found);
    }
    return found;
}

export class Sums {
    /** @param {import('./timeline.js').Timeline} timeline */
    constructor(timeline) {
        this.timeline = timeline;
        this.busy = new Float32Array(0); /* by column of the picture */
        this.moments = new Float32Array(0);
    }

    /**
     * Draws the sum of some tracks. Its height is that of the highest column in sight.
     * @param {Found[]} tracks
     * @param {number} top
     * @param {number} height
     */
    draw(tracks, top, height) {
        const {palette, boxes, width} = this.timeline;
        const count = Math.ceil(width);
        if (this.busy.length !== count) {
            this.busy = new Float32Array(count);
            this.moments = new Float32Array(count);
        }
        this.busy.fill(0);
        this.moments.fill(0);
        for (const found of tracks) this.add(found);
        const hasBusy = this.busy.some((value) => value !== 0);
        const values = hasBusy ? this.busy : this.moments;
        const most = values.reduce((a, b) => Math.max(a, b), hasBusy ? 1 : 0);
        const fill = palette.faint(palette.accent, 55);
        for (let x = 0; x < count; x++) {
            if (values[x] === 0) continue;
            const size = Math.max(1, Math.round(Math.min(1, values[x] / most) * height));
            boxes.add(fill, x, x + 1, top + height - size, size);
        }
        boxes.flush();
    }

    /** @param {Found} found */
    add({rows, stretch}) {
        const {view, width} = this.timeline;
        const scale = width / view.length, shift = Number(stretch.begin - view.begin);
        for (const row of rows) {
            if (row.row === 'marks') this.addMoments(row, scale, shift);
            else if ((row.row === 'spans' || row.row === 'runs') && row.index === 0) this.addSpans(row, scale, shift, stretch.pixel);
        }
    }

    /**
     * @param {import('./api.js').Row} row
     * @param {number} scale
     * @param {number} shift
     * @param {number} pixel
     */
    addSpans(row, scale, shift, pixel) {
        const {begin, count, busy} = row, dur = row.dur ?? [];
        for (let i = 0; i < begin.length; i++) {
            const length = count[i] > 1 ? Math.max(dur[i], pixel) : dur[i];
            const from = Math.max(0, (begin[i] + shift) * scale), to = Math.min(this.busy.length, (begin[i] + shift + length) * scale);
            const share = count[i] > 1 ? Math.min(1, (busy?.[i] ?? 0) / length) : 1;
            for (let x = Math.floor(from); x < to; x++)
                this.busy[x] += share * (Math.min(to, x + 1) - Math.max(from, x));
        }
    }

    /**
     * @param {import('./api.js').Row} row
     * @param {number} scale
     * @param {number} shift
     */
    addMoments(row, scale, shift) {
        for (let i = 0; i < row.begin.length; i++) {
            const x = Math.floor((row.begin[i] + shift) * scale);
            if (x >= 0 && x < this.moments.length) this.moments[x] += row.count[i];
        }
    }
}
