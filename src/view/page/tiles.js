// SPDX-License-Identifier: Apache-2.0
// Keeps what the server gave to draw, as stretches of time whose length is a power of two, by track.

import {ask, isStill, rangesText, stillPictures} from './api.js';

/**
 * Pixels of a tile. A view is wider than one tile and at most as wide as two, so it takes two or three
 * tiles.
 */
const TILE_PIXELS = 1024;
const STRETCHES_MAX = 16;

/**
 * @typedef {{begin: bigint, end: bigint, pixel: number, key: string,
 *     tracks: Map<number, import('./api.js').Row[]>,
 *     arrows: Map<string, [number, number, number, number, number]>, leftOut: number,
 *     isSummary: boolean,
 *     generation: number}} Stretch
 */

export class Tiles {
    /**
     * @param {() => void} changed is called when something new can be drawn
     * @param {(why: string) => void} failed
     */
    constructor(changed, failed) {
        this.changed = changed;
        this.failed = failed;
        this.origin = 0n;
        this.where = '';
        /** @type {(track: number) => bigint} how much later than recorded a track is shown */
        this.shiftOf = () => 0n;
        /** @type {Map<string, Stretch>} the stretches by key; the one used last is at the end */
        this.stretches = new Map();
        /** @type {Record<string, string>} */
        this.names = {};
        /** @type {AbortController | undefined} */
        this.pending = undefined;
        this.pendingKey = '';
        this.timer = 0;
        this.later = 0;
        this.isGrowing = false; /* the trace is still being read, so there is more of it all the time */
        this.generation = 0; /* counts up whenever more of the trace is known */
        this.failedKey = ''; /* what could not be given, and is not asked for again at once */
        this.failedAt = 0;
    }

    /** Tells that there is more of the trace now. What is there is shown until new answers have come. */
    outdate() {
        this.generation++;
    }

    /**
     * Returns the stretch that has what is between two moments.
     * @param {bigint} begin
     * @param {number} length
     */
    stretchFor(begin, length) {
        const width = 2n ** BigInt(Math.max(4, Math.ceil(Math.log2(Math.max(length, 1))) - 1));
        const end = begin + BigInt(Math.ceil(length));
        const first = floorDivide(begin - this.origin, width);
        const last = floorDivide(end - this.origin, width);
        const from = this.origin + first * width, to = this.origin + (last + 1n) * width;
        return {from, to, width: Number(last - first + 1n) * TILE_PIXELS, key: `${from}+${to - from}`};
    }

    /**
     * Asks for what is not there yet, after a short delay because the view changes often.
     * @param {bigint} begin
     * @param {number} length
     * @param {number[]} tracks
     */
    want(begin, length, tracks) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.get(begin, length, tracks), 40);
    }

    /**
     * @param {bigint} begin
     * @param {number} length
     * @param {number[]} tracks
     */
    async get(begin, length, tracks) {
        const at = this.stretchFor(begin, length);
        const stretch = this.stretches.get(at.key);
        const missing = stretch === undefined || stretch.generation !== this.generation ? tracks
            : tracks.filter((track) => !stretch.tracks.has(track));
        const key = at.key + ':' + rangesText(missing);
        if (stretch !== undefined) {
            this.stretches.delete(at.key);
            this.stretches.set(at.key, stretch);
        }
        if (missing.length === 0 || key === this.pendingKey) return;
        if (key === this.failedKey && Date.now() - this.failedAt < 5000) return;
        /* While the trace is being read, each view is new: the question already asked is answered first. */
        if (this.pending !== undefined && this.isGrowing) return;
        this.pending?.abort();
        const generation = this.generation;
        const control = new AbortController();
        this.pending = control;
        this.pendingKey = key;
        try {
            const pictures = isStill
                ? await stillPictures(this.origin, at.from, at.to, Number(at.to - at.from) / 2)
                : await this.ask(at, missing, control.signal);
            if (!control.signal.aborted) this.take(at, missing, pictures, generation);
            /* The overview of what the filter selects is still being made: it is asked for again. */
            if (pictures.some((picture) => picture.whole === false) && !this.isGrowing) {
                clearTimeout(this.later);
                this.later = setTimeout(() => { this.outdate(); this.changed(); }, 400);
            }
        } catch (error) {
            if (!control.signal.aborted) {
                this.failedKey = key;
                this.failedAt = Date.now();
                this.failed(String(/** @type {Error} */ (error).message));
            }
        }
        if (this.pending === control) {
            this.pending = undefined;
            this.pendingKey = '';
        }
    }

    /**
     * Asks for a stretch of tracks; traces that are shifted against each other are asked for each at
     * its own time.
     * @param {{from: bigint, to: bigint, width: number}} at
     * @param {number[]} tracks
     * @param {AbortSignal} signal
     * @returns {Promise<import('./api.js').Picture[]>}
     */
    async ask(at, tracks, signal) {
        /** @type {Map<bigint, number[]>} */
        const groups = new Map();
        for (const track of tracks) {
            const shift = this.shiftOf(track);
            groups.set(shift, [...groups.get(shift) ?? [], track]);
        }
        return Promise.all([...groups].map(async ([shift, group]) => {
            const picture = await ask('window', {begin: at.from - shift, end: at.to - shift, width: at.width,
                tracks: rangesText(group), where: this.where}, signal);
            picture.begin = String(BigInt(picture.begin) + shift);
            return picture;
        }));
    }

    /**
     * @param {{from: bigint, to: bigint, key: string}} at
     * @param {number[]} asked
     * @param {import('./api.js').Picture[]} pictures
     * @param {number} generation value of this.generation when the question was asked
     */
    take(at, asked, pictures, generation) {
        let stretch = this.stretches.get(at.key);
        if (stretch === undefined || stretch.generation !== generation) {
            this.stretches.delete(at.key);
            stretch = {begin: at.from, end: at.to, pixel: 1, key: at.key, tracks: new Map(),
                arrows: new Map(), leftOut: 0, isSummary: false, generation};
            this.stretches.set(at.key, stretch);
        }
        for (const track of asked) stretch.tracks.set(track, []);
        for (const picture of pictures) {
            const shift = Number(BigInt(picture.begin) - at.from);
            Object.assign(this.names, picture.names);
            stretch.pixel = picture.pixel;
            if (picture.summary) stretch.isSummary = true;
            stretch.leftOut += picture.leftOut + picture.arrowsLeftOut;
            for (const row of picture.rows) {
                const rows = stretch.tracks.get(row.track);
                if (rows === undefined) continue;
                rows.push(shift !== 0 ? {...row, begin: row.begin.map((begin) => begin + shift)} : row);
            }
            for (const arrow of picture.arrows) {
                const [begin, end, from, to, name] = arrow;
                stretch.arrows.set(arrow.join(), [begin + shift, end + shift, from, to, name]);
            }
        }
        while (this.stretches.size > STRETCHES_MAX)
            this.stretches.delete(/** @type {string} */ (this.stretches.keys().next().value));
        this.changed();
    }

    /**
     * Returns the rows of a track for a view: those of the right stretch, or others to show until these
     * have come.
     * @param {number} track
     * @param {string} key of the stretch that fits
     * @param {bigint} begin
     * @param {bigint} end
     * @returns {{rows: import('./api.js').Row[], stretch: Stretch, isRight: boolean} | undefined}
     */
    rowsOf(track, key, begin, end) {
        const right = this.stretches.get(key);
        const rows = right?.tracks.get(track);
        if (right !== undefined && rows !== undefined) return {rows, stretch: right, isRight: true};
        let best, bestScore = -1;
        for (const stretch of this.stretches.values()) {
            const found = stretch.tracks.get(track);
            if (found === undefined || stretch.begin >= end || stretch.end <= begin) continue;
            const from = stretch.begin > begin ? stretch.begin : begin;
            const to = stretch.end < end ? stretch.end : end;
            const score = Number(to - from) / Number(end - begin) - stretch.pixel * 1e-15;
            if (score >= bestScore) {
                best = {rows: found, stretch, isRight: false};
                bestScore = score;
            }
        }
        return best;
    }
}

/**
 * @param {bigint} a
 * @param {bigint} b above 0
 */
export function floorDivide(a, b) {
    const quotient = a / b;
    return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}
