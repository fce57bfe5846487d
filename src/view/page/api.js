// SPDX-License-Identifier: Apache-2.0
// Where answers come from: the server, or the files of an exported folder.

/**
 * @typedef {{number: number, path: string, format: string, title: string, version: string,
 *     size?: number}} TraceInfo
 * @typedef {{track: number, title: string, kind?: string, parent?: number, source?: number,
 *     number?: string, events: number, spans: number, busy: number, depth: number, async: number,
 *     has: number}} TrackInfo
 * @typedef {{traces: TraceInfo[], clock: import('./time.js').Clock, wall?: string,
 *     complete: boolean, pictured: boolean, sql: boolean, read: number, total: number, error?: string, begin?: string, end?: string,
 *     events: number, lost: number, missing: number, skipped: number, errors: number,
 *     warnings: number, findings: string[], findingsLeftOut: number,
 *     activity: {begin: string, width: number, bins: number[], lossy: number[]},
 *     tracks: TrackInfo[], counters: [number, number, number][], moreCounters: boolean,
 *     kinds: string[],
 *     names: Record<string, string>}} Info
 * @typedef {{track: number, row: string, index: number, begin: number[], dur?: number[],
 *     name?: number[], count: number[], busy?: number[], offset?: number[], data?: number[],
 *     min?: number[], max?: number[], last?: number[]}} Row
 * @typedef {{begin: string, end: string, pixel: number, summary: boolean, whole?: boolean, rows: Row[],
 *     arrows: [number, number, number, number, number][], leftOut: number, dense: number,
 *     arrowsLeftOut: number, tooDeep: number, names: Record<string, string>}} Picture
 * @typedef {Record<string, string | number | bigint | undefined>} Parameters
 */

export class AnswerError extends Error {}

/** Whether the page is an exported folder, without a server that answers questions. */
export const isStill =
    document.querySelector('meta[name="stele-mode"]')?.getAttribute('content') === 'still';

/**
 * @param {string} what
 * @param {Parameters} parameters
 */
export function address(what, parameters) {
    const all = new URLSearchParams();
    for (const [key, value] of Object.entries(parameters))
        if (value !== undefined && value !== '') all.set(key, String(value));
    return `api/${what}?${all}`;
}

/**
 * @param {string} url
 * @param {AbortSignal} [signal]
 */
async function load(url, signal) {
    const response = await fetch(url, {signal});
    const type = response.headers.get('Content-Type') ?? '';
    if (!response.ok) {
        let why = `${response.status} ${response.statusText}`;
        if (type.includes('json')) why = (await response.json()).error ?? why;
        throw new AnswerError(why);
    }
    return response.json();
}

/**
 * Numbers of tracks as text, in the form that the server takes: "1-3,7".
 * @param {Iterable<number>} tracks
 */
export function rangesText(tracks) {
    const sorted = [...new Set(tracks)].sort((a, b) => a - b);
    const parts = [];
    for (let i = 0; i < sorted.length;) {
        let end = i;
        while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) end++;
        parts.push(end > i ? `${sorted[i]}-${sorted[end]}` : `${sorted[i]}`);
        i = end + 1;
    }
    return parts.join(',');
}

/**
 * Asks the server, or reads the answer from the exported folder.
 * @param {string} what
 * @param {Parameters} parameters
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function ask(what, parameters, signal) {
    if (isStill) {
        if (['info', 'profile', 'flame', 'states'].includes(what)) return loadData(what);
        throw new AnswerError('This page was exported: only "stele view" itself can answer that.');
    }
    return load(address(what, parameters), signal);
}

/**
 * Functions by the name of the data that they wait for, which scripts give with steleData(name, value).
 *
 * @type {Map<string, (value: any) => void>}
 */
const waiting = new Map();
if (isStill)
    Object.assign(globalThis, {steleData: (/** @type {string} */ name, /** @type {any} */ value) => waiting.get(name)?.(value)});

/**
 * Loads data of the exported folder, or of the page itself. The data are scripts, as a page that was
 * opened from a file may load nothing else.
 * @param {string} name
 * @returns {Promise<any>}
 */
function loadData(name) {
    return new Promise((resolve, reject) => {
        const script = document.createElement('script');
        waiting.set(name, (value) => {
            waiting.delete(name);
            script.remove();
            resolve(value);
        });
        script.addEventListener('error', () => {
            script.remove();
            reject(new AnswerError(`The file data/${name}.js of this page is missing.`));
        });
        script.src = `data/${name}.js`;
        document.head.append(script);
    });
}

/** @type {Promise<{whole: number, tiles: string[]}> | undefined} */
let stillTiles;
/** @type {Map<string, Promise<Picture>>} */
const loaded = new Map();

/**
 * The tiles of an exported folder that show a stretch, as fine as the folder has them.
 * @param {bigint} origin where the first tile begins
 * @param {bigint} begin
 * @param {bigint} end
 * @param {number} length of a tile that is fine enough
 * @returns {Promise<Picture[]>}
 */
export async function stillPictures(origin, begin, end, length) {
    stillTiles ??= loadData('tiles');
    const {whole, tiles} = await stillTiles;
    const known = new Set(tiles);
    /** @type {string[]} */
    const wanted = [];
    /** @type {(level: number, index: number) => void} */
    const look = (level, index) => {
        const width = BigInt(whole) >> BigInt(level);
        const from = origin + BigInt(index) * width;
        const key = `${level}-${index}`;
        if (!known.has(key) || from >= end || from + width <= begin) return;
        const isFinest = !known.has(`${level + 1}-${index * 2}`) &&
            !known.has(`${level + 1}-${index * 2 + 1}`);
        if (Number(width) <= length || isFinest) wanted.push(key);
        else { look(level + 1, index * 2); look(level + 1, index * 2 + 1); }
    };
    look(0, 0);
    return Promise.all(wanted.map((key) => {
        let picture = loaded.get(key);
        if (picture === undefined) {
            picture = loadData(key);
            if (loaded.size > 64) loaded.delete(/** @type {string} */ (loaded.keys().next().value));
            loaded.set(key, picture);
        }
        return picture;
    }));
}
