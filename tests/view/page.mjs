// SPDX-License-Identifier: Apache-2.0
// The page in a browser: page.mjs STELE TRACE FOLDER, where FOLDER has node_modules/playwright-core.
// The trace is the sample events.fxt, or any other with spans and moments.
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';

const [stele, trace, folder, browserPath] = process.argv.slice(2);
const {chromium} = createRequire(`${folder}/package.json`)('playwright-core');
let failures = 0;

function check(what, holds, detail = '') {
    if (holds) return;
    failures++;
    console.log(`not so: ${what} ${detail}`);
}

const server = spawn(stele, ['view', '--no-open', '--quiet', trace]);
const address = await new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data).trim())));
const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu']});
const page = await browser.newPage({viewport: {width: 1200, height: 800}});
const own = new URL(address).origin;
page.on('console', (message) => check('nothing is wrong on the console', message.type() !== 'error', message.text()));
page.on('pageerror', (error) => check('no script fails', false, error.message));
page.on('request', (request) => check('no request elsewhere', request.url().startsWith(own), request.url()));
page.on('dialog', (dialog) => { check('no name runs as a script', false); dialog.dismiss(); });

const state = () => page.evaluate(() => {
    const {timeline, search, panel, model} = globalThis.stelePage;
    return {length: timeline.view.length, begin: String(timeline.view.begin), tab: panel.tab, hits: search.hits.length,
        selected: timeline.selected?.name, stretch: timeline.stretch !== undefined, rows: model.shown.length};
});
const settle = () => page.waitForTimeout(400);
/* A place of the picture where a single span is drawn. */
const spanPlace = () => page.evaluate(() => {
    const {timeline} = globalThis.stelePage;
    for (let y = 4; y < timeline.height; y += 4)
        for (let x = 4; x < timeline.width; x += 4) {
            const thing = timeline.thingAt(x, y);
            if (thing?.kind === 'span' && thing.count === 1 && thing.end > thing.begin)
                return {x, y, name: thing.name, length: Number(thing.end - thing.begin)};
        }
    return undefined;
});

await page.goto(address);
await page.waitForFunction(() => globalThis.stelePage?.info?.complete);
await settle();
const first = await state();
check('there are tracks', first.rows > 0);
const box = await page.locator('#picture').boundingBox();

await page.keyboard.press('w');
await settle();
const near = await state();
check('W zooms in', near.length < first.length);
await page.keyboard.press('s');
await settle();
check('S zooms out', (await state()).length > near.length);
await page.mouse.move(box.x + 300, box.y + 40);
await page.keyboard.down('Control');
await page.mouse.wheel(0, -300);
await page.keyboard.up('Control');
await settle();
const wheel = await state();
check('Ctrl and wheel zoom', wheel.length < first.length);
await page.keyboard.press('d');
await settle();
check('D moves', (await state()).begin !== wheel.begin);
await page.keyboard.press('0');
await settle();
check('0 shows everything', (await state()).length === first.length);

const place = await spanPlace();
check('a span is drawn', place !== undefined);
if (place !== undefined) {
    await page.mouse.click(box.x + place.x, box.y + place.y);
    await settle();
    const clicked = await state();
    check('a click selects', clicked.selected === place.name && clicked.tab === 'selection', JSON.stringify(clicked));
    const text = await page.locator('#content').innerText();
    check('it says how long it took', text.includes('Duration'), text);
    await page.getByRole('button', {name: 'Show its bytes'}).click();
    await page.waitForSelector('.record pre', {timeout: 5000}).catch(() => {});
    const bytes = await page.locator('.record').innerText();
    check('it shows the bytes of the record', /^000000 {2}[0-9a-f]{2} /m.test(bytes), bytes);
    await page.locator('#picture').focus();
    await page.keyboard.press('f');
    await settle();
    // A span can be as long as the trace: then there is nothing to zoom into.
    const zoomed = (await state()).length;
    check('F zooms to it', zoomed >= place.length && zoomed <= 2 * place.length,
        `${zoomed} of ${first.length}, for ${place.length}`);
    const link = page.url();
    check('the address holds what is seen', link.includes('#') && link.includes('s='), link);
    const other = await browser.newPage({viewport: {width: 1200, height: 800}});
    await other.goto(link);
    await other.waitForFunction(() => globalThis.stelePage?.info?.complete);
    await other.waitForTimeout(600);
    const view = await other.evaluate(() => String(globalThis.stelePage.timeline.view.begin));
    check('a link leads to the same view', view === (await state()).begin);
    check('and to the same span', await other.evaluate(() => globalThis.stelePage.timeline.selected !== undefined));
    await other.close();
    await page.keyboard.press('0');
    await page.keyboard.press('/');
    await page.keyboard.type('dur >= 0ns');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => globalThis.stelePage.search.hits.length > 0, null, {timeout: 5000}).catch(() => {});
    check('a search finds', (await state()).hits > 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await settle();
    check('N goes to a hit', (await state()).selected !== undefined);
}
await page.keyboard.press('0');
await settle();
await page.mouse.move(box.x + 100, box.y + 10);
await page.mouse.down();
await page.mouse.move(box.x + 600, box.y + 200, {steps: 5});
await page.mouse.up();
await settle();
const dragged = await state();
check('dragging selects a stretch', dragged.stretch && dragged.tab === 'stretch');
await page.waitForSelector('#content .subtabs', {timeout: 5000}).catch(() => {});
const inSheet = async (tab) => {
    await page.getByRole('tab', {name: tab}).click();
    await page.waitForFunction(() => !document.querySelector('#content')?.textContent?.includes('Reading ...'), null, {timeout: 5000}).catch(() => {});
    return page.locator('#content').innerText();
};
check('it has a profile', /Self|Nothing ran here/.test(await inSheet('Profile')));
await inSheet('Flame graph');
check('it has a flame graph', await page.evaluate(() => {
    const canvas = document.querySelector('canvas.flame');
    return canvas === null ? document.querySelector('#content').textContent.includes('Nothing ran') : canvas.height > 18;
}));
await page.locator('canvas.flame').first().focus().catch(() => {});
for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'Enter', 'Escape', 'ArrowUp']) await page.keyboard.press(key);
check('it says what threads do', /Threads|tell nothing/.test(await inSheet('Threads and CPUs')));
check('what is saved has a name', (await page.locator('a[download]').first().getAttribute('href'))?.includes('api/'));
await page.getByRole('button', {name: 'Remember for comparison'}).click();
await page.mouse.move(box.x + 200, box.y + 10);
await page.mouse.down();
await page.mouse.move(box.x + 500, box.y + 300, {steps: 5});
await page.mouse.up();
await settle();
check('a stretch is compared with another', /Before:/.test(await inSheet('Comparison')));
await page.getByRole('button', {name: 'Colour by what got slower'}).click();
check('what got slower is coloured', await page.evaluate(() => globalThis.stelePage.timeline.tones !== undefined));
await page.locator('#picture').focus();
await page.keyboard.press('Escape');
await page.keyboard.press('m');
await page.keyboard.type('a note <b>');
check('a note is kept', await page.evaluate(() => globalThis.stelePage.timeline.bookmarks[0]?.text) === 'a note <b>');
await page.waitForTimeout(300);
check('the address has the note', decodeURIComponent(page.url()).includes('a+note+<b>'), page.url());
await page.getByRole('button', {name: 'Remove'}).click();
await page.fill('#search', 'dur < 0ns');
await page.getByRole('button', {name: 'Only this'}).click();
await settle();
check('a filter binds the picture', await spanPlace() === undefined);
check('it is shown', await page.locator('#only').isVisible());
await page.getByRole('button', {name: 'Show all'}).click();
await settle();
check('and can be taken away', (await spanPlace()) !== undefined);
await page.getByRole('tab', {name: 'SQL'}).click();
await page.fill('textarea.sql', 'SELECT count(*) AS n FROM event');
await page.keyboard.press('Control+Enter');
await page.waitForFunction(() => /1 rows|DuckDB|not supported/.test(document.querySelector('#content')?.textContent ?? ''), null, {timeout: 20000})
    .catch(() => check('SQL gives rows, or says what is missing', false));
await page.locator('#names .track').last().focus();
await page.keyboard.press('p');
await settle();
check('a pinned track stays on top', await page.evaluate(() => document.querySelectorAll('#pins .track').length) === 1);
await page.keyboard.press('p');
await page.selectOption('#sort', 'events');
check('tracks can be sorted', (await state()).rows === first.rows);
await page.selectOption('#sort', 'number');
await page.locator('#picture').focus();
await page.keyboard.press('Escape');
await settle();
check('Escape selects nothing', !(await state()).stretch);
await page.locator('#names .track').first().focus();
await page.keyboard.press('ArrowDown');
check('arrows walk through the tracks', await page.evaluate(() => document.activeElement?.getAttribute('role') === 'treeitem'));
await page.fill('#filter', 'nothing is called so');
await settle();
check('the filter leaves out tracks', (await state()).rows === 0);
await page.fill('#filter', '');
for (const size of [{width: 420, height: 700}, {width: 640, height: 400}]) {
    await page.setViewportSize(size);
    await settle();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
    check(`nothing stands out of a page of ${size.width} pixels`, !wide);
}
await browser.close();
server.kill('SIGINT');
console.log(failures === 0 ? 'ok: the page does what it says' : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
