// A study of many runs: what it says, and pictures to search in.
import { readTable } from './block.js';
import { h, number } from './dom.js';
import { sortable } from './table.js';

const MOST_AXES = 12;
const MOST_SCATTER = 7;

/** A canvas as sharp as the screen; draw(context, width, height) in CSS pixels. */
function picture(label, height, draw) {
  const canvas = h('canvas', { role: 'img', 'aria-label': label, style: `height:${height}px` });
  const redraw = () => {
    const width = canvas.clientWidth;
    const ratio = devicePixelRatio || 1;
    if (!width) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '12px system-ui, sans-serif';
    draw(context, width, height);
  };
  new ResizeObserver(redraw).observe(canvas);
  return { canvas, redraw, at: (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; } };
}

function range(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  return low === high ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [low, high];
}

/** Blue over grey to orange, readable on light and dark. */
function heat(share) {
  const stops = [[38, 84, 160], [120, 150, 175], [230, 140, 40]];
  const at = Math.min(Math.max(share, 0), 1) * 2;
  const k = Math.min(Math.floor(at), 1);
  const mixed = stops[k].map((from, i) => Math.round(from + (at - k) * (stops[k + 1][i] - from)));
  return `rgb(${mixed.join(',')})`;
}

/** Columns of the table: parameters in two parts, records, limits. */
async function readRuns(data) {
  const values = await readTable('table');
  const rows = data.rows;
  const column = (k) => values.subarray(k * rows, (k + 1) * rows);
  const n = data.parameters.length;
  const records = Object.keys(data.records);
  const columns = data.parameters.map((name, k) => ({ name, values: Float64Array.from(column(1 + k), (high, i) => high + column(1 + n + k)[i]) }));
  records.forEach((name, k) => columns.push({ name, values: column(1 + 2 * n + k), record: true }));
  const limits = data.limits.map((limit, k) => ({ name: limit.limit, values: column(1 + 2 * n + records.length + k) }));
  columns.forEach((c) => (c.range = range(c.values)));
  return { rows, run: column(0), columns, limits, completed: column(1 + 2 * n + records.length + limits.length) };
}

function statements(data) {
  const pair = (interval) => (interval ? `${number(interval[0], 5)} … ${number(interval[1], 5)}` : '–');
  const rows = Object.entries(data.records).map(([name, said]) => ({ name, ...said }));
  const value = (key) => ({ label: key, value: (row) => row[key], show: (row) => number(row[key], 6) });
  const table = sortable([{ label: 'record', value: (row) => row.name }, value('mean'),
    { label: '95 % confidence', value: (row) => row.mean_confidence?.[0], show: (row) => pair(row.mean_confidence) }, value('sd'), value('min'), value('max'), value('count')], rows);
  const limits = data.limits.map((limit) => h('p', {}, h('strong', {}, limit.limit), `: ${number(100 * limit.share, 4)} % of the runs pass`,
    limit.confidence ? `, ${number(100 * limit.confidence[0], 4)} … ${number(100 * limit.confidence[1], 4)} % with 95 % confidence` : ''));
  const influence = [];
  for (const [record, parameters] of Object.entries(data.sobol ?? data.correlation))
    for (const [parameter, said] of Object.entries(parameters)) influence.push({ record, parameter, ...said });
  const share = (key) => ({ label: key, value: (row) => row[key], show: (row) => h('span.share', { title: pair(row[`${key}_confidence`] ?? row.confidence), style: `--share:${Math.min(1, Math.abs(row[key] ?? 0))}` }, number(row[key], 3)) });
  const names = [{ label: 'record', value: (row) => row.record }, { label: 'parameter', value: (row) => row.parameter }];
  const influences = sortable(data.sobol ? [...names, share('first'), share('total')] : [...names, { ...share('value'), label: 'correlation' }], influence);
  return h('section.trials', { 'aria-label': 'Numbers' }, h('div.table-box', {}, table.element), ...limits,
    influence.length ? h('h2', {}, data.sobol ? 'Sobol indices, first order and total' : 'Correlation') : null,
    influence.length ? h('div.table-box', {}, influences.element) : null);
}

/** What is chosen: by brushes on the axes, and one run or two by a click. */
class Choice {
  constructor(runs) {
    this.runs = runs;
    this.brushes = new Map();
    this.picked = [];
    this.listeners = [];
    this.onpick = null;
    this.inside = new Uint8Array(runs.rows).fill(1);
  }
  changed() {
    const { columns, rows } = this.runs;
    for (let i = 0; i < rows; i++) {
      this.inside[i] = 1;
      for (const [k, [low, high]] of this.brushes) if (!(columns[k].values[i] >= low && columns[k].values[i] <= high)) this.inside[i] = 0;
    }
    this.listeners.forEach((listener) => listener());
  }
  get count() { return this.inside.reduce((sum, one) => sum + one, 0); }
  pick(i, second) {
    this.picked = second && this.picked.length ? [this.picked[0], i] : [i];
    this.changed();
    this.onpick?.(this.picked.map((k) => this.runs.run[k]));
  }
}

function parallel(runs, choice, style) {
  const axes = runs.columns.slice(0, MOST_AXES);
  const top = 44;
  const bottom = 24;
  const place = (k, width) => 80 + (axes.length > 1 ? (k * (width - 160)) / (axes.length - 1) : (width - 160) / 2);
  const height = 340;
  const y = (column, value) => height - bottom - ((value - column.range[0]) / (column.range[1] - column.range[0])) * (height - top - bottom);
  const line = (context, width, i) => {
    context.beginPath();
    axes.forEach((column, k) => context.lineTo(place(k, width), y(column, column.values[i])));
    context.stroke();
  };
  const view = picture('Parallel coordinates', height, (context, width) => {
    const { faint, ink, link, accent } = style();
    const last = axes.at(-1);
    for (const shown of [0, 1]) {
      context.globalAlpha = shown ? Math.max(0.06, Math.min(0.6, 60 / choice.count)) : 0.03;
      for (let i = 0; i < runs.rows; i++) {
        if (choice.inside[i] !== shown) continue;
        context.strokeStyle = shown ? heat((last.values[i] - last.range[0]) / (last.range[1] - last.range[0])) : faint;
        line(context, width, i);
      }
    }
    context.globalAlpha = 1;
    context.lineWidth = 2.5;
    choice.picked.forEach((i, k) => { context.strokeStyle = k ? link : accent; line(context, width, i); });
    context.lineWidth = 1;
    axes.forEach((column, k) => {
      const x = place(k, width);
      context.strokeStyle = ink;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, height - bottom);
      context.stroke();
      context.fillStyle = ink;
      context.textAlign = 'center';
      context.fillText(column.name.length > 22 ? `${column.name.slice(0, 21)}…` : column.name, x, 12 + (k % 2) * 14);
      context.fillStyle = faint;
      context.fillText(number(column.range[1], 3), x, top - 4);
      context.fillText(number(column.range[0], 3), x, height - bottom + 13);
      const brush = choice.brushes.get(k);
      if (!brush) return;
      context.fillStyle = accent;
      context.globalAlpha = 0.35;
      context.fillRect(x - 7, y(column, brush[1]), 14, y(column, brush[0]) - y(column, brush[1]));
      context.globalAlpha = 1;
    });
  });
  let held = null;
  const nearest = (x) => axes.reduce((best, _, k) => (Math.abs(place(k, view.canvas.clientWidth) - x) < Math.abs(place(best, view.canvas.clientWidth) - x) ? k : best), 0);
  const value = (k, at) => axes[k].range[0] + ((height - bottom - at) / (height - top - bottom)) * (axes[k].range[1] - axes[k].range[0]);
  view.canvas.addEventListener('pointerdown', (event) => {
    const [x, at] = view.at(event);
    held = { k: nearest(x), from: at };
    view.canvas.setPointerCapture(event.pointerId);
  });
  view.canvas.addEventListener('pointermove', (event) => {
    if (!held) return;
    const at = view.at(event)[1];
    if (Math.abs(at - held.from) < 4) return;
    choice.brushes.set(held.k, [value(held.k, Math.max(at, held.from)), value(held.k, Math.min(at, held.from))]);
    choice.changed();
  });
  view.canvas.addEventListener('pointerup', (event) => {
    if (held && Math.abs(view.at(event)[1] - held.from) < 4) {
      choice.brushes.delete(held.k);
      choice.changed();
    }
    held = null;
  });
  return view;
}

function bars(context, column, choice, box, style) {
  const { faint, link } = style();
  const bins = 24;
  const all = new Array(bins).fill(0);
  const inside = new Array(bins).fill(0);
  const [low, high] = column.range;
  column.values.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const k = Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins));
    all[k]++;
    inside[k] += choice.inside[i];
  });
  const most = Math.max(1, ...all);
  for (const [counts, colour, alpha] of [[all, faint, 0.35], [inside, link, 0.9]]) {
    context.fillStyle = colour;
    context.globalAlpha = alpha;
    counts.forEach((count, k) => context.fillRect(box.x + (k * box.w) / bins, box.y + box.h - (count / most) * box.h, box.w / bins - 1, (count / most) * box.h));
  }
  context.globalAlpha = 1;
}

/** Each column over each, histograms where a column meets itself. */
function scatter(runs, choice, style) {
  const shown = [...runs.columns.filter((c) => !c.record).slice(0, MOST_SCATTER - 2), ...runs.columns.filter((c) => c.record)].slice(0, MOST_SCATTER);
  const n = shown.length;
  const height = Math.max(220, Math.min(150 * n, 900));
  const cell = (width, i, j) => ({ x: 8 + (j * (width - 16)) / n + 3, y: (i * (height - 8)) / n + 3, w: (width - 16) / n - 6, h: (height - 8) / n - 20 });
  const point = (box, a, b, i) => [box.x + ((a.values[i] - a.range[0]) / (a.range[1] - a.range[0])) * box.w, box.y + box.h - ((b.values[i] - b.range[0]) / (b.range[1] - b.range[0])) * box.h];
  const view = picture('Scatter matrix', height, (context, width) => {
    const { grid, ink, link, accent, faint } = style();
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const box = cell(width, i, j);
        context.strokeStyle = grid;
        context.strokeRect(box.x, box.y, box.w, box.h);
        context.fillStyle = ink;
        context.textAlign = 'left';
        if (i === j) {
          bars(context, shown[i], choice, box, style);
          context.fillStyle = ink;
          context.fillText(shown[i].name, box.x + 2, box.y + box.h + 13, box.w);
          continue;
        }
        for (const one of [0, 1]) {
          context.fillStyle = one ? link : faint;
          context.globalAlpha = one ? 0.55 : 0.12;
          for (let r = 0; r < runs.rows; r++) {
            if (choice.inside[r] !== one) continue;
            const [x, y] = point(box, shown[j], shown[i], r);
            context.fillRect(x - 1, y - 1, 2, 2);
          }
        }
        context.globalAlpha = 1;
        choice.picked.forEach((r, k) => {
          const [x, y] = point(box, shown[j], shown[i], r);
          context.fillStyle = k ? link : accent;
          context.beginPath();
          context.arc(x, y, 4, 0, 7);
          context.fill();
        });
      }
  });
  view.canvas.addEventListener('click', (event) => {
    const [x, y] = view.at(event);
    const width = view.canvas.clientWidth;
    const i = Math.min(n - 1, Math.max(0, Math.floor((y * n) / (height - 8))));
    const j = Math.min(n - 1, Math.max(0, Math.floor(((x - 8) * n) / (width - 16))));
    if (i !== j) nearestRun(runs, choice, event, (r) => point(cell(width, i, j), shown[j], shown[i], r), x, y);
  });
  return view;
}

function nearestRun(runs, choice, event, place, x, y) {
  let best = -1;
  let least = 400; // 20 pixels
  for (let r = 0; r < runs.rows; r++) {
    const [px, py] = place(r);
    const away = (px - x) ** 2 + (py - y) ** 2;
    if (away < least) [best, least] = [r, away];
  }
  if (best >= 0) choice.pick(best, event.shiftKey);
}

/** A record in colours over two parameters. */
function response(runs, choice, style, grid) {
  const parameters = runs.columns.filter((c) => !c.record);
  const records = runs.columns.filter((c) => c.record);
  if (!records.length || !parameters.length) return null;
  const select = (label, list, at) => h('select', { 'aria-label': label, onchange: () => view.redraw() }, ...list.map((c, k) => h('option', { value: k, selected: k === at }, c.name)));
  const across = select('across', parameters, 0);
  const up = select('up', parameters, Math.min(1, parameters.length - 1));
  const colour = select('colour', records, 0);
  const height = 420;
  const chosen = () => [parameters[across.value], parameters[up.value], records[colour.value]];
  const place = (width, a, b, r) => [50 + ((a.values[r] - a.range[0]) / (a.range[1] - a.range[0])) * (width - 150), height - 30 - ((b.values[r] - b.range[0]) / (b.range[1] - b.range[0])) * (height - 45)];
  const view = picture('Response over two parameters', height, (context, width) => {
    const [a, b, c] = chosen();
    const { ink, accent, link } = style();
    // the points of a grid as large as its cells
    const size = Math.min(grid ? 60 : 8, Math.max(3, Math.sqrt(((width - 150) * (height - 45)) / runs.rows) * 0.8));
    for (let r = 0; r < runs.rows; r++) {
      if (!choice.inside[r] || !Number.isFinite(c.values[r])) continue;
      const [x, y] = place(width, a, b, r);
      context.fillStyle = heat((c.values[r] - c.range[0]) / (c.range[1] - c.range[0]));
      context.fillRect(x - size / 2, y - size / 2, size, size);
    }
    choice.picked.forEach((r, k) => {
      const [x, y] = place(width, a, b, r);
      context.strokeStyle = k ? link : accent;
      context.lineWidth = 3;
      context.strokeRect(x - size / 2 - 2, y - size / 2 - 2, size + 4, size + 4);
      context.lineWidth = 1;
    });
    for (let k = 0; k < 100; k++) {
      context.fillStyle = heat(k / 99);
      context.fillRect(width - 80, height - 30 - ((k + 1) * (height - 45)) / 100, 16, (height - 45) / 100 + 1);
    }
    context.fillStyle = ink;
    context.textAlign = 'left';
    context.fillText(number(c.range[1], 3), width - 60, 24);
    context.fillText(number(c.range[0], 3), width - 60, height - 30);
    context.fillText(number(a.range[0], 3), 50, height - 8);
    context.fillText(number(b.range[0], 3), 4, height - 30);
    context.fillText(number(b.range[1], 3), 4, 24);
    context.textAlign = 'right';
    context.fillText(number(a.range[1], 3), width - 100, height - 8);
    context.textAlign = 'center';
    context.fillText(a.name, width / 2 - 30, height - 8);
    context.save();
    context.translate(14, height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(b.name, 0, 0);
    context.restore();
  });
  view.canvas.addEventListener('click', (event) => {
    const [x, y] = view.at(event);
    const [a, b] = chosen();
    nearestRun(runs, choice, event, (r) => place(view.canvas.clientWidth, a, b, r), x, y);
  });
  return { ...view, element: h('section.trials', { 'aria-label': 'Response' }, h('h2', {}, 'Response over two parameters'), h('div.filters', {}, across, up, colour), view.canvas) };
}

const quoted = (word) => (/^[\w./=+:,@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Served by `trammel sweep --open`: it runs what is picked. A file can only tell the command. */
const served = location.protocol === 'http:';

/** Has the program run one, or compare two, in a tab of their own. */
function ask(picked) {
  const form = h('form', { method: 'post', action: `run/${picked.join('/')}`, target: '_blank' });
  document.body.append(form);
  form.submit();
  form.remove();
}

/** The commands that run what is picked, and open or compare it. */
function detail(data, runs, choice) {
  const box = h('div.picked', {}, h('p.note', {}, served ? 'A click on a point runs it and opens its report; with shift a second one is compared with it.'
    : 'A click on a point shows the command that runs it; with shift a second one, to compare. The command of the study with --open does both by itself.'));
  const command = (i) => {
    const sets = runs.columns.filter((c) => !c.record).map((c) => `${c.name}=${Number(c.values[i].toPrecision(15))}`);
    const words = [...data.sets.filter((set) => !sets.some((own) => own.split('=')[0] === set.split('=')[0])), ...sets].flatMap((set) => ['--set', set]);
    return ['trammel', 'run', data.model, ...words, ...data.options, '-o', `results/run-${runs.run[i]}`].map(quoted).join(' ');
  };
  choice.listeners.push(() => {
    if (!choice.picked.length) return;
    const lines = choice.picked.map(command);
    if (lines.length === 2) lines.push(`trammel compare ${choice.picked.map((i) => `results/run-${runs.run[i]}`).join(' ')}`);
    box.replaceChildren(
      h('table.facts', {}, ...runs.columns.map((c) => h('tr', {}, h('th', {}, c.name), ...choice.picked.map((i) => h('td', {}, number(c.values[i], 7)))))),
      h('pre', {}, lines.join('\n')),
      h('button', { onclick: () => navigator.clipboard?.writeText(lines.join('\n')) }, 'Copy'));
  });
  return box;
}

export async function showSweep(data, { app, header, makeStyle }) {
  const runs = await readRuns(data);
  const choice = new Choice(runs);
  if (served) choice.onpick = ask;
  const plain = makeStyle();
  const style = () => {
    const css = getComputedStyle(document.documentElement);
    return { ...plain(), link: css.getPropertyValue('--link').trim() };
  };
  const views = [parallel(runs, choice, style), scatter(runs, choice, style)];
  const surface = response(runs, choice, style, data.design === 'grid');
  if (surface) views.push(surface);
  const count = h('span.note');
  const redraw = () => { plain.forget(); views.forEach((view) => view.redraw()); };
  choice.listeners.push(() => { count.textContent = `${choice.count} of ${runs.rows} runs`; views.forEach((view) => view.redraw()); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  const failed = data.present - data.completed;
  const about = `${data.present} of ${data.runs} runs, design ${data.design}${failed ? `, ${failed} not completed` : ''}${runs.rows < data.present ? `; ${runs.rows} of them are drawn` : ''}.`;
  app.append(...[header(`${data.name || data.model}: study`, '', about, redraw), statements(data),
    h('section.trials', { 'aria-label': 'Parallel coordinates' }, h('h2', {}, 'Parallel coordinates'), h('p.note', {}, 'Drag along an axis to choose a range, click it to let it go. ', count,
      ' ', h('button', { onclick: () => { choice.brushes.clear(); choice.changed(); } }, 'All')), views[0].canvas, detail(data, runs, choice)),
    h('section.trials', { 'aria-label': 'Scatter matrix' }, h('h2', {}, 'Scatter matrix'), views[1].canvas), surface?.element,
    h('footer', {}, `${data.model} · Trammel ${data.trammel}`)].filter(Boolean));
  choice.changed();
  return { runs, choice };
}
