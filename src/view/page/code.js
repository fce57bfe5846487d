// SPDX-License-Identifier: Apache-2.0
// What instructions do: over time, in caches and branches, in the blocks that run most, and around one
// instruction.

import {chartElement} from './charts.js';
import {make, table} from './dom.js';
import {countText, sizeText} from './time.js';

/** @typedef {[string, string, string]} Insn address, opcode, text */

const branchKinds = ['', 'direct', 'conditional', 'indirect', 'call', 'indirect call', 'return'];

/** @param {number} share */
const percent = (share) => (share * 100).toFixed(share < 0.01 ? 3 : 1) + ' %';

/**
 * @param {any} answer
 * @param {(number: bigint) => void} goTo shows the moment of an instruction
 * @returns {Node[]}
 */
export function codeNodes(answer, goTo) {
    const {bins} = answer;
    if (answer.insns === 0) return [make('p', {class: 'muted'}, 'No instruction ran here.')];
    const begin = BigInt(answer.begin), length = Number(BigInt(answer.end) - begin);
    /** @type {(share: number) => void} */
    const pick = (share) => goTo(begin + BigInt(Math.floor(share * length)));
    const totals = bins.map((/** @type {any} */ bin) => bin.groups.reduce((/** @type {number} */ sum, /** @type {number} */ n) => sum + n, 0));
    /** @type {(get: (bin: any) => number, of?: (bin: any, i: number) => number) => number[]} */
    const rate = (get, of) => bins.map((/** @type {any} */ bin, /** @type {number} */ i) => get(bin) / Math.max(1, of ? of(bin, i) : totals[i]));
    const groups = answer.groupNames.map((/** @type {string} */ name, /** @type {number} */ g) =>
        ({name, values: bins.map((/** @type {any} */ bin) => bin.groups[g])})).filter((/** @type {any} */ series) =>
        series.values.some((/** @type {number} */ n) => n > 0));
    const charts = [
        {title: 'Instructions by group', series: groups, isStacked: true, format: countText},
        {title: 'Misses of the first data cache, of its accesses', series: [{name: 'L1D misses', values: rate((bin) => bin.l1dMisses, (bin) => bin.l1d)}], format: percent},
        {title: 'Lines of 64 bytes that are touched for the first time', series: [{name: 'footprint', values: bins.map((/** @type {any} */ bin) => bin.newLines)}], format: countText},
        {title: 'Jumps, of all instructions', series: [{name: 'jumps', values: rate((bin) => bin.jumps)}], format: percent},
        {title: 'Loads and stores', isStacked: true, series: [{name: 'loads', values: bins.map((/** @type {any} */ bin) => bin.loads)},
            {name: 'stores', values: bins.map((/** @type {any} */ bin) => bin.stores)}], format: countText}];
    /** @type {Node[]} */
    const nodes = [make('p', {class: 'muted'}, `${countText(answer.insns)} instructions` +
        (answer.cut ? ': the first ones of the stretch, which has more than are looked at at a time' : '') +
        '. A click on a chart shows the code there. Caches are those of a usual core: \'stele insn cache\' takes others.')];
    nodes.push(...charts.map((chart) => chartElement(chart, pick)));
    nodes.push(make('div', {class: 'columns'}, mixTable(answer), cacheTable(answer), footprintTable(answer)));
    nodes.push(make('h3', {}, `Blocks that run most, of ${countText(answer.blockCount)}`), ...answer.blocks.map((/** @type {any} */ block) => blockNode(block, answer.insns)));
    nodes.push(make('h3', {}, `Branches, of ${countText(answer.branchCount)}`), branchTable(answer));
    if (!answer.disassembled) nodes.push(make('p', {class: 'muted'}, 'Without LLVM only classes of instructions are known (apt install llvm).'));
    return nodes;
}

/** @param {any} answer */
function mixTable(answer) {
    const rows = answer.groupNames.map((/** @type {string} */ name, /** @type {number} */ g) =>
        [name, answer.bins.reduce((/** @type {number} */ sum, /** @type {any} */ bin) => sum + bin.groups[g], 0)]).filter((/** @type {any} */ row) => row[1] > 0);
    return make('div', {}, make('h3', {}, 'Mix'), table([{title: 'Group', value: (row) => row[0]},
        {title: 'Instructions', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])},
        {title: 'Share', isNumber: true, value: (row) => row[1], show: (row) => percent(row[1] / answer.insns)}], rows, 1));
}

/** @param {any} answer */
function cacheTable(answer) {
    return make('div', {}, make('h3', {}, 'Caches'), table([{title: 'Cache', value: (row) => row[0]},
        {title: 'Reads', isNumber: true, value: (row) => row[1], show: (row) => countText(row[1])},
        {title: 'Missed', isNumber: true, value: (row) => row[2] / Math.max(1, row[1]), show: (row) => (row[1] ? percent(row[2] / row[1]) : '')},
        {title: 'Writes', isNumber: true, value: (row) => row[3], show: (row) => countText(row[3])},
        {title: 'Missed', isNumber: true, value: (row) => row[4] / Math.max(1, row[3]), show: (row) => (row[3] ? percent(row[4] / row[3]) : '')}], answer.caches, -1));
}

/** @param {any} answer */
function footprintTable(answer) {
    /** @type {(title: string, index: number) => import('./dom.js').Column} */
    const column = (title, index) => ({title, isNumber: true, value: (row) => row[index], show: (row) => countText(row[index])});
    return make('div', {}, make('h3', {}, 'Memory touched'), table([{title: 'In units of', isNumber: true, value: (row) => row[0], show: (row) => sizeText(row[0])},
        column('Read', 1), column('Written', 2), column('Executed', 3), column('In all', 4)], answer.footprint, -1));
}

/**
 * @param {any} block
 * @param {number} all
 */
function blockNode(block, all) {
    const summary = make('summary', {}, `${block.pc}  EL${block.level}  ${countText(block.insns)} instructions, run ${countText(block.count)} times: ` +
        percent(block.count * block.insns / all));
    return make('details', {class: 'block'}, summary, make('pre', {}, block.lines.map((/** @type {Insn} */ insn) => insnText(insn)).join('\n') +
        (block.insns > block.lines.length ? `\n... ${countText(block.insns - block.lines.length)} more` : '')));
}

/** @param {Insn} insn */
function insnText([pc, opcode, text]) {
    return `${pc}  ${opcode}  ${text}`;
}

/** @param {any} answer */
function branchTable(answer) {
    return table([{title: 'Instruction', value: (row) => row.insn[0], show: (row) => make('code', {}, insnText(row.insn))},
        {title: 'Kind', value: (row) => branchKinds[row.kind] ?? ''},
        {title: 'Times', isNumber: true, value: (row) => row.count, show: (row) => countText(row.count)},
        {title: 'Taken', isNumber: true, value: (row) => row.taken, show: (row) => (row.kind === 2 ? percent(row.taken / row.count) : '')},
        {title: 'Went elsewhere than before', isNumber: true, value: (row) => row.changes, show: (row) => countText(row.changes)},
        {title: 'Targets', isNumber: true, value: (row) => row.targets, show: (row) => (row.targets > 0 ? countText(row.targets) : '')}], answer.branches, 2);
}

/**
 * The code around an instruction, and the registers before the instruction.
 * @param {any} answer
 * @param {bigint} at number of the instruction
 * @param {(number: bigint) => void} goTo
 * @returns {Node[]}
 */
export function momentNodes(answer, at, goTo) {
    const rows = answer.insns.map((/** @type {any} */ one) => {
        const isIt = BigInt(one.number) === at;
        const row = make('tr', isIt ? {class: 'here', 'aria-current': 'true'} : {}, make('td', {class: 'number'}, countText(Number(one.number))),
            make('td', {}, `EL${one.level}`), make('td', {}, make('code', {}, insnText(one.insn))),
            make('td', {}, make('code', {}, one.accesses.map((/** @type {any} */ [kind, size, address, value]) =>
                `${kind}${size} ${address}=${value}`).join('  '))),
            make('td', {}, make('code', {}, one.writes.map((/** @type {any} */ [reg, value]) => `${reg === 31 ? 'sp' : 'x' + reg}=${value}`).join('  '))));
        row.addEventListener('click', () => goTo(BigInt(one.number)));
        return row;
    });
    const registers = answer.registers.length === 0 ? make('p', {class: 'muted'}, 'None is known: no snapshot and no write stands shortly before.')
        : make('pre', {}, answer.registers.map((/** @type {[string, string]} */ [name, value], /** @type {number} */ i) =>
            `${name.padStart(3)} ${value}${i % 2 === 1 ? '\n' : '   '}`).join(''));
    return [make('div', {class: 'columns'}, make('div', {}, make('h3', {}, 'Code'), make('table', {class: 'code'},
        make('thead', {}, make('tr', {}, ...['Number', '', 'Instruction', 'Memory', 'Leaves'].map((title) => make('th', {scope: 'col'}, title)))),
        make('tbody', {}, ...rows))), make('div', {}, make('h3', {}, 'Registers before it, as far as known'), registers))];
}
