// Plots of measures, in step with the animation.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h, icon, number, picker } from './dom.js';
import { download } from './download.js';
import { runColors } from './shapes.js';
import { axisTitle } from './units.js';

const colors = ['#3b76b5', '#d95f43', '#3a9a5b', '#8e5bb5', '#c79a1e', '#2aa3a3', '#b5539b', '#6b7280'];
const sync = uPlot.sync('time');

/** The value of a curve at t. */
function valueAt({ t, y }, time) {
  let low = 0;
  let high = t.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= time) low = middle;
    else high = middle;
  }
  const span = t[high] - t[low];
  return span > 0 ? y[low] + ((time - t[low]) / span) * (y[high] - y[low]) : y[low];
}

/** Curves with times of their own on one axis. */
function joined(curves) {
  if (curves.every(({ t }) => t === curves[0].t)) return [curves[0].t, ...curves.map(({ y }) => y)];
  return uPlot.join(curves.map(({ t, y }) => [t, y]), curves.map(() => curves.map(() => 2)));
}

/** y over x in the order of time: a path of its own, x need not grow. */
function phasePath(u, index) {
  let path;
  uPlot.orient(u, index, (series, xs, ys, scaleX, scaleY, toX, toY, left, top, width, height) => {
    path = new Path2D();
    const [x, y] = u.data[index];
    for (let i = 0; i < x.length; i++) {
      path.lineTo(toX(x[i], scaleX, width, left), toY(y[i], scaleY, height, top));
    }
  });
  return { stroke: path, fill: null, clip: null, band: null, gaps: null, flags: 1 };
}

export class Plot {
  /** names: what is drawn over time, or over the measure `over`. */
  constructor(runs, clock, style, { names, log = false, over = '', right = [], title = '', labels = {}, axisLabels = [] }, remove) {
    Object.assign(this, { runs, clock, style, names: [...names], right: [...right], log, over, title, labels, axisLabels });
    this.box = h('div.plot-box');
    this.chips = h('span.chips');
    this.logButton = h('button.toggle', { title: 'Logarithmic scale', 'aria-pressed': String(log), onclick: () => this.set({ log: !this.log }) }, 'log');
    this.overPicker = picker('over …', () => ['t', ...this.#all()], (name) => this.set({ over: name === 't' ? '' : name }));
    this.element = h('div.plot', {},
      h('div.plot-head', {}, this.chips, h('span.plot-tools', {},
        picker('+ curve', () => this.#all().filter((name) => !this.names.includes(name)), (name) => this.set({ names: [...this.names, name] })),
        this.overPicker, this.logButton,
        this.#files(),
        h('button', { title: 'Show everything', onclick: () => this.draw() }, icon('fit')),
        h('button', { title: 'Remove this plot', 'aria-label': 'Remove this plot', onclick: () => remove(this) }, icon('close')))),
      this.box);
    this.listener = clock.on((t) => this.#mark(t));
    this.observer = new ResizeObserver(() => this.plot ? this.plot.setSize(this.#size()) : this.draw());
    this.observer.observe(this.box);
  }

  /** Saves the plot: a choice that goes back to its name. */
  #files() {
    const list = h('select.download', { title: 'Save this plot', 'aria-label': 'Save this plot' }, ...['save', 'svg', 'png', 'csv'].map((kind) => h('option', { value: kind }, kind)));
    list.addEventListener('change', () => {
      download(this, list.value);
      list.value = 'save';
    });
    return list;
  }

  #all() {
    return [...new Set(this.runs.flatMap((run) => run.curves.names()))];
  }

  set(changes) {
    // titles were given for what the axes showed then
    const { over = this.over, names = this.names } = changes;
    if (over !== this.over) this.axisLabels = [undefined, this.axisLabels[1]];
    if (names.some((name) => !this.names.includes(name))) this.axisLabels = [this.axisLabels[0], undefined];
    Object.assign(this, changes);
    this.logButton.setAttribute('aria-pressed', String(this.log));
    this.draw();
  }

  destroy() {
    this.clock.off(this.listener);
    this.observer.disconnect();
    this.plot?.destroy();
    this.element.remove();
  }

  #size() {
    return { width: Math.max(this.box.clientWidth, 120), height: Math.max(this.box.clientHeight, 120) };
  }

  /** What is drawn: a line for each measure and run that has it. */
  #lines() {
    const lines = [];
    const several = this.runs.length > 1;
    this.names.forEach((name, i) => this.runs.forEach((run, k) => {
      const curve = run.curves.get(name);
      if (!curve) return;
      const color = several && this.names.length === 1 ? runColors[k % runColors.length] : colors[i % colors.length];
      lines.push({ label: several ? `${name} · ${run.name}` : this.labels[name] ?? name, name, run, curve, color, dash: several && this.names.length > 1 && k > 0 ? [6, 3 * k] : undefined });
    }));
    return lines;
  }

  /** By which axis a line is drawn; over another measure there is one only. */
  #scaleOf({ name }) {
    return !this.over && this.right.includes(name) && this.lines.some((line) => !this.right.includes(line.name)) ? 'right' : 'y';
  }

  #scaleY() {
    return this.log ? { distr: 3, range: (u, low, high) => logRange(this.lines, low, high) } : {};
  }

  #axes() {
    const style = this.style();
    const axis = { stroke: style.faint, grid: { stroke: style.grid, width: 1 }, ticks: { stroke: style.grid, width: 1 }, font: '11px system-ui, sans-serif' };
    const values = (u, splits) => splits.map((v) => (v === null ? '' : Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-4) ? Number(v.toPrecision(3)).toExponential().replace('e+', 'e') : String(Number(v.toPrecision(5)))));
    const y = { ...axis, size: 58, values };
    if (this.log) Object.assign(y, { splits: (u, index, low, high) => decades(low, high), values: (u, splits) => splits.map((v) => `1e${Math.round(Math.log10(v))}`), filter: (u, splits) => splits });
    const labelled = (one, label) => (label ? { ...one, label, labelSize: 16, labelGap: 0, labelFont: '11px system-ui, sans-serif' } : one);
    const title = (scale) => axisTitle([...new Set(this.lines.filter((line) => this.#scaleOf(line) === scale).map(({ name }) => name))], this.runs[0]);
    const axes = [labelled({ ...axis, size: 30, values }, this.axisLabels[0] ?? axisTitle([this.over || 't'], this.runs[0])), labelled(y, this.axisLabels[1] ?? title('y'))];
    if (this.lines.some((line) => this.#scaleOf(line) === 'right')) axes.push(labelled({ ...y, scale: 'right', side: 1, grid: { show: false } }, title('right')));
    return axes;
  }

  draw() {
    this.plot?.destroy();
    this.box.replaceChildren();
    this.lines = this.#lines();
    this.#showChips();
    if (!this.lines.length || !this.box.clientWidth) {
      this.plot = null;
      return;
    }
    const phase = this.over && this.lines.filter((line) => line.run.curves.get(this.over)?.t.length === line.curve.t.length);
    this.plot = phase?.length ? this.#phase(phase) : this.#overTime();
    this.marker = h(phase?.length ? 'div.mark-point' : 'div.mark-line');
    this.plot.over.append(this.marker);
    this.plot.over.addEventListener('click', (event) => this.#seek(event));
    this.#mark(this.clock.t);
  }

  #overTime() {
    const data = joined(this.lines.map(({ curve }) => (this.log ? { t: curve.t, y: positive(curve.y) } : curve)));
    const options = {
      ...this.#size(),
      legend: { show: false },
      cursor: { sync: { key: sync.key, setSeries: false }, drag: { x: true, y: false }, focus: { prox: 30 } },
      scales: { x: { time: false }, y: this.#scaleY(), right: this.#scaleY() },
      axes: this.#axes(),
      series: [{ label: 't' }, ...this.lines.map((line) => ({ label: line.label, scale: this.#scaleOf(line), stroke: line.color, width: 1.6, pxAlign: 0, dash: line.dash, points: { show: false }, spanGaps: true }))],
      hooks: { setCursor: [(u) => this.#hover(u)], setScale: [() => this.#mark(this.clock.t)], setSize: [() => this.#mark(this.clock.t)] },
    };
    return new uPlot(options, data, this.box);
  }

  #phase(lines) {
    const data = [null, ...lines.map((line) => [line.run.curves.get(this.over).y, line.curve.y])];
    const options = {
      ...this.#size(),
      mode: 2,
      legend: { show: false },
      cursor: { drag: { x: true, y: true } },
      scales: { x: { time: false, range: (u, low, high) => padded(low, high) }, y: { ...this.#scaleY(), range: (u, low, high) => padded(low, high) } },
      axes: this.#axes(),
      series: [null, ...lines.map((line) => ({ label: line.label, stroke: line.color, width: 1.6, pxAlign: 0, paths: phasePath, points: { show: false }, facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }] }))],
      hooks: { setScale: [() => this.#mark(this.clock.t)], setSize: [() => this.#mark(this.clock.t)] },
    };
    this.phaseLine = lines[0];
    return new uPlot(options, data, this.box);
  }

  #seek(event) {
    if (this.over || this.plot.select.width > 3) return;
    const t = this.plot.posToVal(event.offsetX, 'x');
    this.clock.play(false);
    this.clock.seek(t);
  }

  /** Where the animation is now. */
  #mark(t) {
    if (!this.plot || !this.marker) return;
    if (this.over && this.phaseLine && this.marker.className === 'mark-point') {
      const x = this.plot.valToPos(valueAt(this.phaseLine.run.curves.get(this.over), t), 'x');
      const y = this.plot.valToPos(valueAt(this.phaseLine.curve, t), 'y');
      this.marker.style.transform = `translate(${x}px, ${y}px)`;
    } else this.marker.style.transform = `translateX(${this.plot.valToPos(t, 'x')}px)`;
    this.#values(t);
  }

  #hover(u) {
    const { left } = u.cursor;
    this.#values(left >= 0 ? u.posToVal(left, 'x') : this.clock.t);
  }

  #values(t) {
    const chips = this.chips.querySelectorAll('.value');
    this.lines.forEach((line, i) => {
      if (chips[i]) chips[i].textContent = number(valueAt(line.curve, t));
    });
  }

  /** Left or right: a button on the chip of a line. */
  #side({ name, label }) {
    const on = this.right.includes(name);
    return h('button.side', {
      title: on ? 'By the axis on the left again' : 'By an axis on the right', 'aria-label': `${label} by an axis on the right`, 'aria-pressed': String(on),
      onclick: () => this.set({ right: on ? without(this.right, name) : [...this.right, name] }),
    }, icon('side'));
  }

  #showChips() {
    this.chips.replaceChildren(
      ...this.lines.map((line) => h('span.chip', {}, h('i', { style: `background:${line.color}` }), line.label, h('span.value', {}, ''),
        this.over || this.lines.length < 2 ? '' : this.#side(line),
        h('button', { title: 'Remove', 'aria-label': `Remove ${line.label}`, onclick: () => this.set({ names: this.names.filter((name) => name !== line.name) }) }, icon('close')))),
      this.over ? h('span.chip', {}, `over ${this.axisLabels[0] ?? bare(this.over)}`, h('button', { title: 'Over time again', onclick: () => this.set({ over: '' }) }, icon('close'))) : '',
    );
  }
}

function without(list, name) {
  return list.filter((other) => other !== name);
}

function positive(y) {
  return Array.from(y, (value) => Math.abs(value) || null);
}

/** Powers of ten, every second or fourth one where there are many. */
function decades(low, high) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = last - first > 12 ? 4 : last - first > 5 ? 2 : 1;
  const list = [];
  for (let power = Math.ceil(first / every) * every; power <= last; power += every) list.push(10 ** power);
  return list;
}

/** Whole decades around what is there, at most sixteen. */
function logRange(lines, low, high) {
  if (!(high > 0)) return [1e-16, 1];
  const top = 10 ** Math.ceil(Math.log10(high));
  const bottom = Math.max(low > 0 ? low : high * 1e-3, high * 1e-16);
  return [10 ** Math.floor(Math.log10(bottom)), top];
}

function padded(low, high) {
  const pad = 0.05 * (high - low) || 1;
  return [low - pad, high + pad];
}

/** Which plots a run starts with. */
function firstPlots(runs) {
  const names = [...new Set(runs.flatMap((run) => run.curves.names()))];
  const has = (name) => names.includes(name);
  const own = names.filter((name) => !/^(energy|constraint|momentum)\./.test(name));
  const moves = (name) => runs.some((run) => {
    const y = run.curves.get(name)?.y;
    return y && y.some((value) => Math.abs(value - y[0]) > 1e-6 * (Math.abs(y[0]) + 1e-3));
  });
  // coordinates of one point that moves, else an angle, else what there is
  const owner = own.find((name) => /\.[xyz]$/.test(name) && moves(name))?.replace(/\.\w+$/, '');
  const angle = own.find((name) => /\.(angle|displacement)$/.test(name) && moves(name));
  let first = own.slice(0, 2);
  if (owner) first = ['x', 'y', 'z'].map((k) => `${owner}.${k}`).filter((name) => has(name) && moves(name));
  else if (angle) first = [angle];
  const plots = [];
  // of several runs one measure at a time: colours tell the runs apart
  if (runs.length > 1) {
    const single = [...first.slice(0, 2), 'energy.total', 'constraint.position'].filter(has);
    return single.map((name) => ({ names: [name], log: name === 'constraint.position' }));
  }
  if (first.length) plots.push({ names: first });
  const energies = ['energy.kinetic', 'energy.potential', 'energy.total', 'energy.work'].filter(has);
  if (energies.length) plots.push({ names: energies.filter((name) => name !== 'energy.work' || moves(name)), title: 'Energy' });
  const violations = ['constraint.position', 'constraint.velocity', 'energy.error'].filter(has);
  if (violations.length) plots.push({ names: violations, log: true, title: 'Violations' });
  return plots;
}

/** A measure of an included part stands in brackets. */
const bare = (name) => name.replace(/^\(([\w.]+)\)$/, '$1');

/** The figures that the model asks for. */
export class Figures {
  constructor(run, clock, style) {
    this.plots = run.data.plots.map(({ title, x, y, x_label: across, y_label: up }) => {
      const what = {
        title, names: y.map(({ name }) => name), over: x.name === 't' ? '' : x.name, axisLabels: [across ?? x.label, up],
        labels: Object.fromEntries(y.map(({ name, label }) => [name, bare(label)])),
      };
      return new Plot([run], clock, style, what, (gone) => this.#remove(gone));
    });
    this.element = h('section.figures', { 'aria-label': 'Figures' }, ...this.plots.map((plot) => h('figure', {}, h('figcaption', {}, plot.title), plot.element)));
  }

  #remove(gone) {
    gone.element.parentElement.remove();
    gone.destroy();
    this.plots = this.plots.filter((other) => other !== gone);
  }

  redraw() {
    for (const plot of this.plots) plot.draw();
  }
}

export class Plots {
  constructor(runs, clock, style) {
    Object.assign(this, { runs, clock, style, plots: [] });
    this.list = h('div.plot-list');
    this.element = h('section.plots', { 'aria-label': 'Plots' }, this.list,
      h('button.add', { onclick: () => this.show([]).element.querySelector('input').focus() }, 'Add a plot'),
      h('p.note', {}, this.note()));
    for (const plot of firstPlots(runs)) this.add(plot);
  }

  add(what) {
    const plot = new Plot(this.runs, this.clock, this.style, what, (gone) => {
      gone.destroy();
      this.plots = this.plots.filter((other) => other !== gone);
    });
    this.plots.push(plot);
    this.list.append(plot.element);
    return plot;
  }

  /** A new plot, in sight. */
  show(names) {
    const plot = this.add({ names });
    plot.element.scrollIntoView({ block: 'nearest' });
    return plot;
  }

  /** These in the place of all. */
  replace(list) {
    const known = new Set(this.runs.flatMap((run) => run.curves.names()));
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    for (const { names = [], log = false, over = '', right = [] } of list) {
      this.add({ names: names.filter((name) => known.has(name)), log: !!log, over: known.has(over) ? over : '', right: right.filter((name) => known.has(name)) });
    }
  }

  redraw() {
    for (const plot of this.plots) plot.draw();
  }

  note() {
    const reduced = this.runs.find((run) => run.curves.reduced);
    const how = reduced ? `Curves are drawn from ${reduced.curves.t.length} of ${reduced.curves.rows} rows, extremes kept; results.csv has all. ` : '';
    return `${how}Drag to zoom, click to go there.`;
  }
}
