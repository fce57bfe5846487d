// SPDX-License-Identifier: Apache-2.0
// Making elements of a page. Strings become text and never markup.

/**
 * Makes an element with its contents. Strings become text and never markup.
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
export function link(text, action, title) {
    return make('button', {class: 'link', type: 'button', click: action, ...(title ? {title} : {})}, text);
}

/** @typedef {{title: string, isNumber?: boolean, value: (row: any) => number | string | bigint,
 *     show?: (row: any) => string | Node}} Column */

/**
 * Makes a table that can be sorted by clicking its headings.
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {number} by column to sort by at first
 */
export function table(columns, rows, by) {
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
 * Makes a table of names and values.
 * @param {[string, string | Node][]} rows
 */
export function facts(rows) {
    return make('table', {}, make('tbody', {}, ...rows.map(([name, value]) =>
        make('tr', {}, make('th', {scope: 'row'}, name), make('td', {}, value)))));
}

/** @param {string} text */
export function csvField(text) {
    const safe = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Returns the tables in an element as CSV.
 * @param {Element} element
 */
export function tablesAsCsv(element) {
    return [...element.querySelectorAll('table tr')].map((row) =>
        [...row.querySelectorAll('th, td')].map((cell) => csvField(cell.textContent ?? '')).join(',')).join('\r\n');
}

/**
 * Makes a button.
 * @param {string} text
 * @param {() => void} click
 * @param {string} [title]
 */
export function button(text, click, title) {
    return make('button', {type: 'button', click, ...(title ? {title} : {})}, text);
}

/**
 * Makes tabs within a sheet. The contents of a tab are made when it is first shown.
 * @param {string} label
 * @param {{title: string, make: () => Promise<Node[]> | Node[]}[]} all
 * @param {number} first
 * @param {(chosen: number) => void} [changed]
 */
export function tabbed(label, all, first, changed) {
    const body = make('div');
    /** @type {HTMLElement[]} */
    const buttons = [];
    /** @type {(HTMLElement | undefined)[]} */
    const sheets = [];
    /** @type {(index: number) => void} */
    const show = (index) => {
        for (const [i, tab] of buttons.entries()) {
            tab.setAttribute('aria-selected', String(i === index));
            tab.tabIndex = i === index ? 0 : -1;
        }
        if (sheets[index] === undefined) {
            const sheet = sheets[index] = make('div', {}, make('p', {class: 'muted'}, 'Reading ...'));
            Promise.resolve().then(() => all[index].make()).then((nodes) => sheet.replaceChildren(...nodes), (error) => {
                if (error.name === 'AbortError') sheets[index] = undefined;
                else sheet.replaceChildren(make('p', {class: 'error'}, error.message));
            });
        }
        body.replaceChildren(/** @type {HTMLElement} */ (sheets[index]));
        changed?.(index);
    };
    for (const [index, tab] of all.entries())
        buttons.push(make('button', {type: 'button', role: 'tab', click: () => show(index)}, tab.title));
    const bar = make('div', {class: 'subtabs', role: 'tablist', 'aria-label': label}, ...buttons);
    bar.addEventListener('keydown', (event) => {
        const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
        if (step === 0) return;
        const at = (buttons.findIndex((tab) => tab.tabIndex === 0) + step + buttons.length) % buttons.length;
        show(at);
        buttons[at].focus();
        event.preventDefault();
        event.stopPropagation();
    });
    show(Math.min(first, all.length - 1));
    return make('div', {}, bar, body);
}
