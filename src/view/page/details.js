// SPDX-License-Identifier: Apache-2.0
// Everything about one thing in the picture: what it is, its fields, its caller and callees, its record.

import {ask, isStill} from './api.js';
import {momentNodes} from './code.js';
import {stateNames} from './colors.js';
import {facts, link, make, table} from './dom.js';
import {nameExpression} from './stretch.js';
import {countText, wallText} from './time.js';

/** @type {Record<string, string>} what is said of spans that did not end by themselves */
const endTexts = {
    open: 'still open when the trace ends, or its track does',
    unwound: 'with what is around it: its own end is missing',
    tail: 'by a tail call',
    'entry-lost': 'here; its begin is missing',
    timeout: 'by the timeout'
};

/** @typedef {import('./timeline.js').Thing} Thing */

/** A depth that stands for the innermost span at a moment. */
export const DEPTH_ANY = 4294967295;

export class Details {
    /** @param {import('./panel.js').Panel} panel */
    constructor(panel) {
        this.panel = panel;
        this.page = panel.page;
    }

    /** @param {Thing} thing */
    show(thing) {
        if (thing.count > 1 || thing.kind === 'loss' || thing.kind === 'counter' || thing.kind === 'state' ||
            thing.kind === 'run' || isStill) {
            this.panel.fill('selection', async () => this.simple(thing));
            return;
        }
        const signal = this.panel.signal();
        this.panel.fill('selection', async () => {
            const isMark = thing.kind === 'mark';
            const shift = this.page.shiftOf(thing.track);
            /* The middle of a span is within the span even if its begin was rounded to a pixel. */
            const at = (isMark ? thing.begin : thing.begin + (thing.end - thing.begin) / 2n) - shift;
            const answer = await ask(isMark ? 'mark' : 'span', {at, track: thing.track,
                depth: thing.depth, offset: thing.offset, name: thing.kind === 'async' ? 'async' : ''}, signal);
            return answer.found ? this.make(thing, answer, shift) : this.simple(thing);
        });
    }

    /** @param {Thing} thing */
    simple(thing) {
        const lines = this.page.timeline.describe(thing).split('\n');
        const rows = /** @type {[string, string][]} */ ([['Track', this.page.trackTitle(thing.track)],
            ['Begin', this.panel.moment(thing.begin)]]);
        if (thing.end > thing.begin) rows.push(['Duration', this.panel.length(thing.end - thing.begin)]);
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
     * @param {bigint} shift
     */
    make(thing, answer, shift) {
        const begin = BigInt(answer.begin) + shift, end = answer.end === undefined ? begin : BigInt(answer.end) + shift;
        if (thing.name === '') thing.name = answer.name;
        if (thing.nameNumber === 0) thing.nameNumber = answer.nameNumber ?? 0;
        if (thing.kind === 'span' && answer.depth !== undefined) thing.depth = answer.depth;
        thing.begin = begin;
        thing.end = end;
        this.page.redraw();
        const names = answer.names ?? {};
        const rows = /** @type {[string, string | Node][]} */ ([['Begin', this.panel.moment(begin)]]);
        if (this.page.wall !== undefined) rows.push(['Wall clock', wallText(begin - shift + this.page.wall)]);
        if (answer.end !== undefined) {
            rows.push(['Duration', this.panel.length(end - begin)]);
            rows.push(['Of its own', this.panel.length(answer.self)]);
        }
        rows.push(['Track', answer.trackTitle]);
        if (answer.category !== '') rows.push(['Category', answer.category]);
        if (answer.kind !== undefined) rows.push(['Kind', answer.kind]);
        if (answer.depth !== undefined && thing.kind === 'span') rows.push(['Depth', String(answer.depth)]);
        if (answer.cpu !== undefined) rows.push(['CPU', String(answer.cpu)]);
        if (answer.ended !== undefined && answer.ended !== 'returned') rows.push(['Ended', endTexts[answer.ended] ?? answer.ended]);
        if (answer.delta !== undefined) rows.push(['Since the one before', this.panel.length(answer.delta)]);
        rows.push(['Record', `at byte ${answer.offset}` + (answer.endOffset !== undefined && answer.endOffset !== answer.offset ? `, its end at ${answer.endOffset}` : '')]);
        if (answer.damaged) rows.push(['Damaged', 'what could be read of it is here']);
        const hasName = answer.name !== '';
        const nameNumber = answer.nameNumber ?? thing.nameNumber;
        const actions = make('div', {class: 'actions'});
        if (hasName) actions.append(
            make('button', {type: 'button', title: 'The one before of this name ([)', click: () => this.page.step(true)}, '\u2039 Previous of this name'),
            make('button', {type: 'button', title: 'The next one of this name (])', click: () => this.page.step(false)}, 'Next of this name \u203a'),
            make('button', {type: 'button', click: () => this.page.setHighlight(nameNumber)}, 'Highlight this name'),
            make('button', {type: 'button', click: () => this.page.search.fill(nameExpression(answer.name))}, 'Find all'));
        if (end > begin) {
            actions.append(make('button', {type: 'button', click: () => this.page.selectStretch(begin, end, new Set([thing.track]))}, 'Profile of it'));
            actions.append(make('button', {type: 'button', title: 'Everything that happens meanwhile', click: () => this.page.selectStretch(begin, end, undefined)}, 'All meanwhile'));
        }
        if (this.page.info !== undefined && this.page.info.traces.length > 1) {
            const {anchor} = this.page;
            actions.append(make('button', {type: 'button', click: () => this.page.setAnchor({...thing})}, 'Align others with this'));
            if (anchor !== undefined && anchor.node.source !== thing.node.source)
                actions.append(make('button', {type: 'button', click: () => this.page.alignWith(thing)}, `Align with "${anchor.name}"`));
        }
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
                        this.page.goToSpan(thing.track, depth, BigInt(at) + shift)))))))));
        if (answer.callees?.length)
            columns.append(make('div', {}, make('h3', {}, 'Calls'), table([
                {title: 'Name', value: (row) => names[row[0]] ?? '(no name)'},
                {title: 'Times', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])},
                {title: 'Total', isNumber: true, value: (row) => row[2], show: (row) => this.panel.length(row[2])}],
            answer.callees, 2)));
        if (answer.flows?.length) columns.append(this.flows(answer, names));
        columns.append(this.record(thing, answer));
        if (this.page.info?.clock === 'instructions') columns.append(this.code(thing));
        return [make('h2', {}, answer.name !== '' ? answer.name : answer.kind ?? '(no name)'), actions, columns];
    }

    /**
     * The flows that lead to a span and from it.
     * @param {any} answer
     * @param {Record<string, string>} names
     */
    flows(answer, names) {
        const list = make('div', {}, make('h3', {}, 'Flows'), table([
            {title: 'Direction', value: (row) => (row[0] === 'in' ? 'from' : 'to')},
            {title: 'Where', value: (row) => this.page.trackTitle(row[2]), show: (row) => link(this.page.trackTitle(row[2]), () =>
                this.page.goToSpan(row[2], DEPTH_ANY, BigInt(row[1]) + this.page.shiftOf(row[2])), 'Show what is there')},
            {title: 'Name', value: (row) => names[row[3]] ?? ''},
            {title: 'Takes', isNumber: true, value: (row) => Math.abs(Number(BigInt(row[1]) - BigInt(row[4]))), show: (row) =>
                this.panel.length(row[0] === 'in' ? BigInt(row[4]) - BigInt(row[1]) : BigInt(row[1]) - BigInt(row[4]))}], answer.flows, -1));
        if (answer.flowsLeftOut > 0) list.append(make('p', {class: 'muted'}, `${countText(answer.flowsLeftOut)} more flows are not shown.`));
        return list;
    }

    /**
     * The code around an instruction.
     * @param {Thing} thing
     */
    code(thing) {
        const place = make('div', {class: 'code-around'}, make('p', {class: 'muted'}, 'Reading the code ...'));
        const at = thing.begin - this.page.shiftOf(thing.track);
        ask('code', {at, tracks: thing.track}, this.panel.asking?.signal).then((answer) => {
            place.replaceChildren(...momentNodes(answer, at, (number) => this.page.goToMoment(thing.track, number)));
            place.querySelector('.here')?.scrollIntoView({block: 'center'});
        }, (error) => place.replaceChildren(make('p', {class: 'error'}, error.message)));
        return place;
    }

    /**
     * The bytes of a thing's record, which are asked for when somebody wants to see them.
     * @param {Thing} thing
     * @param {any} answer
     */
    record(thing, answer) {
        const place = make('div', {class: 'record'});
        const get = async () => {
            place.replaceChildren(make('p', {class: 'muted'}, 'Reading ...'));
            try {
                const found = await ask('record', {offset: answer.offset, track: thing.track});
                const fitting = found.records.filter((/** @type {any} */ one) => found.records.length === 1 || one.text.includes(answer.name));
                place.replaceChildren(...(fitting.length !== 0 ? fitting : found.records).flatMap(recordNodes));
                if (found.records.length === 0) place.replaceChildren(make('p', {class: 'muted'}, 'No record of its own stands there.'));
            } catch (error) {
                place.replaceChildren(make('p', {class: 'error'}, String(/** @type {Error} */ (error).message)));
            }
        };
        place.append(make('h3', {}, 'Record'), make('button', {type: 'button', click: get}, 'Show its bytes'));
        return place;
    }
}

/**
 * A record as elements, in the form in which 'stele dump --hex' shows it.
 * @param {{kind: string, text: string, source?: string, offset: string, size: number, bytes: string}} record
 */
function recordNodes(record) {
    /** @type {string[]} */
    const lines = [];
    for (let at = 0; at < record.bytes.length; at += 32) {
        const bytes = record.bytes.slice(at, at + 32).match(/../g) ?? [];
        const text = bytes.map((byte) => {
            const code = parseInt(byte, 16);
            return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '.';
        }).join('');
        lines.push(`${(at / 2).toString(16).padStart(6, '0')}  ${bytes.slice(0, 8).join(' ').padEnd(23)}  ${bytes.slice(8).join(' ').padEnd(23)}  ${text}`);
    }
    if (record.bytes.length / 2 < record.size) lines.push(`... ${countText(record.size - record.bytes.length / 2)} more bytes`);
    return [make('h3', {}, `${record.kind}, ${countText(record.size)} bytes at ${record.offset}` + (record.source ? ` of ${record.source}` : '')),
        make('p', {}, record.text), make('pre', {}, lines.join('\n'))];
}
