// SPDX-License-Identifier: Apache-2.0
// Drawing a value over time on a canvas.

import {NONE, numberText} from './draw.js';

/**
 * @typedef {import('./api.js').Row} Row
 * @typedef {import('./draw.js').Placed} Placed
 */

const COLUMN = 6; /* numbers of a column */

export class Plot {
    /** @param {import('./draw.js').Drawing} drawing */
    constructor(drawing) {
        this.drawing = drawing;
        /** @type {number[]} columns of a pixel or more, one after the other: begin, end, and heights of the
         *      least, the greatest and the last value; whether there are several */
        this.columns = [];
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
    draw(top, height, row, placed, title, endX) {
        const min = row.min ?? NONE, max = row.max ?? NONE;
        let low = Infinity, high = -Infinity;
        for (let i = placed.first; i < row.begin.length && row.begin[i] <= placed.to; i++) {
            low = Math.min(low, min[i]);
            high = Math.max(high, max[i]);
        }
        if (low > high) return;
        if (low > 0) low = 0;
        if (high < 0) high = 0;
        if (high === low) high = low + 1;
        const factor = (height - 4) / (high - low);
        this.takeColumns(row, placed, factor, top + height - 2 + low * factor, endX);
        const fill = this.drawing.palette.fill(title);
        this.drawing.context.fillStyle = this.drawing.palette.faint(fill, 55);
        this.fillBelow(this.drawing.snap(top + height - 2 + low * factor));
        this.drawing.context.fillStyle = fill;
        this.fillSpread(Math.max(1, placed.pixel * placed.scale));
        this.drawing.context.strokeStyle = this.drawing.palette.accent;
        this.strokeLast();
        this.scaleLabel(numberText(high), top + 7);
        this.scaleLabel(numberText(low), top + height - 7);
    }

    /**
     * Joins the values that begin at the same pixel to columns.
     * @param {Row} row
     * @param {Placed} placed
     * @param {number} factor pixels for a step of 1
     * @param {number} zero height of the value 0
     * @param {number} endX
     */
    takeColumns(row, placed, factor, zero, endX) {
        const {scale, shift, first, to} = placed;
        const {begin, count} = row, min = row.min ?? NONE, max = row.max ?? NONE, last = row.last ?? NONE;
        const {columns} = this;
        columns.length = 0;
        let x = -Infinity;
        for (let i = first; i < begin.length && begin[i] <= to; i++) {
            const from = Math.max(-10, this.drawing.snap((begin[i] + shift) * scale));
            const end = i + 1 < begin.length ? this.drawing.snap((begin[i + 1] + shift) * scale) : Math.max(from, Math.min(endX, this.drawing.width));
            const least = this.drawing.snap(zero - min[i] * factor), greatest = this.drawing.snap(zero - max[i] * factor);
            if (count[i] > 1) this.drawing.isDense = true;
            if (from === x) {
                const at = columns.length - COLUMN;
                columns[at + 1] = end;
                columns[at + 2] = Math.max(columns[at + 2], least);
                columns[at + 3] = Math.min(columns[at + 3], greatest);
                columns[at + 4] = this.drawing.snap(zero - last[i] * factor);
                columns[at + 5] = 1;
            } else {
                columns.push(from, end, least, greatest, this.drawing.snap(zero - last[i] * factor), count[i] > 1 ? 1 : 0);
                x = from;
            }
        }
    }

    /**
     * Fills what is below the last values.
     * @param {number} zero
     */
    fillBelow(zero) {
        const {columns} = this, c = this.drawing.context;
        let was = zero;
        c.beginPath();
        c.moveTo(columns[0], zero);
        for (let at = 0; at < columns.length; at += COLUMN) {
            const is = columns[at + 4];
            if (is === was) continue;
            c.lineTo(columns[at], was);
            c.lineTo(columns[at], is);
            was = is;
        }
        c.lineTo(columns[columns.length - COLUMN + 1], was);
        c.lineTo(columns[columns.length - COLUMN + 1], zero);
        c.fill();
    }

    /**
     * Fills from the least to the greatest value where a pixel has several.
     * @param {number} width of a pixel that the row was made for
     */
    fillSpread(width) {
        const {columns} = this, {context} = this.drawing;
        for (let at = 0; at < columns.length; at += COLUMN)
            if (columns[at + 5] !== 0) context.fillRect(columns[at], columns[at + 3], width, Math.max(1, columns[at + 2] - columns[at + 3]));
    }

    /** Draws a line along the last values. */
    strokeLast() {
        const {columns} = this, c = this.drawing.context;
        let was = columns[4] + 0.5;
        c.beginPath();
        c.moveTo(columns[0], was);
        for (let at = COLUMN; at < columns.length; at += COLUMN) {
            const is = columns[at + 4] + 0.5;
            if (is === was) continue;
            if (columns[at + 5] === 0) c.lineTo(columns[at], was);
            c.lineTo(columns[at], is);
            was = is;
        }
        c.lineTo(columns[columns.length - COLUMN + 1], was);
        c.stroke();
    }

    /**
     * @param {string} text
     * @param {number} y
     */
    scaleLabel(text, y) {
        const c = this.drawing.context;
        c.globalAlpha = 0.75;
        c.fillStyle = this.drawing.palette.back;
        c.fillRect(1, y - 6, this.drawing.texts.width(text) + 4, 12);
        c.globalAlpha = 1;
        c.fillStyle = this.drawing.palette.text2;
        c.fillText(text, 3, y);
    }
}
