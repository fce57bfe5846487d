// SPDX-License-Identifier: Apache-2.0
// Keeps what the server gave to draw, as stretches of time whose length is a power of two, by track.

import {ask, isStill, rangesText, stillPictures} from './api.js';

/**
 * Pixels of a tile. A view is wider than one tile and at most as wide as two, so it takes two or three
 * tiles.
 */
const TILE_PIXELS = 1024;
const STRETCHES_MAX = 16;
const NUMBERS_MAX = 1e6; /* numbers that are kept in all, of 4 or 8 bytes each */

/**
 * @typedef {{rows: import('./api.js').Row[], size: number}} Kept rows of a track, and how many numbers
 *     these have
 * @typedef {{begin: bigint, end: bigint, pixel: number, key: string,
 *     tracks: Map<number, Kept>,
 *     arrows: Map<string, [number, number, number, number, number]>, leftOut: number,
 *     arrowsLeftOut: number, isSummary: boolean,
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
        /** @type {Stretch[]} the stretches that can be shown in the view, the best one first */
        this.ranked = [];
        this.size = 0; /* numbers that are kept */
        /** @type {number[]} tracks that are in use */
        this.tracks = [];
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

    /** Forgets everything, as other answers are wanted now. */
    clear() {
        this.stretches.clear();
        this.ranked = [];
        this.size = 0;
    }

    /** @param {Stretch} stretch */
    forget(stretch) {
        this.stretches.delete(stretch.key);
        for (const kept of stretch.tracks.values()) this.size -= kept.size;
    }

    /**
     * Asks for what is not there yet, after a short delay because the view changes often. What is in sight
     * comes first, and then what is near.
     * @param {() => {view: {begin: bigint, length: number}, tracks: number[], near: number[]}} inSight
     */
    want(inSight) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const {view, tracks, near} = inSight();
            this.tracks = near;
            const at = this.stretchFor(view.begin, view.length);
            const missing = isStill ? [] : this.missing(at.key, tracks); /* files have all tracks at once */
            this.get(at, missing.length !== 0 ? missing : this.missing(at.key, near));
        }, 40);
    }

    /**
     * Returns those of some tracks whose rows are not known for a stretch, or have become more.
     * @param {string} key
     * @param {number[]} tracks
     */
    missing(key, tracks) {
        const stretch = this.stretches.get(key);
        return stretch === undefined || stretch.generation !== this.generation ? tracks
            : tracks.filter((track) => !stretch.tracks.has(track));
    }

    /**
     * @param {{from: bigint, to: bigint, width: number, key: string}} at
     * @param {number[]} missing
     */
    async get(at, missing) {
        const stretch = this.stretches.get(at.key);
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
            if (stretch !== undefined) this.forget(stretch);
            stretch = {begin: at.from, end: at.to, pixel: 1, key: at.key, tracks: new Map(),
                arrows: new Map(), leftOut: 0, arrowsLeftOut: 0, isSummary: false, generation};
            this.stretches.set(at.key, stretch);
        }
        for (const track of asked) {
            this.size -= stretch.tracks.get(track)?.size ?? 0;
            stretch.tracks.set(track, {rows: [], size: 0});
        }
        for (const picture of pictures) {
            const shift = Number(BigInt(picture.begin) - at.from);
            Object.assign(this.names, picture.names);
            stretch.pixel = picture.pixel;
            if (picture.summary) stretch.isSummary = true;
            stretch.leftOut += picture.leftOut;
            /* Answers about other tracks leave out some of the same arrows. */
            stretch.arrowsLeftOut = Math.max(stretch.arrowsLeftOut, picture.arrowsLeftOut);
            for (const row of picture.rows) {
                const kept = stretch.tracks.get(row.track);
                if (kept === undefined) continue;
                kept.rows.push(shift !== 0 ? {...row, begin: row.begin.map((begin) => begin + shift)} : row);
                const size = sizeOf(row);
                kept.size += size;
                this.size += size;
            }
            for (const arrow of picture.arrows) {
                const [begin, end, from, to, name] = arrow;
                stretch.arrows.set(arrow.join(), [begin + shift, end + shift, from, to, name]);
            }
        }
        this.makeRoom(stretch);
        this.changed();
    }

    /**
     * Forgets what was used longest ago if there is too much.
     * @param {Stretch} stretch in use
     */
    makeRoom(stretch) {
        for (const old of [...this.stretches.values()]) {
            if (this.stretches.size <= STRETCHES_MAX && this.size <= NUMBERS_MAX) return;
            if (old !== stretch) this.forget(old);
        }
        const used = new Set(this.tracks);
        for (const [track, kept] of [...stretch.tracks]) {
            if (this.size <= NUMBERS_MAX) return;
            if (used.has(track)) continue;
            stretch.tracks.delete(track);
            this.size -= kept.size;
        }
    }

    /**
     * Finds out which stretches can be shown in a view: the right one, and others to show until it has
     * come.
     * @param {string} key of the stretch that fits
     * @param {bigint} begin
     * @param {bigint} end
     */
    rank(key, begin, end) {
        /** @type {Map<Stretch, number>} */
        const scores = new Map();
        for (const stretch of this.stretches.values()) {
            if (stretch.begin >= end || stretch.end <= begin) continue;
            const from = stretch.begin > begin ? stretch.begin : begin;
            const to = stretch.end < end ? stretch.end : end;
            scores.set(stretch, stretch.key === key ? 2 : Number(to - from) / Number(end - begin) - stretch.pixel * 1e-15);
        }
        this.ranked = [...scores.keys()].sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
    }

    /**
     * Returns the rows of a track for the view that stretches were ranked for last.
     * @param {number} track
     * @returns {{rows: import('./api.js').Row[], stretch: Stretch} | undefined}
     */
    rowsOf(track) {
        for (const stretch of this.ranked) {
            const kept = stretch.tracks.get(track);
            if (kept !== undefined) return {rows: kept.rows, stretch};
        }
        return undefined;
    }
}

/**
 * How many numbers a row has.
 * @param {import('./api.js').Row} row
 */
function sizeOf(row) {
    let size = 0;
    for (const column of Object.values(row)) if (Array.isArray(column)) size += column.length;
    return size;
}

/**
 * @param {bigint} a
 * @param {bigint} b above 0
 */
export function floorDivide(a, b) {
    const quotient = a / b;
    return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}
