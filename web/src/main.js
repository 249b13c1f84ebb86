// What the page shows depends on its data.
import './style.css';
import { banner, messages, metrics, source, summary } from './details.js';
import { Clock } from './clock.js';
import { showComparison } from './compare.js';
import { h, icon } from './dom.js';
import { showMethods } from './methods.js';
import { Figures, Plots } from './plots.js';
import { readRun } from './run.js';
import { keepState } from './state.js';
import { Stage } from './stage.js';
import { showSweep } from './sweep.js';

const app = document.getElementById('app');

/** Colours of the drawing, from the style sheet. */
function makeStyle() {
  let kept = null;
  const style = () => {
    if (kept) return kept;
    const css = getComputedStyle(document.documentElement);
    const names = ['ink', 'paper', 'faint', 'grid', 'grid3d', 'ground', 'spring', 'accent', 'reaction', 'load'];
    kept = Object.fromEntries(names.map((name) => [name, css.getPropertyValue(`--${name}`).trim()]));
    return kept;
  };
  style.forget = () => (kept = null);
  return style;
}

const help = [
  ['space', 'play, pause'], ['← →', 'one frame; with shift ten'], ['Home, End', 'start, end'], ['+ −', 'speed'],
  ['f', 'show everything'], ['r', 'reactions'], ['a', 'applied forces'], ['s', 'stroboscope'], ['j', 'joints'], ['n', 'names'], ['g', 'gravity'], ['l', 'loop'], ['o', 'orthographic, in space'],
  ['drag, wheel', 'turn or move, zoom; with two fingers too'],
  ['click', 'a body, joint or force: its name and measures; Escape leaves it'],
];

function showHelp() {
  const dialog = h('dialog', { onclose: () => dialog.remove() },
    h('button.close', { title: 'Close', onclick: () => dialog.close() }, icon('close')),
    h('h2', {}, 'Keys'), h('table.facts', {}, ...help.map(([keys, what]) => h('tr', {}, h('th', {}, keys), h('td', {}, what)))));
  document.body.append(dialog);
  dialog.showModal();
}

function header(title, status, description, redraw) {
  const root = document.documentElement;
  const toggle = () => {
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
    redraw();
  };
  return h('header', {}, h('h1', {}, title), status ? h(`span.status.${status}`, {}, status) : null,
    h('span.space'), h('button', { title: 'Keys', 'aria-label': 'Keys', onclick: showHelp }, icon('help')),
    h('button', { title: 'Light or dark', 'aria-label': 'Light or dark', onclick: toggle }, icon('theme')),
    description ? h('p.description', {}, description) : null);
}

function span(runs) {
  const times = runs.flatMap((run) => (run.moves ? [run.film.t[0], run.film.t.at(-1)] : [run.curves.t[0], run.curves.t.at(-1)])).filter(Number.isFinite);
  return times.length ? [Math.min(...times), Math.max(...times)] : [0, 0];
}

/** Animation and plots side by side, and what drives them. */
function theatre(runs) {
  const style = makeStyle();
  const clock = new Clock(...span(runs));
  const moving = runs.filter((run) => run.moves);
  const stage = moving.length ? new Stage(moving, clock, style) : null;
  const plots = new Plots(runs, clock, style);
  if (stage) stage.onplot = (names) => plots.show(names);
  const figures = runs.length === 1 && runs[0].data.plots?.length ? new Figures(runs[0], clock, style) : null;
  const redraw = () => {
    style.forget();
    stage?.redraw();
    plots.redraw();
    figures?.redraw();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'range') return;
    if (event.target.tagName === 'BUTTON' && event.key === ' ') return;
    if (stage?.key(event)) event.preventDefault();
  });
  return { clock, stage, plots, figures, redraw, element: h('main.theatre', { class: stage ? 'theatre' : 'theatre plots-only' }, stage?.element, plots.element) };
}

async function showRun(data) {
  const run = await readRun(data);
  const parts = theatre([run]);
  const notes = parts.stage ? h('p.note.film-note', {}, parts.stage.note()) : null;
  app.append(
    ...[header(data.summary.name || data.summary.model || 'Trammel', data.summary.status, data.description, parts.redraw),
      banner(data), messages(data), parts.element, notes, metrics(data), parts.figures?.element, summary(data), source(data),
      h('footer', {}, `Trammel ${data.trammel}`)].filter(Boolean),
  );
  parts.clock.seek(parts.clock.start);
  keepState(parts);
  return { ...parts, runs: [run] };
}

const tools = { app, header, theatre, makeStyle };
const kinds = { run: showRun, compare: (data) => showComparison(data, tools), methods: (data) => showMethods(data, tools), sweep: (data) => showSweep(data, tools) };

async function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  window.trammel = await kinds[data.kind](data);
  document.documentElement.dataset.ready = 'yes';
}

start().catch((error) => {
  app.append(h('p.banner.bad', { role: 'alert' }, `This page could not be shown: ${error.message}`));
  throw error;
});
