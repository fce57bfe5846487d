// SPDX-License-Identifier: Apache-2.0
// Times as texts for people. Moments are nanoseconds on the axis, as BigInt; lengths are numbers.

/** @typedef {'ns' | 'ticks' | 'instructions'} Clock */

/** @type {[number, string][]} */
const units = [[1, 'ns'], [1e3, '\u00b5s'], [1e6, 'ms'], [1e9, 's'], [60e9, 'min'], [3600e9, 'h'],
    [86400e9, 'd']];

/**
 * A number as text with at most `digits` digits after the point, without zeros at the end.
 * @param {number} value
 * @param {number} digits
 */
function brief(value, digits) {
    const text = value.toFixed(digits);
    return digits > 0 ? text.replace(/\.?0+$/, '') : text;
}

/**
 * A length of time as text: "1.5 ms", and for other clocks "1.5 M" with the clock's unit.
 * @param {number | bigint} length
 * @param {Clock} clock
 */
export function lengthText(length, clock) {
    const value = Number(length);
    const size = Math.abs(value);
    if (clock !== 'ns') {
        const word = clock === 'ticks' ? 'ticks' : 'instructions';
        if (size >= 1e9) return brief(value / 1e9, 3) + ' G ' + word;
        if (size >= 1e6) return brief(value / 1e6, 3) + ' M ' + word;
        return value.toLocaleString('en') + ' ' + word;
    }
    let unit = units[0];
    for (const next of units.slice(0, 4)) if (size >= next[0]) unit = next;
    if (size >= 600e9) for (const next of units.slice(4)) if (size >= next[0]) unit = next;
    return brief(value / unit[0], unit[0] === 1 ? 0 : 3) + ' ' + unit[1];
}

/**
 * A moment, counted from the begin of the traces, as text that is exact to the nanosecond:
 * "12.000000345 s".
 * @param {bigint} since
 * @param {Clock} clock
 */
export function momentText(since, clock) {
    if (clock !== 'ns') return since.toLocaleString('en');
    const sign = since < 0n ? '-' : '';
    const size = since < 0n ? -since : since;
    const fraction = (size % 1000000000n).toString().padStart(9, '0');
    return `${sign}${size / 1000000000n}.${fraction} s`;
}

/**
 * A moment of the wall clock as text: "2024-05-01 10:00:00.123456789 UTC".
 * @param {bigint} ns since 1970
 */
export function wallText(ns) {
    const second = ns >= 0n ? ns / 1000000000n : -((-ns + 999999999n) / 1000000000n);
    const date = new Date(Number(second) * 1000);
    if (Number.isNaN(date.getTime())) return '';
    const fraction = (ns - second * 1000000000n).toString().padStart(9, '0');
    return date.toISOString().slice(0, 19).replace('T', ' ') + '.' + fraction + ' UTC';
}

/**
 * The distance between marks on an axis: 1, 2 or 5 times a power of ten, and for long times whole
 * minutes, hours or days.
 * @param {number} least
 * @param {Clock} clock
 */
export function tickLength(least, clock) {
    if (least <= 1) return 1;
    if (clock === 'ns' && least > 30e9) {
        for (const step of [60e9, 300e9, 600e9, 1800e9, 3600e9, 7200e9, 21600e9, 43200e9, 86400e9,
            2 * 86400e9, 7 * 86400e9, 14 * 86400e9, 28 * 86400e9, 56 * 86400e9, 112 * 86400e9])
            if (step >= least) return step;
    }
    const power = 10 ** Math.floor(Math.log10(least));
    for (const step of [1, 2, 5, 10]) if (step * power >= least) return Math.round(step * power);
    return power * 10;
}

/**
 * A number of things with the words for one and for several.
 * @param {number} count @param {string} one @param {string} several @returns {string}
 */
export function ofThem(count, one, several) {
    return `${countText(count)} ${count === 1 ? one : several}`;
}

/** @param {number} count */
export function countText(count) {
    return count.toLocaleString('en');
}

/** @param {number} size bytes */
export function sizeText(size) {
    for (const [unit, word] of /** @type {[number, string][]} */ (
        [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]))
        if (size >= unit) return brief(size / unit, 1) + ' ' + word;
    return size + ' bytes';
}

/**
 * The name of a trace: the end of its path, from a part on that tells it from other traces. "64-bit" is
 * what LTTng calls any folder.
 * @param {string} path
 */
export function traceName(path) {
    const parts = path.split('/').filter((part) => part !== '');
    let from = parts.length - 1;
    while (from > 0 && /^(\d+|\d+-bit|uid|pid|ust|kernel|domain|trace)$/.test(parts[from])) from--;
    return parts.slice(from).join('/');
}
