// SPDX-License-Identifier: Apache-2.0
// What the page draws is what it drew before: drawn.mjs STELE FOLDER BROWSER BASELINES [--write], run
// where the traces are; FOLDER has node_modules/playwright-core. Each picture is compared with a list of
// its boxes and texts, BASELINES/NAME.txt, in which numbers may differ by a pixel. Such lists, and not
// images, are kept because these depend on the fonts and the smoothing of one machine, and no one sees
// in a review what changed in them. Texts are measured as if all letters had one width. Where fonts
// nevertheless lay the page out otherwise, pictures are not compared, which is said.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const [stele, folder, browserPath, baselines, option] = process.argv.slice(2);
const {chromium} = createRequire(`${folder}/package.json`)('playwright-core');
const LETTER = 6.5, TOLERANCE = 1, LINES = 150;
const PICTURES = [
    {name: 'fxt-events', traces: ['fxt/good/events.fxt']},
    {name: 'fxt-sched', traces: ['fxt/good/scheduling.fxt']},
    {name: 'heph', traces: ['heph/good/heph_tracing_example.bin.log']},
    {name: 'xray', traces: ['xray/good/tail.14.fdr5.tsc.xray']},
    {name: 'ctf', traces: ['ctf/good/lttng_216_2']},
    {name: 'xtrace', traces: ['xtrace/good/bare_front.xinsndata.bin']},
    {name: 'two', traces: ['xray/good/tail.14.fdr5.tsc.xray', 'fxt/good/events.fxt', '--align-start']}];
let failures = 0, compared = 0, different = 0;

/* Runs in the page before its scripts: keeps what is drawn on any canvas while `drawn` is a list. */
function listen(letter) {
    const p = CanvasRenderingContext2D.prototype;
    const color = (style) => typeof style === 'string' ? style : 'pattern';
    const place = (context, kind, numbers, rest) => globalThis.drawn?.push(
        [context.canvas.id || context.canvas.className, kind, ...numbers.map((n) => Math.round(n)), rest].join(' '));
    const {fillRect, strokeRect, fillText} = p;
    const {rect} = Path2D.prototype;
    Path2D.prototype.rect = function (...box) {
        globalThis.drawn?.push(['path box', ...box.map((n) => Math.round(n))].join(' '));
        rect.apply(this, box);
    };
    p.measureText = (text) => ({width: text.length * letter});
    p.fillRect = function (...box) { place(this, 'box', box, color(this.fillStyle)); fillRect.apply(this, box); };
    p.strokeRect = function (...box) { place(this, 'frame', box, color(this.strokeStyle)); strokeRect.apply(this, box); };
    p.fillText = function (text, x, y) { place(this, 'text', [x, y], JSON.stringify(text)); fillText.call(this, text, x, y); };
}

/* Of long lists, as many lines as say where something changed, and how many there are. */
function thin(lines) {
    if (lines.length <= LINES) return lines;
    const step = Math.ceil(lines.length / LINES);
    return [`${lines[0]}, one of ${step} of ${lines.length} lines`, ...lines.filter((_, i) => i % step === 1)];
}

/* The lines of a picture: the titles of its tracks, and what is drawn. */
async function look(page, what) {
    return page.evaluate((title) => {
        const box = document.querySelector('#picture').getBoundingClientRect();
        globalThis.drawn = [];
        globalThis.stelePage.repaint(); /* the overview, too */
        const lines = [...new Set(globalThis.drawn)];
        globalThis.drawn = undefined;
        const tracks = [...document.querySelectorAll('#names .track')].map((row) =>
            `track ${Math.round(row.getBoundingClientRect().top - box.top)} ${JSON.stringify(row.textContent)}`);
        return [`# ${title}`, ...tracks, ...lines];
    }, what);
}

async function flame(page) {
    return page.evaluate(async () => {
        const canvas = document.querySelector('canvas.flame');
        if (canvas === null) return ['# no flame graph'];
        globalThis.drawn = [];
        matchMedia('print').dispatchEvent(new Event('change'));
        canvas.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true}));
        await new Promise(requestAnimationFrame);
        const lines = globalThis.drawn.filter((line) => line.startsWith('flame'));
        globalThis.drawn = undefined;
        return ['# flame graph', ...new Set(lines)];
    });
}

/* All that is kept of a page: the whole, an eighth of it, and the flame graph of a stretch. */
async function record(address, browser) {
    const context = await browser.newContext({viewport: {width: 1200, height: 800}, colorScheme: 'light',
        locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce'});
    const page = await context.newPage();
    await page.addInitScript(listen, LETTER);
    await page.goto(address);
    const complete = () => page.waitForFunction(() => globalThis.stelePage?.info?.complete);
    const settle = () => page.waitForTimeout(700);
    await complete();
    await settle();
    const size = await page.evaluate(() => {
        const box = document.querySelector('#picture').getBoundingClientRect();
        return `page ${Math.round(box.left)} ${Math.round(box.top)} ${Math.round(box.width)} ${Math.round(box.height)}`;
    });
    const lines = thin(await look(page, 'the whole'));
    for (let i = 0; i < 3; i++) await page.keyboard.press('w');
    await settle();
    lines.push(...thin(await look(page, 'nearer')));
    await page.keyboard.press('0');
    await settle();
    const box = await page.locator('#picture').boundingBox();
    await page.mouse.move(box.x + 20, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 20, box.y + 200, {steps: 4});
    await page.mouse.up();
    await settle();
    await page.getByRole('tab', {name: 'Flame graph'}).click();
    await settle();
    lines.push(...thin(await flame(page)));
    await context.close();
    return [size, ...lines];
}

/* Whether two lines are the same but for numbers that differ by a pixel. */
function near(a, b) {
    const [left, right] = [a, b].map((line) => line.split(' "')[0].split(' '));
    if (a.includes('"') && a.slice(a.indexOf('"')) !== b.slice(b.indexOf('"'))) return false;
    return left.length === right.length && left.every((word, i) => word === right[i] ||
        Math.abs(Number(word) - Number(right[i])) <= TOLERANCE);
}

function compare(name, lines) {
    const path = `${baselines}/${name}.txt`;
    if (option === '--write') {
        mkdirSync(baselines, {recursive: true});
        writeFileSync(path, lines.join('\n') + '\n');
        return;
    }
    const wanted = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
    if (wanted.length !== 0 && !near(wanted[0], lines[0])) {
        different++;
        console.log(`${name}: not compared, as fonts lay the page out otherwise: ${lines[0]} instead of ${wanted[0]}`);
        return;
    }
    compared++;
    const at = [...Array(Math.max(wanted.length, lines.length)).keys()].find((i) => !near(wanted[i] ?? '', lines[i] ?? ''));
    if (at === undefined) return;
    failures++;
    console.log(`not so: ${name} is drawn as before; line ${at + 1} is\n  ${lines[at] ?? '(nothing)'}\ninstead of\n  ${wanted[at] ?? '(nothing)'}`);
}

const browser = await chromium.launch({executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu']});
for (const {name, traces} of PICTURES) {
    const server = spawn(stele, ['view', '--no-open', '--quiet', ...traces]);
    const address = await new Promise((resolve) => server.stdout.once('data', (data) => resolve(String(data).trim())));
    compare(name, await record(address, browser));
    server.kill('SIGINT');
}
await browser.close();
if (different !== 0) console.log(`SKIP: ${different} of ${PICTURES.length} pictures were not compared`);
console.log(failures === 0 ? `ok: ${compared} pictures are drawn as before` : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
