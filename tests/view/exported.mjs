// SPDX-License-Identifier: Apache-2.0
// The page as a folder, opened as a file: exported.mjs FOLDER MODULES BROWSER, where MODULES has
// node_modules/playwright-core.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const [folder, modules, browserPath] = process.argv.slice(2);
const {chromium} = createRequire(`${modules}/package.json`)('playwright-core');
let failures = 0;

function check(what, holds, detail = '') {
    if (holds) return;
    failures++;
    console.log(`not so: ${what} ${detail}`);
}

const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu']});
const page = await browser.newPage({viewport: {width: 1200, height: 800}});
page.on('console', (message) => check('nothing is wrong on the console', message.type() !== 'error', message.text()));
page.on('pageerror', (error) => check('no script fails', false, error.message));
page.on('request', (request) => check('no request elsewhere', request.url().startsWith('file:'), request.url()));
await page.goto(pathToFileURL(`${folder}/index.html`).href);
await page.waitForFunction(() => globalThis.stelePage?.info?.complete, null, {timeout: 10000}).catch(() => check('the page opens from a file', false));
await page.waitForTimeout(500);
const drawn = () => page.evaluate(() => {
    const {timeline} = globalThis.stelePage;
    for (let y = 4; y < timeline.height; y += 4)
        for (let x = 4; x < timeline.width; x += 4)
            if (timeline.thingAt(x, y) !== undefined) return true;
    return false;
});
check('something is drawn', await drawn());
// What the edges of tiles cut is one entry, from its true begin to its true end.
const crossings = JSON.parse(readFileSync(`${folder}/data/crossings.js`, 'utf8').replace(/^.*?,/, '').replace(/\);\s*$/, '')).spans;
async function checkCrossings(when) {
    const found = await page.evaluate(() => {
        const {timeline} = globalThis.stelePage;
        const {begin, length} = timeline.view;
        const stretch = timeline.tiles.stretches.get(timeline.tiles.stretchFor(begin, length).key);
        const since = Number(stretch.begin - timeline.tiles.origin);
        const entries = [];
        for (const {rows} of stretch.tracks.values())
            for (const row of rows)
                for (let i = 0; row.row === 'spans' && i < row.begin.length; i++)
                    if (row.count[i] === 1) entries.push([row.track, row.index, row.begin[i] + since, row.dur[i]].join());
        return {entries, begin: since, end: since + Number(stretch.end - stretch.begin)};
    });
    const all = new Map();
    for (const entry of found.entries) all.set(entry, (all.get(entry) ?? 0) + 1);
    let seen = 0;
    for (let i = 0; i < crossings.length; i += 5) {
        const [track, depth, begin, length] = crossings.slice(i, i + 4);
        // A shorter one may be part of an entry for several.
        if (begin >= found.end || begin + length <= found.begin || length < (found.end - found.begin) / 100) continue;
        seen++;
        check(`${when}, a span over edges is drawn as one`, all.get([track, depth, begin, length].join()) === 1,
            [track, depth, begin, length, found.entries.filter((one) => one.startsWith(`${track},${depth},`)).slice(0, 5)].join(' '));
    }
    return seen;
}
let crossed = await checkCrossings('at first');
const box = await page.locator('#picture').boundingBox();
await page.mouse.move(box.x + 100, box.y + 10);
await page.mouse.down();
await page.mouse.move(box.x + 600, box.y + 200, {steps: 5});
await page.mouse.up();
await page.waitForTimeout(500);
const text = await page.locator('#content').innerText();
check('the profile of the whole is there', /Self|Nothing ran here/.test(text), text);
for (const key of ['w', 'w', 'w', 'd', 'w', 'w', 'w']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(500);
    crossed += await checkCrossings(`after ${key}`);
}
check('some spans cross edges', crossed > 0 || crossings.length === 0);
await page.keyboard.press('0');
await page.waitForTimeout(500);
await checkCrossings('after all');
check('it is drawn after zooming', await drawn());
await browser.close();
console.log(failures === 0 ? 'ok: the folder is a page' : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
