// SPDX-License-Identifier: Apache-2.0
// Where answers come from: the server, or the files of an exported folder.

/**
 * @typedef {{number: number, path: string, format: string, title: string, version: string,
 *     size?: number, numbered: boolean}} TraceInfo numbered: functions have numbers instead of names
 * @typedef {{track: number, title: string, kind?: string, parent?: number, source?: number,
 *     number?: string, events: number, spans: number, busy: number, depth: number, async: number,
 *     has: number}} TrackInfo
 * @typedef {{traces: TraceInfo[], clock: import('./time.js').Clock, wall?: string,
 *     complete: boolean, pictured: boolean, sql: boolean, read: number, total: number, error?: string, begin?: string, end?: string,
 *     events: number, insns: number, lost: number, missing: number, skipped: number, errors: number,
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
/** @type {Promise<Map<string, [number, number, number][]>> | undefined} */
let stillCrossings;

/**
 * The spans that the edges of tiles cut, by track and depth: begin since the begin of the trace, length and
 * how they end, sorted by begin.
 */
async function loadCrossings() {
    /** @type {Map<string, [number, number, number][]>} */
    const found = new Map();
    /** @type {{spans: number[]}} */
    const {spans} = await loadData('crossings');
    for (let i = 0; i + 4 < spans.length; i += 5) {
        const key = `${spans[i]}:${spans[i + 1]}`;
        const list = found.get(key) ?? [];
        if (list.length === 0) found.set(key, list);
        list.push([spans[i + 2], spans[i + 3], spans[i + 4]]);
    }
    return found;
}

/**
 * Joins the rows of tiles that follow each other: what an edge cuts becomes one entry with its true begin
 * and length.
 * @param {Picture[]} pictures in the order of time
 * @param {bigint} origin begin of the trace
 * @param {Map<string, [number, number, number][]>} crossings
 * @returns {Picture}
 */
export function joinPictures(pictures, origin, crossings) {
    const first = pictures[0];
    const zero = BigInt(first.begin);
    /** @type {Map<string, Row>} */
    const rows = new Map();
    /** @type {Picture['arrows']} */
    const arrows = [];
    for (const picture of pictures) {
        const shift = Number(BigInt(picture.begin) - zero), width = Number(BigInt(picture.end) - BigInt(picture.begin));
        for (const [begin, end, from, to, name] of picture.arrows)
            arrows.push([begin + shift, end + shift, from, to, name]);
        for (const row of picture.rows) {
            const key = `${row.row}:${row.track}:${row.index}`;
            const into = rows.get(key) ?? {track: row.track, row: row.row, index: row.index, begin: [], count: []};
            rows.set(key, into);
            const list = row.row === 'spans' ? crossings.get(`${row.track}:${row.index}`) : undefined;
            for (let i = 0; i < row.begin.length; i++) {
                const begin = row.begin[i], dur = row.dur?.[i] ?? 0;
                const isCut = row.dur !== undefined && row.count[i] === 1 && (begin <= 0 || begin + dur >= width);
                const whole = isCut && list !== undefined
                    ? crossingAt(list, Number(BigInt(picture.begin) - origin) + begin + Math.floor(dur / 2)) : undefined;
                const at = whole === undefined ? begin + shift : whole[0] - Number(zero - origin);
                const last = into.begin.length - 1;
                if (isCut && last >= 0 && isSame(into, last, row, i, at, whole !== undefined)) {
                    if (into.dur !== undefined) into.dur[last] = Math.max(into.dur[last], begin + shift + dur - into.begin[last]);
                    continue;
                }
                append(into, row, i);
                into.begin[last + 1] = at;
                if (whole !== undefined) {
                    /** @type {number[]} */ (into.dur)[last + 1] = whole[1];
                    if (into.busy !== undefined) into.busy[last + 1] = whole[1];
                    (into.data ??= new Array(last + 2).fill(0))[last + 1] = whole[2];
                }
            }
        }
    }
    return {...first, end: pictures[pictures.length - 1].end, rows: [...rows.values()], arrows,
        summary: pictures.some((one) => one.summary), names: Object.assign({}, ...pictures.map((one) => one.names)),
        leftOut: pictures.reduce((sum, one) => sum + one.leftOut, 0),
        arrowsLeftOut: pictures.reduce((sum, one) => sum + one.arrowsLeftOut, 0),
        tooDeep: pictures.reduce((sum, one) => sum + one.tooDeep, 0)};
}

/**
 * @param {[number, number, number][]} list
 * @param {number} at
 */
function crossingAt(list, at) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle][0] <= at) low = middle + 1;
        else high = middle;
    }
    return low !== 0 && at < list[low - 1][0] + list[low - 1][1] ? list[low - 1] : undefined;
}

/**
 * Returns whether an entry of a row goes on in an entry of the next tile: it is the same span, or the
 * same record began both.
 * @param {Row} into
 * @param {number} last
 * @param {Row} row
 * @param {number} i
 * @param {number} at begin of the entry
 * @param {boolean} isWhole the entry is known as a whole
 */
function isSame(into, last, row, i, at, isWhole) {
    if (into.count[last] !== 1 || (into.name?.[last] ?? 0) !== (row.name?.[i] ?? 0)) return false;
    if (isWhole) return into.begin[last] === at;
    return row.row !== 'spans' && row.begin[i] <= 0 && (row.offset?.[i] ?? 0) !== 0 &&
        (into.offset?.[last] ?? 0) === row.offset?.[i] && (into.data?.[last] ?? 0) === (row.data?.[i] ?? 0);
}

/** @type {('dur' | 'name' | 'count' | 'busy' | 'offset' | 'data' | 'min' | 'max' | 'last')[]} */
const columns = ['dur', 'name', 'count', 'busy', 'offset', 'data', 'min', 'max', 'last'];

/**
 * Appends an entry to a row; a column that one of the rows leaves out is zero there.
 * @param {Row} into
 * @param {Row} row
 * @param {number} i
 */
function append(into, row, i) {
    const count = into.begin.length;
    into.begin.push(row.begin[i]);
    for (const key of columns) {
        if (into[key] === undefined && row[key] === undefined) continue;
        const column = into[key] ??= new Array(count).fill(0);
        column.push(row[key]?.[i] ?? 0);
    }
}
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
    if (wanted.length === 0) return [];
    const pictures = await Promise.all(wanted.map((key) => {
        let picture = loaded.get(key);
        if (picture === undefined) {
            picture = loadData(key);
            if (loaded.size > 64) loaded.delete(/** @type {string} */ (loaded.keys().next().value));
            loaded.set(key, picture);
        }
        return picture;
    }));
    stillCrossings ??= loadCrossings();
    return [joinPictures(pictures, origin, await stillCrossings)];
}
