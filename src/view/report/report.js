// SPDX-License-Identifier: Apache-2.0
// The script of the page of 'stele report', which has its tables and charts already. The script sorts
// tables, draws flame graphs, and tells what the pointer is on. It needs no server: the data are in the
// page.

import {FlameGraph} from '../page/flame.js';
import {button, make} from '../page/dom.js';
import {isDark} from '../page/colors.js';
import {countText, lengthText, momentText} from '../page/time.js';

/**
 * @typedef {import('../page/flame.js').FlameData} FlameData
 * @typedef {{title: string, busy: number[], names: number[], counts: number[]}} Track of each
 *     bin: percentage of time spent, number of the name (0: none), number of events
 * @typedef {{clock: import('../page/time.js').Clock, begin: string, length: string, bins: number,
 *     tracks: Track[], texts: Record<string, string>, flame: Omit<FlameData, 'names'> | null}} Trace
 * @typedef {{name: string, before: {self_ns: number}, after: {self_ns: number}}} Change
 * @typedef {{traces: Trace[], changes?: Change[]}} Report
 */

/** @type {Report} */
const report = JSON.parse(document.getElementById('report-data')?.textContent ?? '{}');

/* ---- Sorting and opening tables ---- */

/** @param {HTMLTableCellElement} cell */
function valueOf(cell) {
    const value = cell.dataset.v;
    return value !== undefined ? Number(value) : (cell.textContent ?? '');
}

const ROWS = 25; /* rows of a table that are shown at first */

/**
 * Hides all but the first rows of a table, in whatever order they are, unless the table was opened.
 * @param {HTMLTableElement} table
 */
function limit(table) {
    const isOpen = table.dataset.open !== undefined;
    for (const [index, row] of [...table.tBodies[0].rows].entries())
        row.classList.toggle('rest', !isOpen && index >= ROWS);
}

/**
 * Sorts a table by a column; if it is sorted by that column already, the other way round.
 * @param {HTMLTableElement} table
 * @param {number} index
 */
function sort(table, index) {
    const heads = [...table.querySelectorAll('thead th')];
    const body = table.tBodies[0];
    const isNumber = heads[index].classList.contains('n');
    const was = heads[index].getAttribute('aria-sort');
    const isFalling = was === null ? isNumber : was === 'ascending';
    const rows = [...body.rows].map((row) => ({row, value: valueOf(row.cells[index])}));
    rows.sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) * (isFalling ? -1 : 1));
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[index].setAttribute('aria-sort', isFalling ? 'descending' : 'ascending');
    body.append(...rows.map((row) => row.row));
    limit(table);
}

for (const table of /** @type {NodeListOf<HTMLTableElement>} */ (document.querySelectorAll('table.sorts'))) {
    const count = table.tBodies[0].rows.length;
    if (count > ROWS + 5) {
        const more = button(`Show all ${countText(count)} rows`, () => {
            if (table.dataset.open === undefined) table.dataset.open = '';
            else delete table.dataset.open;
            more.textContent = table.dataset.open === undefined ? `Show all ${countText(count)} rows` : 'Show fewer';
            limit(table);
        });
        limit(table);
        table.after(more);
    }
    for (const [index, head] of [...table.querySelectorAll('thead th')].entries())
        head.replaceChildren(make('button', {type: 'button', title: 'Sort by this', click: () => sort(table, index)},
            head.textContent ?? ''));
}

/* ---- Drawing flame graphs ---- */

/** Returns the ratio of own time after to own time before, by name. */
function tones() {
    /** @type {Map<string, number>} */
    const ratios = new Map();
    for (const change of report.changes ?? [])
        ratios.set(change.name, (change.after.self_ns + 1) / (change.before.self_ns + 1));
    return ratios;
}

/** @type {FlameGraph[]} */
const flames = [];
for (const [index, trace] of (report.traces ?? []).entries()) {
    const place = document.getElementById(`flame-${index}`);
    if (place === null || trace.flame === null) continue;
    const isAfter = report.changes !== undefined && index === 1;
    const graph = new FlameGraph({...trace.flame, names: trace.texts}, {length: (value) => lengthText(value, trace.clock),
        ...(isAfter ? {tones: tones()} : {})});
    place.replaceChildren(graph.element);
    flames.push(graph);
    graph.draw();
}

/* ---- Telling what the pointer is on ---- */

const tip = make('div', {id: 'tip', role: 'tooltip', hidden: true});
document.body.append(tip);

/**
 * @param {Trace} trace
 * @param {Track} track
 * @param {number} bin
 */
function about(trace, track, bin) {
    const since = BigInt(trace.length) * BigInt(bin) / BigInt(trace.bins);
    const lines = [track.title, `from ${momentText(since, trace.clock)} on`];
    if (track.busy[bin] > 0) lines.push(`busy for ${track.busy[bin]} %`);
    if (track.counts[bin] > 0) lines.push(`${countText(track.counts[bin])} events`);
    if (track.names[bin] !== 0) lines.push(`most of it: ${trace.texts[track.names[bin]] ?? ''}`);
    return lines.join('\n');
}

document.addEventListener('pointermove', (event) => {
    const chart = event.target instanceof Element ? event.target.closest('svg[data-track]') : null;
    tip.hidden = chart === null;
    if (!(chart instanceof SVGElement)) return;
    const [of, number] = (chart.dataset.track ?? '').split('.').map(Number);
    const trace = report.traces[of], track = trace.tracks[number];
    const box = chart.getBoundingClientRect();
    const bin = Math.floor((event.clientX - box.left) / box.width * trace.bins);
    if (track === undefined || bin < 0 || bin >= trace.bins) return;
    tip.textContent = about(trace, track, bin);
    tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)) + 'px';
    tip.style.top = Math.max(4, box.top > 90 ? box.top - tip.offsetHeight - 4 : box.bottom + 4) + 'px';
});

/* ---- Themes: light, dark and paper ---- */

/** @param {string | undefined} theme */
function setTheme(theme) {
    if (theme === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const graph of flames) graph.draw();
}

document.getElementById('tools')?.append(
    button('Light or dark', () => setTheme(isDark() ? 'light' : 'dark')),
    button('Print', () => print()));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(document.documentElement.dataset.theme));

/** @type {string | undefined} */
let shown;
addEventListener('beforeprint', () => {
    shown = document.documentElement.dataset.theme;
    setTheme('light');
});
addEventListener('afterprint', () => setTheme(shown));
