// SPDX-License-Identifier: Apache-2.0
// The panel below the picture, with sheets for a thing, a stretch of time, hits, notes, SQL and the
// traces.

import {isStill} from './api.js';
import {Details} from './details.js';
import {button, facts, link, make, table} from './dom.js';
import {helpSheet} from './help.js';
import {sqlSheet} from './sql.js';
import {StretchSheet} from './stretch.js';
import {countText, lengthText, momentText, sizeText, wallText} from './time.js';

/**
 * @typedef {import('./timeline.js').Thing} Thing
 * @typedef {[string, string, number, number, number, number, string]} Hit begin, end, track, depth,
 *     number of the name, kind (0 span, 1 operation, 2 mark), offset
 */

const tabs = /** @type {const} */ (['selection', 'stretch', 'search', 'notes', 'sql', 'traces', 'help']);
/** @type {Record<string, string>} */
const tabTitles = {selection: 'Selection', stretch: 'Stretch', search: 'Hits', notes: 'Notes', sql: 'SQL', traces: 'Traces', help: 'Help'};

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
        this.stretch = new StretchSheet(this);
        this.details = new Details(this);
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
        this.sheets.sql.append(sqlSheet(page));
        this.sheets.help.append(helpSheet());
        this.showNotes();
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
     * Fills a sheet with what a function gives, mostly an answer of the server, and shows the sheet.
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

    /** @param {Thing} thing */
    showThing(thing) {
        this.details.show(thing);
    }

    /**
     * @param {bigint} begin
     * @param {bigint} end
     * @param {Set<number> | undefined} tracks
     */
    showStretch(begin, end, tracks) {
        this.fill('stretch', async () => this.stretch.make({begin, end, tracks}));
    }

    // ---- The hits of a search

    /**
     * @param {Hit[]} hits
     * @param {number} found
     * @param {Record<string, string>} names
     */
    showHits(hits, found, names) {
        const list = table([
            {title: 'Time', isNumber: true, value: (row) => BigInt(row[0]), show: (row) =>
                link(this.moment(BigInt(row[0])), () => this.page.search.goTo(hits.indexOf(row)))},
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

    // ---- The notes

    showNotes() {
        const {timeline} = this.page;
        const marks = timeline.bookmarks;
        if (marks.length === 0) {
            this.sheets.notes.replaceChildren(make('p', {class: 'muted'}, 'M marks a moment: the selected one, or the middle of the picture. Notes are part of the address, so a link has them.'));
            return;
        }
        const rows = marks.map((mark, index) => {
            const input = /** @type {HTMLInputElement} */ (make('input', {type: 'text', class: 'note', value: mark.text, 'aria-label': 'Note'}));
            input.addEventListener('input', () => {
                mark.text = input.value;
                this.page.writeHash();
                this.page.redraw();
            });
            return make('tr', {}, make('td', {class: 'number'}, link(this.moment(mark.at), () => this.page.bringInSight(mark.at, mark.at), 'Show it')),
                make('td', {class: 'number'}, index > 0 ? this.length(mark.at - marks[index - 1].at) : ''), make('td', {}, input),
                make('td', {}, button('Remove', () => {
                    marks.splice(index, 1);
                    this.page.notesChanged();
                })));
        });
        const copy = button('Copy as text', () => this.page.copy(marks.map((mark) => `${this.moment(mark.at)}\t${mark.text}`).join('\n'), copy));
        this.sheets.notes.replaceChildren(make('div', {class: 'actions'}, copy), make('table', {},
            make('thead', {}, make('tr', {}, ...['Moment', 'Since the one before', 'Note', ''].map((title) => make('th', {scope: 'col'}, title)))),
            make('tbody', {}, ...rows)));
    }

    /** @param {number} index */
    editNote(index) {
        this.show('notes');
        const input = this.sheets.notes.querySelectorAll('input')[index];
        input?.focus();
        input?.select();
    }

    // ---- The traces

    /**
     * Tells which traces are shown later or earlier than they were recorded.
     * @param {import('./api.js').Info} info
     */
    alignment(info) {
        const {page} = this;
        const lines = info.traces.filter((trace) => page.shifts.has(trace.number)).map((trace) => make('p', {},
            `${trace.path} is shown ${this.length(page.shifts.get(trace.number) ?? 0n)} later than it was recorded.`));
        return make('div', {}, make('h3', {}, 'On one axis'), ...lines, make('p', {class: 'muted'},
            'To align traces at any event: select it in one, "Align others with this", select one in another trace, "Align with it". ' +
            'To compare them: drag over the axis of time, "Comparison".'),
        ...(lines.length === 0 ? [] : [button('Align as recorded', () => {
            for (const trace of info.traces) page.setShift(trace.number, 0n);
            this.showTraces(info);
        })]));
    }

    /** @param {import('./api.js').Info} info */
    showTraces(info) {
        /** @type {Node[]} */
        const nodes = [];
        for (const trace of info.traces)
            nodes.push(make('h2', {}, trace.path), make('p', {}, `${trace.title}${trace.version ? ' ' + trace.version : ''}` +
                (trace.size === undefined ? '' : `, ${sizeText(trace.size)}`)));
        /** @type {[string, string][]} */
        const rows = info.insns > 0 ? [['Instructions', countText(info.insns) + (info.pictured ? '' : ' so far')]] : [];
        rows.push(['Events', countText(info.events) + (info.pictured ? '' : ' so far')]);
        if (info.begin !== undefined && info.end !== undefined) {
            rows.push(['Length', this.length(BigInt(info.end) - BigInt(info.begin))]);
            if (info.wall !== undefined) rows.push(['Begin', wallText(BigInt(info.begin) + BigInt(info.wall))]);
        }
        if (info.lost > 0) rows.push(['Lost', `${countText(info.lost)} events: hatched where they are missing`]);
        if (info.missing > 0) rows.push(['Missing', `${countText(info.missing)} packets`]);
        if (info.skipped > 0) rows.push(['Skipped', `${sizeText(info.skipped)} that could not be read`]);
        if (info.traces.some((trace) => trace.numbered))
            rows.push(['Names', 'Functions have numbers, such as @(1): stele view --binary FILE, with the traced binary, shows names']);
        if (info.moreCounters) rows.push(['Counters', 'There are more than are shown']);
        if (info.error !== undefined) rows.push(['Ended early', info.error]);
        nodes.push(facts(rows));
        if (info.findings.length !== 0) {
            nodes.push(make('h3', {}, 'Findings'), ...info.findings.map((line) => make('p', {}, line)));
            if (info.findingsLeftOut > 0) nodes.push(make('p', {class: 'muted'}, `${countText(info.findingsLeftOut)} more; 'stele check' shows all.`));
        }
        if (info.traces.length > 1 && !isStill) nodes.push(this.alignment(info));
        this.sheets.traces.replaceChildren(...nodes);
    }
}
