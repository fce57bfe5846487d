// SPDX-License-Identifier: Apache-2.0
// Everything about a stretch of time: where its time goes, who calls whom, what threads do, and how it
// differs from another stretch.

import {ask, address, isStill, rangesText} from './api.js';
import {codeNodes} from './code.js';
import {stateNames} from './colors.js';
import {button, link, make, table, tabbed, tablesAsCsv} from './dom.js';
import {FlameGraph} from './flame.js';
import {countText} from './time.js';

/**
 * @typedef {import('./dom.js').Column} Column
 * @typedef {{begin: bigint, end: bigint, tracks: Set<number> | undefined}} Range
 * @typedef {{begin: bigint, end: bigint, tracks: string | undefined, where: string}} Asked
 */

/** Formats that a stretch can be saved in as a trace. */
const formats = ['fxt', 'heph', 'xray', 'ctf', 'perfetto', 'chrome', 'json', 'csv', 'text'];

/** Titles of the times of a profile; percentiles are called as they are. @type {Record<string, string>} */
const timeTitles = {self: 'Self', total: 'Total', mean: 'Mean', min: 'Shortest', max: 'Longest'};

/**
 * Returns the expression that finds all events of a name.
 * @param {string} name
 */
export function nameExpression(name) {
    return `name == "${name.replace(/[\\"]/g, '\\$&')}"`;
}

export class StretchSheet {
    /** @param {import('./panel.js').Panel} panel */
    constructor(panel) {
        this.panel = panel;
        this.page = panel.page;
        this.tab = 0;
        this.cutFormat = '';
    }

    /**
     * Returns the questions to ask for a stretch: one for each group of traces with the same shift.
     * @param {Range} range
     * @param {{shift: bigint, tracks: Set<number> | undefined}[]} [groups]
     * @returns {Asked[]}
     */
    questions(range, groups = this.page.groups(range.tracks)) {
        return groups.map((group) => ({begin: range.begin - group.shift, end: range.end - group.shift,
            tracks: group.tracks ? rangesText(group.tracks) : undefined, where: this.page.where}));
    }

    /** @param {Range} range */
    title(range) {
        const {tracks} = range;
        return `${this.panel.length(range.end - range.begin)} from ${this.panel.moment(range.begin)}` +
            (tracks ? `, ${tracks.size === 1 ? this.page.trackTitle([...tracks][0]) : countText(tracks.size) + ' tracks'}` : ', all tracks');
    }

    /**
     * @param {Range} range
     * @returns {Node[]}
     */
    make(range) {
        const asked = this.questions(range);
        const signal = this.panel.signal();
        /** @type {Node[]} */
        const nodes = [make('h2', {}, this.title(range)), this.actions(range, asked)];
        if (isStill) nodes.push(make('p', {class: 'muted'}, 'This page was exported: what follows is of all tracks over the whole range. Only "stele view" itself knows more of a stretch.'));
        const {remembered} = this.page;
        const views = [
            {title: 'Profile', make: async () => (await Promise.all(asked.map(async (one) =>
                this.profile(await ask('profile', one, signal))))).flat()},
            {title: 'Flame graph', make: async () => this.flames(await Promise.all(asked.map((one) => ask('flame', one, signal))))},
            {title: 'Threads and CPUs', make: async () => this.states(await Promise.all(asked.map((one) => ask('states', one, signal))))}];
        const isOther = remembered !== undefined && (remembered.begin !== range.begin || remembered.end !== range.end || remembered.tracks !== range.tracks);
        const sources = !isStill && this.page.info !== undefined && this.page.info.traces.length > 1 ? this.page.bySource(range.tracks) : [];
        if (sources.length > 1) {
            const [a, b] = this.questions(range, sources);
            const titles = sources.map(({source}) => this.page.info?.traces.find((trace) => trace.number === source)?.path ?? '');
            views.push({title: 'Comparison', make: () => this.comparison(a, b, titles[0], titles[1], signal)});
        }
        else if (!isStill && isOther && remembered !== undefined)
            views.push({title: 'Comparison', make: () => this.comparison(this.questions(remembered)[0], asked[0], 'what was remembered', 'this stretch', signal)});
        if (this.page.info?.clock === 'instructions' && !isStill) {
            views.unshift({title: 'Code', make: async () => codeNodes(await ask('code', {...asked[0], where: undefined, width: 200}, signal),
                (number) => this.page.goToMoment([...range.tracks ?? this.page.model.byTrack.keys()][0], number))});
        }
        nodes.push(tabbed('What is known of the stretch', views, this.tab, (chosen) => { this.tab = chosen; }));
        return nodes;
    }

    /**
     * @param {Range} range
     * @param {Asked[]} asked
     */
    actions(range, asked) {
        const {begin, end, tracks} = range;
        const actions = make('div', {class: 'actions'}, button('Zoom to it', () => this.page.zoomTo(begin, end)));
        if (tracks) actions.append(button('All tracks', () => this.page.selectStretch(begin, end, undefined)));
        if (isStill) return actions;
        const remember = button('Remember for comparison', () => {
            this.page.remembered = range;
            remember.textContent = 'Remembered: now select another stretch';
        }, 'What is selected next is compared with this');
        const select = /** @type {HTMLSelectElement} */ (make('select', {'aria-label': 'Format to save as'},
            ...formats.map((format) => make('option', {value: format, selected: format === this.cutFormat}, format))));
        const save = make('a', {download: ''}, 'Save what I see');
        const update = () => {
            this.cutFormat = select.value;
            save.setAttribute('href', address('cut', {...asked[0], format: select.value}));
        };
        select.addEventListener('change', update);
        update();
        const rows = make('a', {download: 'events.csv', href: address('rows', asked[0])}, 'Events as CSV');
        const copy = button('Copy tables', () => this.page.copy(tablesAsCsv(this.panel.sheets.stretch), copy), 'As CSV');
        actions.append(remember, copy, rows, save, make('span', {class: 'muted'}, 'as'), select);
        return actions;
    }

    // ---- The profile of a stretch

    /**
     * @param {any} answer
     * @returns {Node[]}
     */
    profile(answer) {
        const names = answer.texts;
        /** @type {(key: string) => Column} */
        const time = (key) => ({title: timeTitles[key] ?? key, isNumber: true, value: (row) => row[key],
            show: (row) => this.panel.length(row[key])});
        /** @type {Node[]} */
        const nodes = [];
        if (answer.rows.length !== 0) {
            const all = answer.rows.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.self, 0) || 1;
            nodes.push(table([
                {title: 'Name', value: (row) => names[row.name] ?? '(no name)', show: (row) => this.findLink(names[row.name])},
                {title: 'Count', isNumber: true, value: (row) => row.count, show: (row) => countText(row.count)},
                time('self'),
                {title: 'Share', isNumber: true, value: (row) => row.self, show: (row) => bar(row.self / all)},
                time('total'), time('mean'), time('min'), time('p50'), time('p90'), time('p99'), time('max')], answer.rows, 2));
            if (answer.names > answer.rows.length)
                nodes.push(make('p', {class: 'muted'}, `The first ${countText(answer.rows.length)} of ${countText(answer.names)} names.`));
        }
        if (answer.marks.length !== 0) {
            nodes.push(make('h3', {}, 'Moments'), table([
                {title: 'Name', value: (row) => names[row[0]] ?? this.page.timeline.kinds[row[2]], show: (row) => row[2] !== 0
                    ? this.page.timeline.kinds[row[2]] : this.findLink(names[row[0]])},
                {title: 'Count', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])}], answer.marks, 1));
        }
        if (answer.marksLeftOut > 0) nodes.push(make('p', {class: 'muted'}, `${countText(answer.marksLeftOut)} events have other names.`));
        if (nodes.length === 0) nodes.push(make('p', {class: 'muted'}, 'Nothing ran here.'));
        return nodes;
    }

    /** @param {string | undefined} name */
    findLink(name) {
        return name ? link(name, () => this.page.search.fill(nameExpression(name)), 'Find all of this name') : '(no name)';
    }

    // ---- The flame graph of a stretch

    /** @param {(import('./flame.js').FlameData & {cut?: boolean})[]} answers */
    flames(answers) {
        const isCode = this.page.info?.clock === 'instructions';
        return answers.flatMap((answer) => {
            if (answer.nodes.length < 2) return [make('p', {class: 'muted'}, 'Nothing ran here.')];
            const graph = new FlameGraph(answer, {length: (value) => this.panel.length(value), tones: this.page.timeline.tones,
                pick: isCode ? undefined : (name) => this.page.search.fill(nameExpression(name))}).element;
            if (!isCode) return [graph];
            return [make('p', {class: 'muted'}, 'As wide as instructions ran in a call and in those that it made. Calls that were open before are not known.' +
                (answer.cut ? ' Only the first 20 million instructions are looked at.' : '')), graph];
        });
    }

    // ---- What threads and CPUs do in a stretch

    /** @param {any[]} answers */
    states(answers) {
        /** @type {Node[]} */
        const nodes = [];
        const threads = answers.flatMap((answer) => answer.threads), cpus = answers.flatMap((answer) => answer.cpus);
        /** @type {(row: any) => number} */
        const sum = (row) => row[1].reduce((/** @type {number} */ all, /** @type {number} */ one) => all + one, 0) || 1;
        /** @type {Column} */
        const who = {title: 'Track', value: (row) => this.page.trackTitle(row[0]), show: (row) =>
            link(this.page.trackTitle(row[0]), () => this.page.goToTrack(row[0]), 'Show it')};
        /** @type {(title: string, index: number) => Column} */
        const part = (title, index) => ({title, isNumber: true, value: (row) => row[1][index], show: (row) =>
            row[1][index] === 0 ? '' : `${this.panel.length(row[1][index])} (${(row[1][index] / sum(row) * 100).toFixed(1)} %)`});
        if (threads.length !== 0)
            nodes.push(make('h3', {}, 'Threads'), table([who, {title: '', value: sum, show: (row) => this.strip(row[1], sum(row))},
                part('Running', 1), part('Runnable', 3), part('Preempted', 2), part('Sleeping', 4), part('Blocked', 5), part('Stopped', 6), part('Unknown', 0),
                {title: 'Times on a CPU', isNumber: true, value: (row) => row[2], show: (row) => countText(row[2])},
                {title: 'Longest', isNumber: true, value: (row) => row[3], show: (row) => this.panel.length(row[3])}], threads, 2));
        if (cpus.length !== 0)
            nodes.push(make('h3', {}, 'CPUs'), table([who, part('Busy', 2), part('Idle', 1), part('Unknown', 0),
                {title: 'Times busy', isNumber: true, value: (row) => row[2], show: (row) => countText(row[2])},
                {title: 'Longest', isNumber: true, value: (row) => row[3], show: (row) => this.panel.length(row[3])}], cpus, 1));
        if (nodes.length === 0) nodes.push(make('p', {class: 'muted'}, 'The traces tell nothing of what threads do on CPUs here.'));
        return nodes;
    }

    /**
     * Makes a bar that shows the parts of a whole side by side.
     * @param {number[]} parts
     * @param {number} whole
     */
    strip(parts, whole) {
        const strip = make('span', {class: 'strip', title: parts.map((ns, state) => (ns === 0 ? '' : `${stateNames[state]} ${this.panel.length(ns)}`))
            .filter((text) => text !== '').join(', ')});
        for (const [state, ns] of parts.entries()) {
            const piece = make('span');
            piece.style.width = ns / whole * 100 + '%';
            piece.style.background = this.page.timeline.palette.state(state);
            strip.append(piece);
        }
        return strip;
    }

    // ---- Comparing two stretches

    /**
     * @param {Asked} before
     * @param {Asked} after
     * @param {string} beforeTitle
     * @param {string} afterTitle
     * @param {AbortSignal} signal
     */
    async comparison(before, after, beforeTitle, afterTitle, signal) {
        const [a, b] = await Promise.all([ask('profile', {...before, limit: 5000}, signal), ask('profile', {...after, limit: 5000}, signal)]);
        const rows = compare(a, b);
        /** @type {Map<string, number>} */
        const tones = new Map(rows.filter((row) => row.ratio > 0 && Number.isFinite(row.ratio)).map((row) => [row.name, row.ratio]));
        const color = button(this.page.timeline.tones === undefined ? 'Colour by what got slower' : 'Colour by name', () => {
            this.page.setTones(this.page.timeline.tones === undefined ? tones : undefined);
            color.textContent = this.page.timeline.tones === undefined ? 'Colour by what got slower' : 'Colour by name';
        });
        /** @type {(title: string, key: string) => Column} */
        const time = (title, key) => ({title, isNumber: true, value: (row) => row[key], show: (row) => this.signed(row[key], key.startsWith('more'))});
        /** @type {(title: string, key: string, count: string) => Column} */
        const percentile = (title, key, count) => ({...time(title, key), show: (row) => (row[count] === 0 ? '' : this.panel.length(row[key]))});
        return [make('div', {class: 'actions'}, color, make('span', {class: 'muted'},
            `Before: ${beforeTitle}. After: ${afterTitle}. Orange became slower, blue faster.`)),
        table([{title: 'Name', value: (row) => row.name, show: (row) => this.findLink(row.name)},
            time('Self, more by', 'moreSelf'), time('Self before', 'selfBefore'), time('After', 'selfAfter'),
            {title: 'Mean', isNumber: true, value: (row) => row.ratio, show: (row) => this.ratio(row)},
            percentile('p99 before', 'p99Before', 'countBefore'), percentile('After', 'p99After', 'countAfter'),
            {title: 'Count before', isNumber: true, value: (row) => row.countBefore, show: (row) => countText(row.countBefore)},
            {title: 'After', isNumber: true, value: (row) => row.countAfter, show: (row) => countText(row.countAfter)}], rows, 1)];
    }

    /**
     * @param {number} ns
     * @param {boolean} hasSign
     */
    signed(ns, hasSign) {
        return (hasSign && ns > 0 ? '+' : '') + this.panel.length(ns);
    }

    /** @param {any} row */
    ratio(row) {
        if (row.countBefore === 0) return 'new';
        if (row.countAfter === 0) return 'gone';
        const cell = make('span', {class: 'tone'}, `\u00d7${row.ratio.toFixed(2)}`);
        cell.style.background = this.page.timeline.palette.tone(row.ratio);
        return cell;
    }
}

/**
 * Compares two profiles by name.
 * @param {any} before
 * @param {any} after
 */
export function compare(before, after) {
    /** @type {Map<string, {name: string, countBefore: number, countAfter: number, selfBefore: number, selfAfter: number,
     *     p99Before: number, p99After: number, meanBefore: number, meanAfter: number, moreSelf: number, ratio: number}>} */
    const rows = new Map();
    for (const [answer, side] of /** @type {[any, 'Before' | 'After'][]} */ ([[before, 'Before'], [after, 'After']]))
        for (const row of answer.rows) {
            const name = answer.texts[row.name] ?? '(no name)';
            const to = rows.get(name) ?? {name, countBefore: 0, countAfter: 0, selfBefore: 0, selfAfter: 0, p99Before: 0, p99After: 0,
                meanBefore: 0, meanAfter: 0, moreSelf: 0, ratio: 0};
            to[`count${side}`] = row.count;
            to[`self${side}`] = row.self;
            to[`p99${side}`] = row.p99;
            to[`mean${side}`] = row.mean;
            rows.set(name, to);
        }
    for (const row of rows.values()) {
        row.moreSelf = row.selfAfter - row.selfBefore;
        row.ratio = row.countBefore === 0 ? Infinity : row.countAfter === 0 ? 0 : row.meanAfter / Math.max(1, row.meanBefore);
    }
    return [...rows.values()];
}

/** @param {number} share part of the whole, from 0 to 1 */
function bar(share) {
    const filled = make('span', {class: 'bar'}, (share * 100).toFixed(1) + ' %');
    filled.style.setProperty('--share', share * 100 + '%');
    return filled;
}
