// SPDX-License-Identifier: Apache-2.0
// The end of the page's address, which says what is shown so that a link leads to it, and copying of
// links.

/** @param {string} id */
const get = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/**
 * The end of an address for what the page shows; '' if nothing was moved, selected or noted.
 * @param {import('./main.js').Page} page
 */
export function addressOf(page) {
    const {timeline, model} = page;
    const parts = new URLSearchParams();
    if (page.hasMoved) parts.set('v', `${timeline.view.begin},${Math.round(timeline.view.length)}`);
    if (timeline.stretch !== undefined) parts.set('r', `${timeline.stretch.begin},${timeline.stretch.end}` +
        (timeline.stretch.tracks ? `,${[...timeline.stretch.tracks].join('.')}` : ''));
    const thing = timeline.selected;
    if (thing !== undefined && (thing.kind === 'span' || thing.kind === 'async' || thing.kind === 'mark'))
        parts.set('s', [thing.kind, thing.track, thing.depth, thing.begin, thing.end, thing.offset].join());
    if (page.search.query !== '') parts.set('q', page.search.query);
    if (page.where !== '') parts.set('w', page.where);
    if (model.sorting !== 'number') parts.set('o', model.sorting);
    for (const [source, shift] of page.shifts) parts.append('d', `${source},${shift}`);
    if (model.filter !== '') parts.set('f', model.filter);
    if (model.folded.size !== 0) parts.set('c', [...model.folded].join('|'));
    if (model.pinned.size !== 0) parts.set('p', [...model.pinned].join('|'));
    for (const mark of timeline.bookmarks) parts.append('m', `${mark.at},${mark.text}`);
    return parts.toString();
}

/**
 * Shows what the end of an address says. Throws if that cannot be shown.
 * @param {import('./main.js').Page} page
 * @param {string} address
 */
export function goTo(page, address) {
    const parts = new URLSearchParams(address);
    page.shifts = new Map(parts.getAll('d').map((part) => [Number(part.split(',')[0]), BigInt(part.split(',')[1])]));
    page.model.sortBy(parts.get('o') ?? 'number');
    /** @type {HTMLSelectElement} */ (get('sort')).value = page.model.sorting;
    page.timeline.bookmarks = [];
    page.setFilter(parts.get('w') ?? '');
    page.model.folded = new Set(parts.get('c')?.split('|') ?? []);
    page.model.pinned = new Set(parts.get('p')?.split('|') ?? []);
    page.model.filter = /** @type {HTMLInputElement} */ (get('filter')).value = parts.get('f') ?? '';
    page.model.layout();
    page.layoutChanged();
    for (const mark of parts.getAll('m')) {
        const comma = mark.indexOf(',');
        page.timeline.bookmarks.push({at: BigInt(mark.slice(0, comma)), text: mark.slice(comma + 1)});
    }
    page.panel.showNotes();
    const view = parts.get('v')?.split(',');
    if (view !== undefined) page.setView(BigInt(view[0]), Number(view[1]));
    const stretch = parts.get('r')?.split(',');
    if (stretch !== undefined) page.selectStretch(BigInt(stretch[0]), BigInt(stretch[1]),
        stretch[2] === undefined ? undefined : new Set(stretch[2].split('.').map(Number)));
    const query = parts.get('q');
    if (query !== null) page.search.fill(query);
    const thing = parts.get('s')?.split(',');
    if (thing !== undefined)
        page.select({kind: /** @type {any} */ (thing[0]), track: Number(thing[1]), depth: Number(thing[2]),
            begin: BigInt(thing[3]), end: BigInt(thing[4]), offset: Number(thing[5]), count: 1, busy: 0, name: '',
            nameNumber: 0, data: 0, text: '', node: /** @type {any} */ (page.model.byTrack.get(Number(thing[1])))});
}

/**
 * @param {string} text
 * @param {HTMLElement} button shows that the text was copied
 */
export async function copyText(text, button) {
    const label = button.textContent;
    try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
    } catch {
        /* Pages that were not served over a secure connection may not use navigator.clipboard. */
        const area = document.createElement('textarea');
        area.value = text;
        document.body.append(area);
        area.select();
        button.textContent = document.execCommand('copy') ? 'Copied' : 'Not allowed here';
        area.remove();
    }
    setTimeout(() => { button.textContent = label; }, 1200);
}
