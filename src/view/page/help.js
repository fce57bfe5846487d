// SPDX-License-Identifier: Apache-2.0
// The sheet with help: what keys and mouse do, and how things are drawn.

import {Palette, stateNames} from './colors.js';
import {make} from './dom.js';

export function helpSheet() {
    /** @type {[string, string][]} */
    const keys = [['W S, + -', 'zoom in and out at the pointer'], ['A D, arrow keys', 'move in time'],
        ['Up, Down, Page Up, Page Down', 'move through the tracks'], ['0, Home', 'show everything'],
        ['F', 'zoom to what is selected'], ['/', 'search'], ['N, Shift+N', 'next and previous hit'],
        ['[ ]', 'previous and next of the selected name'], [', .', 'previous and next in its row'], ['U J', 'its caller, its first callee'], ['Enter', 'select what is in the middle'],
        ['M', 'bookmark the middle'], ['C', 'fold or open the selected track'], ['P', 'pin the selected track'],
        ['Escape', 'select nothing'], ['?', 'this page']];
    /** @type {[string, string][]} */
    const mouse = [['Drag', 'select a stretch of time and tracks'], ['Shift + drag, middle button', 'move'],
        ['Click', 'all that is known of what is there'], ['Double click', 'zoom to it'],
        ['Ctrl + wheel, pinch, wheel over the axis', 'zoom'], ['Wheel', 'move through the tracks'],
        ['Shift + wheel, sideways', 'move in time']];
    return make('div', {class: 'columns'},
        make('div', {}, make('h3', {}, 'Keys'), make('table', {}, make('tbody', {}, ...keys.map(([key, what]) =>
            make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, what)))))),
        make('div', {class: 'wide'}, make('h3', {}, 'Mouse and touch'), make('table', {}, make('tbody', {}, ...mouse.map(([key, what]) =>
            make('tr', {}, make('td', {}, make('kbd', {}, key)), make('td', {}, what))))),
        make('h3', {}, 'What is drawn'),
        make('p', {}, 'Bars that are not as high as their row stand for several spans, and are as high as the part of their time that has one; "\u00d7 1,000" says how many they are together. Columns: several moments, the higher the more. Hatched red: events that were lost. Arrows: flows. Of counters all values between the least and the greatest of a pixel are drawn.'),
        make('p', {}, 'What threads do: ', ...stateNames.map((name, state) => {
            const swatch = make('span', {class: 'swatch'});
            swatch.style.background = new Palette().state(state);
            return make('span', {class: 'state'}, swatch, name);
        })),
        make('h3', {}, 'Searching'),
        make('p', {}, 'A word finds names that hold it. Expressions are those of --where: dur > 1ms and name ~ "read*", arg.len >= 4096, depth == 0, kind == "log".')));
}
