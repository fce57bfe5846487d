// SPDX-License-Identifier: Apache-2.0
// Small charts over time, one below the other. They need no server: their values are given as data.

import {Palette} from './colors.js';
import {fit, numberText} from './draw.js';
import {make} from './dom.js';

/**
 * @typedef {{title: string, series: {name: string, values: number[]}[], isStacked?: boolean,
 *     format?: (value: number) => string}} Chart one value of each series for each step of time
 */

const HEIGHT = 54;

/**
 * @param {Chart} chart
 * @param {(share: number) => void} [pick] is called with the part of the time that was clicked
 * @returns {HTMLElement}
 */
export function chartElement(chart, pick) {
    const canvas = /** @type {HTMLCanvasElement} */ (make('canvas', {class: 'chart', role: 'img', 'aria-label': chart.title}));
    const format = chart.format ?? numberText;
    const value = make('span', {class: 'muted'});
    const palette = new Palette();
    const legend = chart.series.length < 2 ? [] : chart.series.map((series) => {
        const swatch = make('span', {class: 'swatch'});
        swatch.style.background = palette.fill(series.name);
        return make('span', {class: 'state'}, swatch, series.name);
    });
    const count = chart.series[0]?.values.length ?? 0;
    const sums = Array.from({length: count}, (_, i) => chart.series.reduce((sum, series) => sum + series.values[i], 0));
    const most = Math.max(1e-12, ...(chart.isStacked ? sums : chart.series.flatMap((series) => series.values)));
    const element = make('figure', {class: 'chart-frame'}, make('figcaption', {}, `${chart.title} `, ...legend, value), canvas);
    const draw = () => {
        const width = element.clientWidth;
        if (width === 0 || count === 0) return;
        fit(canvas, width, HEIGHT);
        const colors = new Palette();
        const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        const scale = devicePixelRatio || 1;
        c.setTransform(scale, 0, 0, scale, 0, 0);
        c.fillStyle = colors.back2;
        c.fillRect(0, 0, width, HEIGHT);
        const base = new Array(count).fill(0);
        for (const series of chart.series) {
            c.fillStyle = colors.fill(series.name);
            for (let i = 0; i < count; i++) {
                const from = Math.round(i * width / count), to = Math.max(from + 1, Math.round((i + 1) * width / count));
                const size = series.values[i] / most * (HEIGHT - 4);
                c.fillRect(from, HEIGHT - base[i] - size, to - from, size);
                if (chart.isStacked) base[i] += size;
            }
        }
        c.fillStyle = colors.text2;
        c.font = '10px system-ui, "DejaVu Sans", sans-serif';
        c.textBaseline = 'top';
        c.fillText(format(most), 3, 2);
    };
    canvas.addEventListener('pointermove', (event) => {
        const share = (event.clientX - canvas.getBoundingClientRect().left) / Math.max(1, canvas.clientWidth);
        const i = Math.max(0, Math.min(count - 1, Math.floor(share * count)));
        value.textContent = chart.series.map((series) => (chart.series.length > 1 ? series.name + ' ' : '') + format(series.values[i])).join(', ');
    });
    canvas.addEventListener('pointerleave', () => { value.textContent = ''; });
    if (pick !== undefined)
        canvas.addEventListener('click', (event) =>
            pick((event.clientX - canvas.getBoundingClientRect().left) / Math.max(1, canvas.clientWidth)));
    new ResizeObserver(draw).observe(element);
    matchMedia('print').addEventListener('change', draw);
    return element;
}
