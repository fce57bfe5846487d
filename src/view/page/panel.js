// SPDX-License-Identifier: Apache-2.0
// What is told below the picture: one thing, a stretch of time, the hits of a search, the traces.

import {ask, address, isStill, rangesText} from './api.js';
import {stateNames} from './colors.js';
import {countText, lengthText, momentText, sizeText, wallText} from './time.js';

/**
 * @typedef {import('./timeline.js').Thing} Thing
 * @typedef {[string, string, number, number, number, number, string]} Hit begin, end, track, depth,
 *     number of the name, kind (0 span, 1 operation, 2 mark), offset
 */

/**
 * An element with what is in it. Texts become text, whatever they hold.
 * @param {string} tag
 * @param {Record<string, string | boolean | (() => void)>} [about]
 * @param {...(Node | string)} inside
 * @returns {HTMLElement}
 */
export function make(tag, about = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(about)) {
        if (typeof value === 'function') element.addEventListener(key, value);
        else if (typeof value === 'boolean') element.toggleAttribute(key, value);
        else if (key === 'class') element.className = value;
        else element.setAttribute(key, value);
    }
    element.append(...inside);
    return element;
}

/**
 * @param {string} text
 * @param {() => void} action
 * @param {string} [title]
 */
function link(text, action, title) {
    return make('button', {class: 'link', type: 'button', click: action, ...(title ? {title} : {})}, text);
}

/** @typedef {{title: string, isNumber?: boolean, value: (row: any) => number | string | bigint,
 *     show?: (row: any) => string | Node}} Column */

/**
 * A table that is sorted by its headings.
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {number} by column
 */
function table(columns, rows, by) {
    let isFalling = true;
    const body = make('tbody');
    const heads = columns.map((column, index) => {
        const cell = make('th', {scope: 'col', ...(column.isNumber ? {class: 'number'} : {})},
            make('button', {type: 'button', click: () => {
                isFalling = by === index ? !isFalling : Boolean(column.isNumber);
                by = index;
                fill();
            }}, column.title));
        return cell;
    });
    const fill = () => {
        const sorted = [...rows];
        if (by >= 0)
            sorted.sort((a, b) => {
                const x = columns[by].value(a), y = columns[by].value(b);
                return (x < y ? -1 : x > y ? 1 : 0) * (isFalling ? -1 : 1);
            });
        for (const [index, head] of heads.entries()) {
            if (index === by) head.setAttribute('aria-sort', isFalling ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
        }
        body.replaceChildren(...sorted.map((row) => make('tr', {}, ...columns.map((column) =>
            make('td', column.isNumber ? {class: 'number'} : {},
                column.show ? column.show(row) : String(column.value(row)))))));
    };
    fill();
    return make('table', {}, make('thead', {}, make('tr', {}, ...heads)), body);
}

/**
 * A table of what is known: names and values.
 * @param {[string, string | Node][]} rows
 */
function facts(rows) {
    return make('table', {}, make('tbody', {}, ...rows.map(([name, value]) =>
        make('tr', {}, make('th', {scope: 'row'}, name), make('td', {}, value)))));
}

const tabs = /** @type {const} */ (['selection', 'stretch', 'search', 'traces', 'help']);
/** @type {Record<string, string>} */
const tabTitles = {selection: 'Selection', stretch: 'Stretch', search: 'Hits', traces: 'Traces', help: 'Help'};
/** What cuts can be saved as. */
const formats = ['fxt', 'heph', 'xray', 'chrome', 'json', 'csv', 'text'];

export class Panel {
    /** @param {import('./main.js').Page} page */
    constructor(page) {
        this.page = page;
        this.bar = /** @type {HTMLElement} */ (document.getElementById('tabs'));
        this.content = /** @type {HTMLElement} */ (document.getElementById('content'));
        /** @type {Record<string, HTMLElement>} */
        this.sheets = {};
        this.tab = 'traces';
        /** @type {AbortController | undefined} */
        this.asking = undefined;
        this.cutFormat = '';
        for (const tab of tabs) {
            this.sheets[tab] = make('div');
            const button = make('button', {type: 'button', role: 'tab', id: `tab-${tab}`,
                'aria-controls': 'content', click: () => this.show(tab)}, tabTitles[tab]);
            this.bar.append(button);
        }
        this.bar.addEventListener('keydown', (event) => {
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            if (step === 0) return;
            const at = tabs.findIndex((tab) => tab === this.tab);
            this.show(tabs[(at + step + tabs.length) % tabs.length]);
            document.getElementById(`tab-${this.tab}`)?.focus();
            event.preventDefault();
            event.stopPropagation();
        });
        this.sheets.selection.append(make('p', {class: 'muted'}, 'Click something in the picture, or press Enter for what is in its middle.'));
        this.sheets.stretch.append(make('p', {class: 'muted'}, 'Drag over the picture, or over the axis above it, to select a stretch of time.'));
        this.sheets.search.append(make('p', {class: 'muted'}, 'Search for a name, or by an expression.'));
        this.fillHelp();
        this.show('traces');
    }

    /** @param {string} tab */
    show(tab) {
        this.tab = tab;
        for (const button of this.bar.querySelectorAll('button')) {
            const isChosen = button.id === `tab-${tab}`;
            button.setAttribute('aria-selected', String(isChosen));
            button.tabIndex = isChosen ? 0 : -1;
        }
        this.content.setAttribute('aria-labelledby', `tab-${tab}`);
        this.content.replaceChildren(this.sheets[tab]);
    }

    /**
     * Fills a sheet with what the server says, and shows it.
     * @param {string} tab
     * @param {() => Promise<Node[]>} get
     * @param {boolean} [isQuiet] the sheet is not brought to the front
     */
    async fill(tab, get, isQuiet) {
        if (!isQuiet) this.show(tab);
        const wait = setTimeout(() => this.sheets[tab].replaceChildren(make('p', {class: 'muted'}, 'Reading ...')), 150);
        try {
            const nodes = await get();
            clearTimeout(wait);
            this.sheets[tab].replaceChildren(...nodes);
        } catch (error) {
            clearTimeout(wait);
            const e = /** @type {Error} */ (error);
            if (e.name !== 'AbortError') this.sheets[tab].replaceChildren(make('p', {class: 'error'}, e.message));
        }
    }

    signal() {
        this.asking?.abort();
        this.asking = new AbortController();
        return this.asking.signal;
    }

    /** @param {bigint} time */
    moment(time) {
        return momentText(time - this.page.base, this.page.clock);
    }

    /** @param {bigint | number} ns */
    length(ns) {
        return lengthText(ns, this.page.clock);
    }

    // ---- One thing

    /** @param {Thing} thing */
    showThing(thing) {
        if (thing.count > 1 || thing.kind === 'loss' || thing.kind === 'counter' || thing.kind === 'state' ||
            thing.kind === 'run' || isStill) {
            this.fill('selection', async () => this.simple(thing));
            return;
        }
        const signal = this.signal();
        this.fill('selection', async () => {
            const isMark = thing.kind === 'mark';
            /* The middle of it is in it also where its begin is that of a pixel. */
            const at = isMark ? thing.begin : thing.begin + (thing.end - thing.begin) / 2n;
            const answer = await ask(isMark ? 'mark' : 'span', {at, track: thing.track,
                depth: thing.depth, offset: thing.offset, name: thing.kind === 'async' ? 'async' : ''}, signal);
            return answer.found ? this.details(thing, answer) : this.simple(thing);
        });
    }

    /** @param {Thing} thing */
    simple(thing) {
        const lines = this.page.timeline.describe(thing).split('\n');
        const rows = /** @type {[string, string][]} */ ([['Track', this.page.trackTitle(thing.track)],
            ['Begin', this.moment(thing.begin)]]);
        if (thing.end > thing.begin) rows.push(['Duration', this.length(thing.end - thing.begin)]);
        if (thing.kind === 'state') rows.push(['State', stateNames[thing.data]]);
        if (thing.kind === 'run') rows.push(['Thread', this.page.trackTitle(thing.data)]);
        /** @type {Node[]} */
        const nodes = [make('h2', {}, lines[0]), facts(rows)];
        if (thing.count > 1)
            nodes.push(make('div', {class: 'actions'}, make('button', {type: 'button',
                click: () => this.page.zoomTo(thing.begin, thing.end > thing.begin ? thing.end : thing.begin + 1n)}, 'Zoom in'),
            make('span', {class: 'muted'}, lines.slice(1).join(' '))));
        return nodes;
    }

    /**
     * @param {Thing} thing
     * @param {any} answer
     */
    details(thing, answer) {
        const begin = BigInt(answer.begin), end = answer.end === undefined ? begin : BigInt(answer.end);
        const names = answer.names ?? {};
        const rows = /** @type {[string, string | Node][]} */ ([['Begin', this.moment(begin)]]);
        if (this.page.wall !== undefined) rows.push(['Wall clock', wallText(begin + this.page.wall)]);
        if (answer.end !== undefined) {
            rows.push(['Duration', this.length(end - begin)]);
            rows.push(['Of its own', this.length(answer.self)]);
        }
        rows.push(['Track', answer.trackTitle]);
        if (answer.category !== '') rows.push(['Category', answer.category]);
        if (answer.kind !== undefined) rows.push(['Kind', answer.kind]);
        if (answer.depth !== undefined && thing.kind === 'span') rows.push(['Depth', String(answer.depth)]);
        if (answer.cpu !== undefined) rows.push(['CPU', String(answer.cpu)]);
        if (answer.ended !== undefined && answer.ended !== 'returned') rows.push(['Ended', answer.ended]);
        if (answer.delta !== undefined) rows.push(['Since the one before', this.length(answer.delta)]);
        rows.push(['Record', `at byte ${answer.offset}` + (answer.endOffset !== undefined && answer.endOffset !== answer.offset ? `, its end at ${answer.endOffset}` : '')]);
        if (answer.damaged) rows.push(['Damaged', 'what could be read of it is here']);
        const hasName = answer.name !== '';
        const nameNumber = answer.nameNumber ?? thing.nameNumber;
        const actions = make('div', {class: 'actions'});
        if (hasName) actions.append(
            make('button', {type: 'button', title: 'The one before of this name ([)', click: () => this.page.step(true)}, '\u2039 Previous of this name'),
            make('button', {type: 'button', title: 'The next one of this name (])', click: () => this.page.step(false)}, 'Next of this name \u203a'),
            make('button', {type: 'button', click: () => this.page.setHighlight(nameNumber)}, 'Highlight this name'),
            make('button', {type: 'button', click: () => this.page.searchFor(nameExpression(answer.name))}, 'Find all'));
        if (end > begin)
            actions.append(make('button', {type: 'button', click: () => this.page.selectStretch(begin, end, new Set([thing.track]))}, 'Profile of this stretch'));
        const columns = make('div', {class: 'columns'}, make('div', {}, make('h3', {}, 'What it is'), facts(rows)));
        if (answer.fields.length !== 0) {
            columns.append(make('div', {}, make('h3', {}, 'Fields'), facts(answer.fields)));
            if (answer.fieldsLeftOut > 0)
                columns.append(make('p', {class: 'muted'}, `${countText(answer.fieldsLeftOut)} more fields are not shown.`));
        }
        if (answer.ancestors?.length)
            columns.append(make('div', {}, make('h3', {}, 'Called by'), make('table', {}, make('tbody', {},
                ...answer.ancestors.map((/** @type {[number, string, number]} */ [name, at, depth]) =>
                    make('tr', {}, make('td', {}, link(names[name] ?? '(no name)', () =>
                        this.page.goToSpan(thing.track, depth, BigInt(at))))))))));
        if (answer.callees?.length)
            columns.append(make('div', {}, make('h3', {}, 'Calls'), table([
                {title: 'Name', value: (row) => names[row[0]] ?? '(no name)'},
                {title: 'Times', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])},
                {title: 'Total', isNumber: true, value: (row) => row[2], show: (row) => this.length(row[2])}],
            answer.callees, 2)));
        return [make('h2', {}, answer.name !== '' ? answer.name : answer.kind ?? '(no name)'), actions, columns];
    }

    // ---- A stretch of time

    /**
     * @param {bigint} begin
     * @param {bigint} end
     * @param {Set<number> | undefined} tracks
     */
    showStretch(begin, end, tracks) {
        const signal = this.signal();
        const parameters = {begin, end, tracks: tracks ? rangesText(tracks) : undefined, where: this.page.where};
        this.fill('stretch', async () => {
            const head = make('h2', {}, `${this.length(end - begin)} from ${this.moment(begin)}` +
                (tracks ? `, ${tracks.size === 1 ? this.page.trackTitle([...tracks][0]) : countText(tracks.size) + ' tracks'}` : ', all tracks'));
            /** @type {Node[]} */
            const nodes = [head, this.stretchActions(parameters, tracks)];
            if (isStill) return nodes;
            const answer = await ask('profile', parameters, signal);
            nodes.push(...this.profile(answer));
            return nodes;
        });
    }

    /**
     * @param {{begin: bigint, end: bigint, tracks: string | undefined, where: string}} parameters
     * @param {Set<number> | undefined} tracks
     */
    stretchActions(parameters, tracks) {
        const {begin, end} = parameters;
        const actions = make('div', {class: 'actions'},
            make('button', {type: 'button', click: () => this.page.zoomTo(begin, end)}, 'Zoom to it'));
        if (tracks) actions.append(make('button', {type: 'button', click: () => this.page.selectStretch(begin, end, undefined)}, 'All tracks'));
        if (isStill) return actions;
        const select = /** @type {HTMLSelectElement} */ (make('select', {'aria-label': 'Format to save as'},
            ...formats.map((format) => make('option', {value: format, selected: format === this.cutFormat}, format))));
        const save = make('a', {download: ''}, 'Save what I see');
        const update = () => {
            this.cutFormat = select.value;
            save.setAttribute('href', address('cut', {...parameters, where: undefined, format: select.value}));
        };
        select.addEventListener('change', update);
        update();
        const rows = make('a', {download: 'events.csv', href: address('rows', {...parameters, where: undefined})}, 'Events as CSV');
        const copy = make('button', {type: 'button', click: () => this.copyTable(copy)}, 'Copy table');
        actions.append(copy, rows, save, make('span', {class: 'muted'}, 'as'), select);
        return actions;
    }

    /** @param {HTMLElement} button */
    async copyTable(button) {
        const lines = [...this.sheets.stretch.querySelectorAll('table tr')].map((row) =>
            [...row.querySelectorAll('th, td')].map((cell) => csvField(cell.textContent ?? '')).join(','));
        await this.page.copy(lines.join('\r\n'), button);
    }

    /** @param {any} answer */
    profile(answer) {
        const names = answer.texts;
        /** @type {(key: string) => Column} */
        const time = (key) => ({title: key === 'self' ? 'Self' : key === 'total' ? 'Total' : key === 'max' ? 'Longest' : key,
            isNumber: true, value: (row) => row[key], show: (row) => this.length(row[key])});
        /** @type {Node[]} */
        const nodes = [];
        if (answer.rows.length !== 0) {
            const all = answer.rows.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.self, 0) || 1;
            nodes.push(table([
                {title: 'Name', value: (row) => names[row.name] ?? '(no name)', show: (row) =>
                    link(names[row.name] ?? '(no name)', () => this.page.searchFor(nameExpression(names[row.name] ?? '')), 'Find all of this name')},
                {title: 'Count', isNumber: true, value: (row) => row.count, show: (row) => countText(row.count)},
                time('self'),
                {title: 'Share', isNumber: true, value: (row) => row.self, show: (row) => (row.self / all * 100).toFixed(1) + ' %'},
                time('total'), time('mean'), time('p50'), time('p90'), time('p99'), time('max')], answer.rows, 2));
            if (answer.names > answer.rows.length)
                nodes.push(make('p', {class: 'muted'}, `The first ${countText(answer.rows.length)} of ${countText(answer.names)} names.`));
        }
        if (answer.marks.length !== 0) {
            nodes.push(make('h3', {}, 'Moments'), table([
                {title: 'Name', value: (row) => names[row[0]] ?? this.page.timeline.kinds[row[2]], show: (row) => row[2] !== 0
                    ? this.page.timeline.kinds[row[2]] : link(names[row[0]] ?? '', () => this.page.searchFor(nameExpression(names[row[0]] ?? '')))},
                {title: 'Count', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])}], answer.marks, 1));
        }
        if (answer.marksLeftOut > 0) nodes.push(make('p', {class: 'muted'}, `${countText(answer.marksLeftOut)} events have other names.`));
        if (nodes.length === 0) nodes.push(make('p', {class: 'muted'}, 'Nothing ran here.'));
        return nodes;
    }

    // ---- A search

    /**
     * @param {Hit[]} hits
     * @param {number} found
     * @param {Record<string, string>} names
     */
    showHits(hits, found, names) {
        const list = table([
            {title: 'Time', isNumber: true, value: (row) => BigInt(row[0]), show: (row) =>
                link(this.moment(BigInt(row[0])), () => this.page.goToHit(hits.indexOf(row)))},
            {title: 'Duration', isNumber: true, value: (row) => BigInt(row[1]) - BigInt(row[0]), show: (row) =>
                row[5] === 2 ? '' : this.length(BigInt(row[1]) - BigInt(row[0]))},
            {title: 'Name', value: (row) => names[row[4]] ?? '(no name)'},
            {title: 'Track', value: (row) => this.page.trackTitle(row[2])}], hits.slice(0, 500), -1);
        const text = found === 0 ? 'Nothing fits.' : found > hits.length
            ? `${countText(found)} fit; the first ${countText(hits.length)} that were found are marked.`
            : `${countText(found)} fit.` + (hits.length > 500 ? ' The first 500 are listed; N goes on through all.' : '');
        this.sheets.search.replaceChildren(make('p', {}, text), ...(found === 0 ? [] : [list]));
        this.show('search');
    }

    // ---- The traces

    /** @param {import('./api.js').Info} info */
    showTraces(info) {
        /** @type {Node[]} */
        const nodes = [];
        for (const trace of info.traces)
            nodes.push(make('h2', {}, trace.path), make('p', {}, `${trace.title}${trace.version ? ' ' + trace.version : ''}` +
                (trace.size === undefined ? '' : `, ${sizeText(trace.size)}`)));
        /** @type {[string, string][]} */
        const rows = [['Events', countText(info.events) + (info.complete ? '' : ' so far')]];
        if (info.begin !== undefined && info.end !== undefined) {
            rows.push(['Length', this.length(BigInt(info.end) - BigInt(info.begin))]);
            if (info.wall !== undefined) rows.push(['Begin', wallText(BigInt(info.begin) + BigInt(info.wall))]);
        }
        if (info.lost > 0) rows.push(['Lost', `${countText(info.lost)} events: hatched where they are missing`]);
        if (info.missing > 0) rows.push(['Missing', `${countText(info.missing)} packets`]);
        if (info.skipped > 0) rows.push(['Skipped', `${sizeText(info.skipped)} that could not be read`]);
        if (info.moreCounters) rows.push(['Counters', 'There are more than are shown']);
        if (info.error !== undefined) rows.push(['Ended early', info.error]);
        nodes.push(facts(rows));
        if (info.findings.length !== 0) {
            nodes.push(make('h3', {}, 'Findings'), ...info.findings.map((line) => make('p', {}, line)));
            if (info.findingsLeftOut > 0) nodes.push(make('p', {class: 'muted'}, `${countText(info.findingsLeftOut)} more; 'stele check' shows all.`));
        }
        this.sheets.traces.replaceChildren(...nodes);
    }

    fillHelp() {
        /** @type {[string, string][]} */
        const keys = [['W S, + -', 'zoom in and out at the pointer'], ['A D, arrow keys', 'move in time'],
            ['Up, Down, Page Up, Page Down', 'move through the tracks'], ['0, Home', 'show everything'],
            ['F', 'zoom to what is selected'], ['/', 'search'], ['N, Shift+N', 'next and previous hit'],
            ['[ ]', 'previous and next of the selected name'], ['Enter', 'select what is in the middle'],
            ['M', 'bookmark the middle'], ['C', 'fold or open the selected track'], ['P', 'pin the selected track'],
            ['Escape', 'select nothing'], ['?', 'this page']];
        /** @type {[string, string][]} */
        const mouse = [['Drag', 'select a stretch of time and tracks'], ['Shift + drag, middle button', 'move'],
            ['Click', 'all that is known of what is there'], ['Double click', 'zoom to it'],
            ['Ctrl + wheel, pinch, wheel over the axis', 'zoom'], ['Wheel', 'move through the tracks'],
            ['Shift + wheel, sideways', 'move in time']];
        this.sheets.help.append(make('div', {class: 'columns'},
            make('div', {}, make('h3', {}, 'Keys'), make('table', {}, make('tbody', {}, ...keys.map(([key, what]) =>
                make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, what)))))),
            make('div', {}, make('h3', {}, 'Mouse and touch'), make('table', {}, make('tbody', {}, ...mouse.map(([key, what]) =>
                make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, what))))),
            make('h3', {}, 'What is drawn'),
            make('p', {}, 'A grey line below a bar: several spans within a pixel; the colour is that of the longest. Grey columns among marks: several marks. Hatched red: events that were lost. Arrows: flows. Of counters the whole range of each pixel is drawn.'),
            make('h3', {}, 'Searching'),
            make('p', {}, 'A word finds names that hold it. Expressions are those of --where: dur > 1ms and name ~ "read*", arg.len >= 4096, depth == 0, kind == "log".'))));
    }
}

/**
 * The expression that finds a name.
 * @param {string} name
 */
export function nameExpression(name) {
    return `name == "${name.replace(/[\\"]/g, '\\$&')}"`;
}

/** @param {string} text */
function csvField(text) {
    const safe = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
