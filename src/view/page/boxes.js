// SPDX-License-Identifier: Apache-2.0
// Boxes on a canvas, drawn by as few calls as can be: neighbours that look the same become one box.

export class Boxes {
    /** @param {CanvasRenderingContext2D} context */
    constructor(context) {
        this.context = context;
        this.fill = ''; /* the colour of the box that is not drawn yet; '': there is none */
        this.left = 0;
        this.right = 0;
        this.top = 0;
        this.height = 0;
    }

    /**
     * Adds a box. What was added before is drawn now, unless both are one box.
     * @param {string} fill
     * @param {number} left
     * @param {number} right
     * @param {number} top
     * @param {number} height
     */
    add(fill, left, right, top, height) {
        if (fill === this.fill && left >= this.left && left <= this.right && top === this.top && height === this.height) {
            if (right > this.right) this.right = right;
            return;
        }
        this.flush();
        this.fill = fill;
        this.left = left;
        this.right = right;
        this.top = top;
        this.height = height;
    }

    /** Draws what is not drawn yet. */
    flush() {
        if (this.fill === '') return;
        this.context.fillStyle = this.fill;
        this.context.fillRect(this.left, this.top, this.right - this.left, this.height);
        this.fill = '';
    }
}
