// The animation with its controls.
import { h, icon, number, picker } from './dom.js';
import { light, Panel, pick } from './pick.js';
import { followOf, namedPoints } from './run.js';
import { drawGravity } from './symbols.js';
import { View2d } from './view2d.js';
import { View3d } from './view3d.js';

const traceColors = ['#dd7733', '#2a9d8f', '#b5539b', '#7a8b2a', '#4361c2'];
const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];

/** A speed at which the run takes neither a blink nor an hour. */
function usualSpeed(span) {
  const wanted = span / 8;
  if (span >= 2 && span <= 30) return 1;
  return speeds.reduce((best, s) => (Math.abs(Math.log(s / wanted)) < Math.abs(Math.log(best / wanted)) ? s : best), 1);
}

export class Stage {
  constructor(runs, clock, style) {
    this.runs = runs;
    this.clock = clock;
    this.style = style;
    this.traces = [];
    this.canvasBox = h('div.canvas-box');
    this.options = { joints: true, gravity: true, reactions: false, forces: !!runs[0].scene.view?.forces, strobe: 0, labels: false, hidden: new Set(), faint: new Set() };
    this.chosen = null;
    this.panel = new Panel(this);
    this.#makeView();
    this.#listen();
    this.labels = h('canvas.labels');
    this.canvasBox.append(this.labels);
    this.printed = h('img.printed', { alt: 'The mechanism' });
    this.canvasBox.append(this.printed, this.panel.element);
    clock.speed = usualSpeed(clock.end - clock.start);
    this.element = h('section.stage', { 'aria-label': 'Animation' }, this.canvasBox, this.#transport(), this.#switches());
    this.setFollow(followOf(runs[0].scene));
    this.view?.fit();
    clock.on(() => this.#update());
    new ResizeObserver(() => this.resize()).observe(this.canvasBox);
    addEventListener('beforeprint', () => (this.printed.src = this.view.image()));
  }

  #makeView() {
    const planar = this.runs.every((run) => run.scene.dim === 2);
    try {
      this.view = planar ? new View2d(this.runs) : new View3d(this.runs);
    } catch (error) {
      // no WebGL here: the projection onto x and y still tells something
      this.problem = `This browser cannot draw in space (${error.message}).`;
      this.canvasBox.append(h('p.problem', {}, this.problem));
      this.view = null;
      return;
    }
    this.view.options = this.options;
    this.view.onchange = () => this.redraw();
    this.canvasBox.prepend(this.view.canvas);
  }

  /** A click chooses, a drag does not. */
  #listen() {
    if (!this.view) return;
    const { canvas } = this.view;
    let down = null;
    canvas.addEventListener('pointerdown', (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener('click', (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      this.choose(pick(this.view, this.runs[0], [event.offsetX, event.offsetY], this.options.hidden));
    });
  }

  choose(chosen) {
    this.chosen = chosen;
    this.panel.show(chosen);
    this.redraw();
  }

  changeLooks() {
    this.panel.show(this.chosen);
    this.#showHidden();
    this.redraw();
  }

  /** What is hidden cannot be clicked: it comes back from here. */
  #showHidden() {
    const { hidden } = this.options;
    this.hiddenChip.replaceChildren(...(hidden.size ? [this.#chip(`${hidden.size} hidden`, 'currentColor', () => {
      hidden.clear();
      this.changeLooks();
    }, 'Show all')] : []));
  }

  /** As an address has it. */
  restore({ view, switches, hidden, faint, traces, follow, chosen }) {
    const { scene } = this.runs[0];
    const bodies = (list) => (Array.isArray(list) ? list.filter((b) => b in scene.bodies) : []);
    for (const key of ['joints', 'gravity', 'reactions', 'forces', 'strobe', 'labels']) {
      if (switches?.[key] !== undefined && !!switches[key] !== !!this.options[key]) this.buttons[key]?.click();
    }
    for (const b of bodies(hidden)) this.options.hidden.add(b);
    for (const b of bodies(faint)) this.options.faint.add(b);
    const points = namedPoints(scene);
    for (const name of traces ?? []) this.addTrace(points.find((point) => point.name === name));
    for (const [kind, list] of [['body', scene.bodies], ['joint', scene.joints], ['force', scene.forces]]) {
      const index = chosen ? list.findIndex((thing) => thing.name === chosen) : -1;
      if (index >= 0) this.choose({ kind, index, name: chosen });
    }
    this.setFollow(points.find((point) => point.name === follow) ?? null);
    this.#showHidden();
    this.wanted = view;
    if (view && this.view.width > 1) this.#restoreView();
    this.redraw();
  }

  #restoreView() {
    this.view.restore(this.wanted);
    this.wanted = null;
    this.flatButton?.setAttribute('aria-pressed', String(this.view.flat));
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.element.requestFullscreen?.();
  }

  #transport() {
    const { clock } = this;
    this.button = h('button.play', { title: 'Play or pause (space)', onclick: () => clock.toggle() }, icon('play'));
    this.scrub = h('input.scrub', { type: 'range', min: '0', max: '1', step: 'any', 'aria-label': 'Time' });
    this.scrub.addEventListener('input', () => {
      clock.play(false);
      clock.seek(clock.start + Number(this.scrub.value) * (clock.end - clock.start));
    });
    this.time = h('output.time', {}, '');
    this.speed = h('select', { 'aria-label': 'Speed', title: 'Speed (+ and −)' }, ...speeds.map((s) => h('option', { value: String(s) }, `${s}×`)));
    this.speed.value = String(clock.speed);
    this.speed.addEventListener('change', () => (clock.speed = Number(this.speed.value)));
    this.loop = this.#toggle('Loop', 'l', () => clock.loop, (on) => (clock.loop = on));
    return h('div.transport', {},
      h('button', { title: 'To the start (Home)', onclick: () => clock.seek(clock.start) }, icon('start')),
      this.button, this.scrub, this.time, this.speed, this.loop,
      h('button.full', { title: 'Full screen', 'aria-label': 'Full screen', onclick: () => this.fullScreen() }, icon('full')));
  }

  #toggle(label, key, get, set) {
    const button = h('button.toggle', { title: `${label} (${key})`, 'aria-pressed': String(!!get()) }, label);
    button.addEventListener('click', () => {
      set(!get());
      button.setAttribute('aria-pressed', String(!!get()));
      this.redraw();
    });
    button.dataset.key = key;
    return button;
  }

  #option(label, key, name, on = true) {
    this.buttons ??= {};
    return (this.buttons[name] = this.#toggle(label, key, () => this.options[name], (value) => (this.options[name] = value ? on : 0)));
  }

  #switches() {
    const points = namedPoints(this.runs[0].scene);
    const find = (name) => points.find((point) => point.name === name);
    this.traceList = h('span.chips');
    this.followChip = h('span.chips');
    this.hiddenChip = h('span.chips');
    const names = points.map((point) => point.name);
    return h('div.switches', {},
      h('button', { title: 'Show everything (f)', 'data-key': 'f', onclick: () => { this.view?.fit(); this.redraw(); } }, icon('fit'), 'Fit'),
      ...this.#directions(),
      this.#option('Joints', 'j', 'joints'),
      this.#option('Gravity', 'g', 'gravity'),
      this.#option('Reactions', 'r', 'reactions'),
      this.runs.some((run) => run.film.loads.length) ? this.#option('Forces', 'a', 'forces') : null,
      this.#option('Stroboscope', 's', 'strobe', 12),
      this.#option('Names', 'n', 'labels'),
      picker('Trace a point…', names, (name) => this.addTrace(find(name))), this.traceList,
      picker('Follow…', names, (name) => this.setFollow(find(name))), this.followChip, this.hiddenChip);
  }

  /** Along the axes, and without perspective: of space. */
  #directions() {
    if (!this.view?.look) return [];
    const look = (axis) => h('button.look', { title: `Look along ${axis}`, onclick: () => { this.view.look(axis); this.redraw(); } }, axis);
    return [h('span.looks', { role: 'group', 'aria-label': 'Views' }, ...['x', 'y', 'z'].map(look)),
      (this.flatButton = this.#toggle('Orthographic', 'o', () => this.view.flat, (on) => this.view.setFlat(on)))];
  }

  addTrace(point) {
    if (!point || this.traces.some((trace) => trace.name === point.name)) return;
    const color = traceColors[this.traces.length % traceColors.length];
    this.traces.push({ ...point, color });
    this.#showTraces();
  }

  #showTraces() {
    this.view?.setTraces(this.traces);
    this.traceList.replaceChildren(...this.traces.map((trace) => this.#chip(trace.name, trace.color, () => {
      this.traces = this.traces.filter((other) => other !== trace);
      this.#showTraces();
    })));
    this.redraw();
  }

  setFollow(point) {
    if (!this.view) return;
    this.view.follow = point;
    this.followChip.replaceChildren(...(point ? [this.#chip(`follows ${point.name}`, 'currentColor', () => this.setFollow(null))] : []));
    this.redraw();
  }

  #chip(text, color, remove, title = 'Remove') {
    return h('span.chip', {}, h('i', { style: `background:${color}` }), text,
      h('button', { title, 'aria-label': `${title} ${text}`, onclick: remove }, icon('close')));
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvasBox;
    if (!clientWidth || !this.view) return;
    const ratio = Math.min(devicePixelRatio || 1, 2) * (this.coarse ?? 1);
    this.view.resize(clientWidth, clientHeight, ratio);
    const sharp = Math.min(devicePixelRatio || 1, 2);
    this.labels.width = Math.round(sharp * clientWidth);
    this.labels.height = Math.round(sharp * clientHeight);
    if (this.wanted) this.#restoreView();
    this.redraw();
  }

  redraw() {
    if (!this.view || !this.view.width || this.view.width === 1) return;
    this.view.draw(this.clock.t, this.style());
    this.#drawOverlay();
  }

  #drawOverlay() {
    const g = this.labels.getContext('2d');
    const ratio = this.labels.width / this.view.width;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, this.view.width, this.view.height);
    if (this.options.gravity) drawGravity(g, this.view, this.style());
    if (this.options.labels) this.#drawNames(g);
    if (this.chosen) light(g, this.view, this.runs[0], this.chosen, this.style().accent);
  }

  #drawNames(g) {
    const { scene, film } = this.runs[0];
    g.font = '12px system-ui, sans-serif';
    g.textAlign = 'left';
    const put = (text, p, color) => {
      const [x, y] = this.view.project(p);
      g.lineWidth = 3;
      g.strokeStyle = this.style().paper;
      g.strokeText(text, x + 7, y - 7);
      g.fillStyle = color;
      g.fillText(text, x + 7, y - 7);
    };
    scene.bodies.slice(0, 150).forEach((body, b) => {
      const points = Object.values(body.points);
      const middle = points.length ? [0, 1, 2].map((k) => points.reduce((sum, u) => sum + u[k], 0) / points.length) : [0, 0, 0];
      put(body.name, film.point(b, middle), this.style().ink);
    });
    scene.joints.slice(0, 150).forEach((joint) => joint.ends && put(joint.name, film.point(joint.ends[1][0], joint.ends[1].slice(1)), this.style().faint));
  }

  #update() {
    const { clock } = this;
    const span = clock.end - clock.start;
    if (document.activeElement !== this.scrub || clock.playing) this.scrub.value = String(span > 0 ? (clock.t - clock.start) / span : 0);
    this.time.textContent = `t = ${clock.t.toFixed(span < 0.1 ? 5 : 3)}`;
    if (this.shown !== clock.playing) {
      this.shown = clock.playing;
      this.button.replaceChildren(icon(clock.playing ? 'pause' : 'play'));
    }
    this.#adapt();
    this.panel.update();
    this.redraw();
  }

  /** Fewer pixels where drawing is slow: smooth motion matters more. */
  #adapt() {
    const { clock } = this;
    if (!clock.playing || clock.frames.length < 20 || clock.rate > 28 || (this.coarse ?? 1) <= 0.5) return;
    this.coarse = (this.coarse ?? 1) * 0.75;
    clock.frames = [];
    this.resize();
  }

  /** True where the key did something. */
  key(event) {
    const { clock } = this;
    const film = this.runs[0].film;
    const step = (count) => {
      clock.play(false);
      const { low, part } = film.place(clock.t);
      const target = Math.min(Math.max((count > 0 ? low : low + (part > 0 ? 1 : 0)) + count, 0), film.count - 1);
      clock.seek(part > 0.999 && count > 0 ? film.t[Math.min(target + 1, film.count - 1)] : film.t[target]);
    };
    const change = (by) => {
      const index = Math.min(Math.max(speeds.indexOf(clock.speed) + by, 0), speeds.length - 1);
      clock.speed = speeds[index];
      this.speed.value = String(clock.speed);
    };
    const keys = {
      ' ': () => clock.toggle(),
      ArrowLeft: () => step(event.shiftKey ? -10 : -1),
      ArrowRight: () => step(event.shiftKey ? 10 : 1),
      Home: () => clock.seek(clock.start),
      End: () => clock.seek(clock.end),
      Escape: () => (this.chosen ? this.choose(null) : false),
      '+': () => change(1),
      '-': () => change(-1),
    };
    const action = keys[event.key] ?? (() => {
      const button = this.element.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
      if (!button || event.key.length !== 1) return false;
      button.click();
      return true;
    });
    return action() !== false;
  }

  note() {
    const { film } = this.runs[0];
    return film.rows > film.count ? `The animation has ${film.count} of ${film.rows} rows as frames, in single precision.` : `The animation has all ${number(film.count, 6)} rows as frames, in single precision.`;
  }
}
