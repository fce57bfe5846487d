// SPDX-License-Identifier: Apache-2.0
// SQL over the traces: a statement, and its rows with links to what they are about.

import {ask, isStill} from './api.js';
import {DEPTH_ANY} from './details.js';
import {button, csvField, link, make, table} from './dom.js';
import {countText} from './time.js';

/** Examples of statements, with their titles. @type {[string, string][]} */
const examples = [
    ['Slowest spans', 'SELECT ts, dur, name, track, thread FROM slice ORDER BY dur DESC LIMIT 100'],
    ['Time by name', 'SELECT name, count(*) AS n, sum(self_dur) AS self, median(dur) AS p50, quantile_cont(dur, 0.99) AS p99 FROM slice GROUP BY name ORDER BY self DESC'],
    ['Events by kind', 'SELECT kind, count(*) AS n FROM event GROUP BY kind ORDER BY n DESC'],
    ['Latest losses', 'SELECT * FROM lost ORDER BY ts DESC LIMIT 100'],
    ['Tables', "SELECT view_name AS \"table\" FROM duckdb_views() WHERE NOT internal ORDER BY 1"]];

/** @param {import('./main.js').Page} page */
export function sqlSheet(page) {
    if (isStill) return make('p', {class: 'muted'}, 'This page was exported: statements need "stele view" itself.');
    const input = /** @type {HTMLTextAreaElement} */ (make('textarea', {class: 'sql', rows: '3', spellcheck: 'false',
        'aria-label': 'Statement of SQL', placeholder: 'SELECT name, count(*) FROM slice GROUP BY name ORDER BY 2 DESC'}));
    const output = make('div', {'aria-live': 'polite'});
    /** @type {any[]} */
    let rows = [];
    /** @type {AbortController | undefined} */
    let asking;
    const run = async () => {
        asking?.abort();
        const control = asking = new AbortController();
        output.replaceChildren(make('p', {class: 'muted'}, 'Running ...'), button('Stop', () => control.abort()));
        try {
            const answer = await ask('sql', {sql: input.value}, control.signal);
            if (answer.error !== undefined) {
                output.replaceChildren(make('pre', {class: 'error'}, answer.error));
                return;
            }
            rows = answer.rows;
            output.replaceChildren(...result(page, rows, answer.cut));
        } catch (error) {
            const e = /** @type {Error} */ (error);
            const text = e.name === 'AbortError' ? 'Stopped.' : e.message;
            output.replaceChildren(make('p', {class: e.name === 'AbortError' ? 'muted' : 'error'}, text));
        }
    };
    input.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        run();
    });
    const select = /** @type {HTMLSelectElement} */ (make('select', {'aria-label': 'Statements to begin with'},
        make('option', {value: ''}, 'Examples'), ...examples.map(([title, text]) => make('option', {value: text}, title))));
    select.addEventListener('change', () => {
        if (select.value !== '') input.value = select.value;
        select.value = '';
    });
    const copy = button('Copy rows', () => page.copy([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]
        .map((row) => row.map((value) => csvField(valueText(value))).join(',')).join('\r\n'), copy), 'As CSV');
    return make('div', {}, input, make('div', {class: 'actions'}, button('Run', run, 'Ctrl + Enter'), select, copy,
        make('span', {class: 'muted'}, 'Rows with ts and track lead to their place. docs/sql.md names tables and columns.')), output);
}

/** @param {any} value */
function valueText(value) {
    return value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * @param {import('./main.js').Page} page
 * @param {any[]} rows
 * @param {boolean} isCut
 * @returns {Node[]}
 */
function result(page, rows, isCut) {
    if (rows.length === 0) return [make('p', {class: 'muted'}, 'No rows.')];
    const columns = Object.keys(rows[0]).map((key) => {
        const isNumber = rows.some((row) => typeof row[key] === 'number');
        /** @type {import('./dom.js').Column} */
        const column = {title: key, isNumber, value: (row) => (typeof row[key] === 'number' ? row[key] : valueText(row[key])),
            show: (row) => {
                const text = typeof row[key] === 'number' ? row[key].toLocaleString('en') : valueText(row[key]);
                /* With several traces, times are no links: the traces may be shifted against each other. */
                if (key === 'ts' && typeof row.ts === 'number' && page.info?.traces.length === 1)
                    return link(text, () => goToRow(page, row), 'Show it in the picture');
                return key === 'track' && typeof row.track === 'number' ? link(page.trackTitle(row.track), () => page.goToTrack(row.track), 'Show it') : text;
            }};
        return column;
    });
    const text = `${countText(rows.length)} rows` + (isCut ? ': there are more than can be shown' : '') + (rows.length > 1000 ? '; the first 1,000 are listed' : '');
    return [make('p', {class: 'muted'}, text), table(columns, rows.slice(0, 1000), -1)];
}

/**
 * @param {import('./main.js').Page} page
 * @param {any} row
 */
function goToRow(page, row) {
    const begin = BigInt(row.ts) + (typeof row.track === 'number' ? page.shiftOf(row.track) : 0n);
    if (typeof row.track === 'number' && typeof row.dur === 'number') {
        page.bringInSight(begin, begin + BigInt(Math.round(row.dur)));
        page.goToSpan(row.track, typeof row.depth === 'number' ? row.depth : DEPTH_ANY, begin);
    } else {
        if (typeof row.track === 'number') page.goToTrack(row.track);
        page.bringInSight(begin, begin);
        page.selectStretch(begin, begin + 1n, undefined);
    }
}
