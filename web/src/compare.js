// Several runs over each other, and how well they agree.
import uPlot from 'uplot';
import { readTable } from './block.js';
import { h, number } from './dom.js';
import { readRun } from './run.js';
import { runColors } from './shapes.js';
import { sortable } from './table.js';

const interval = ([value, low, high]) => (value === null ? '–' : `${value.toFixed(6)} [${low.toFixed(6)}, ${high.toFixed(6)}]`);

function axes(style) {
  const axis = { stroke: style.faint, grid: { stroke: style.grid, width: 1 }, ticks: { stroke: style.grid, width: 1 }, font: '11px system-ui, sans-serif' };
  const values = (u, splits) => splits.map((v) => (v === null ? '' : number(v, 4)));
  return (x, y) => [{ ...axis, size: 44, label: x, labelSize: 18, labelFont: '12px system-ui, sans-serif', values },
    { ...axis, size: 74, label: y, labelSize: 18, labelFont: '12px system-ui, sans-serif', values }];
}

/** Dots for mode 2: uPlot has no scatter of its own. */
function dots(u, index) {
  const path = new Path2D();
  uPlot.orient(u, index, (series, xs, ys, scaleX, scaleY, toX, toY, left, top, width, height) => {
    const [x, y] = u.data[index];
    const radius = 1.9 * devicePixelRatio;
    for (let i = 0; i < x.length; i++) {
      const [a, b] = [toX(x[i], scaleX, width, left), toY(y[i], scaleY, height, top)];
      path.moveTo(a + radius, b);
      path.arc(a, b, radius, 0, 2 * Math.PI);
    }
  });
  return { stroke: null, fill: path, flags: 2 };
}

/** Bias and limits across the plot, each with its confidence interval. */
function limits(column, style) {
  return (u) => {
    const g = u.ctx;
    g.save();
    g.beginPath();
    g.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    g.clip();
    g.textAlign = 'left';
    g.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    g.textBaseline = 'bottom';
    for (const [name, [value, low, high], color] of [['bias', column.bias, style.accent], ['+1.96 SD', column.upper, style.spring], ['−1.96 SD', column.lower, style.spring]]) {
      const y = u.valToPos(value, 'y', true);
      const [a, b] = [u.valToPos(high, 'y', true), u.valToPos(low, 'y', true)];
      g.fillStyle = color;
      g.globalAlpha = 0.13;
      g.fillRect(u.bbox.left, a, u.bbox.width, Math.max(b - a, 1));
      g.globalAlpha = 1;
      g.strokeStyle = color;
      g.lineWidth = 1.5 * devicePixelRatio;
      g.setLineDash(name === 'bias' ? [] : [6 * devicePixelRatio, 4 * devicePixelRatio]);
      g.beginPath();
      g.moveTo(u.bbox.left, y);
      g.lineTo(u.bbox.left + u.bbox.width, y);
      g.stroke();
      const label = `${name} ${number(value)}`;
      const [left, above] = [u.bbox.left + 6 * devicePixelRatio, y - 3 * devicePixelRatio];
      g.fillStyle = style.paper;
      g.globalAlpha = 0.75;
      g.fillRect(left - 2 * devicePixelRatio, above - 14 * devicePixelRatio, g.measureText(label).width + 4 * devicePixelRatio, 14 * devicePixelRatio);
      g.fillStyle = color;
      g.globalAlpha = 1;
      g.fillText(label, left, above);
    }
    g.restore();
  };
}

function padded(low, high) {
  const pad = 0.06 * (high - low) || Math.abs(high) * 0.01 || 1;
  return [low - pad, high + pad];
}

class Agreement {
  constructor(data, index, style, names) {
    this.data = data;
    this.index = index;
    this.style = style;
    this.left = h('div.plot-box.tall');
    this.right = h('div.plot-box.tall');
    this.title = h('h3');
    const columns = [
      { label: 'column', value: (c) => c.name },
      { label: 'max |A − B|', value: (c) => c.max, show: (c) => number(c.max) },
      { label: 'at t', value: (c) => c.at, show: (c) => number(c.at) },
      { label: 'RMS', value: (c) => c.rms, show: (c) => number(c.rms) },
      { label: 'bias', value: (c) => c.bias[0], show: (c) => number(c.bias[0]) },
      { label: 'lower limit', value: (c) => c.lower[0], show: (c) => number(c.lower[0]) },
      { label: 'upper limit', value: (c) => c.upper[0], show: (c) => number(c.upper[0]) },
      { label: 'ICC(C,1) consistency [95 %]', value: (c) => c.consistency[0], show: (c) => interval(c.consistency) },
      { label: 'ICC(A,1) agreement [95 %]', value: (c) => c.agreement[0], show: (c) => interval(c.agreement) },
    ];
    this.table = sortable(columns, data.columns, { choose: (column) => this.show(column), marks: (column) => (column === this.chosen ? 'chosen' : '') });
    const only = [['only in the first', data.only_in_first], ['only in the second', data.only_in_second]].filter(([, list]) => list.length);
    this.element = h('section.agreement', { 'aria-label': 'Agreement' },
      h('h2', {}, `Agreement: ${names[0]} (A) and ${names[index + 1]} (B)`),
      h('p.note', {}, `${data.rows} common times, t = ${number(data.first_time)} to ${number(data.last_time)}. Differences are A − B. A click on a line shows its plots.`),
      h('div.table-box', {}, this.table.element),
      ...only.map(([label, list]) => h('details', {}, h('summary', {}, `${list.length} columns ${label}`), list.join(', '))),
      this.title, h('div.pair', {}, this.left, this.right));
  }

  async read() {
    this.differences = await readTable(`c${this.index}-differences`);
    this.pairs = await readTable(`c${this.index}-pairs`);
    this.show(this.data.columns.reduce((a, b) => (b.max > a.max ? b : a)));
  }

  show(column) {
    this.chosen = column;
    this.table.filter(() => true);
    this.title.textContent = column.name;
    this.draw();
  }

  draw() {
    if (!this.chosen || !this.left.clientWidth) return;
    const { data, chosen } = this;
    const k = data.columns.indexOf(chosen);
    const style = this.style();
    const make = axes(style);
    const size = (box) => ({ width: box.clientWidth, height: box.clientHeight - 30 });
    const color = runColors[(this.index + 1) % runColors.length];
    this.left.replaceChildren();
    this.right.replaceChildren();
    const rows = data.differences.t.length;
    this.over = new uPlot({
      ...size(this.left), title: 'Difference over time', legend: { show: false }, scales: { x: { time: false }, y: { range: (u, a, b) => padded(a, b) } },
      axes: make('t', 'A − B'), series: [{}, { stroke: color, width: 1.5, points: { show: false } }],
    }, [data.differences.t, this.differences.subarray(k * rows, (k + 1) * rows)], this.left);
    const count = data.pairs;
    const mean = this.pairs.subarray(2 * k * count, (2 * k + 1) * count);
    const difference = this.pairs.subarray((2 * k + 1) * count, (2 * k + 2) * count);
    this.bland = new uPlot({
      ...size(this.right), mode: 2, title: 'Bland-Altman: difference over mean', legend: { show: false }, cursor: { drag: { x: true, y: true } },
      scales: { x: { time: false, range: (u, a, b) => padded(a, b) }, y: { range: (u, a, b) => padded(Math.min(a, chosen.lower[1]), Math.max(b, chosen.upper[2])) } },
      axes: make('(A + B)/2', 'A − B'),
      series: [null, { fill: color, stroke: color, paths: dots, facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }] }],
      hooks: { draw: [limits(chosen, style)] },
    }, [null, [mean, difference]], this.right);
  }
}

export async function showComparison(data, { app, header, theatre, makeStyle }) {
  const runs = [];
  for (const [i, own] of data.runs.entries()) runs.push(await readRun(own, `r${i}-`));
  const names = shortNames(data.runs.map((run) => run.name));
  runs.forEach((run, i) => (run.name = names[i]));
  const parts = theatre(runs);
  const style = makeStyle();
  const agreements = data.comparisons.map((comparison, i) => new Agreement(comparison, i, style, names));
  const redraw = () => {
    style.forget();
    parts.redraw();
    for (const agreement of agreements) agreement.draw();
  };
  const legend = h('p.legend', {}, ...runs.map((run, i) => h('span.chip', {}, h('i', { style: `background:${runColors[i % runColors.length]}` }), run.name, run.moves ? '' : ' (no animation)', ' ')));
  app.append(header(`Comparison: ${names.join(', ')}`, '', '', redraw), legend, parts.element, ...agreements.map((a) => a.element), h('footer', {}, `Trammel ${data.trammel}`));
  for (const agreement of agreements) await agreement.read();
  addEventListener('resize', () => agreements.forEach((agreement) => agreement.draw()));
  parts.clock.seek(parts.clock.start);
  return { ...parts, runs, agreements };
}

/** Without what all have in common at both ends. */
function shortNames(paths) {
  const split = paths.map((path) => path.replace(/\/+$/, '').split('/'));
  const distinct = (lists) => new Set(lists.map((list) => list.join('/'))).size === lists.length && lists.every((list) => list.length > 0);
  let lists = split;
  for (;;) {
    const ends = lists.map((list) => list.slice(0, -1));
    if (!lists.every((list) => list.at(-1) === lists[0].at(-1)) || !distinct(ends)) break;
    lists = ends;
  }
  for (;;) {
    const starts = lists.map((list) => list.slice(1));
    if (!lists.every((list) => list.length > 1) || !distinct(starts)) break;
    lists = starts;
  }
  return lists.map((list) => list.join('/'));
}
