// Bodies, joints and forces that are clicked: found, lit up, and what is known of them.
import { h, icon, number } from './dom.js';
import { isSeen, piecesOf, reachOf } from './shapes.js';

const NEAR = 14; // px

function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const part = length > 0 ? Math.min(Math.max(((x - ax) * dx + (y - ay) * dy) / length, 0), 1) : 0;
  return Math.hypot(x - ax - part * dx, y - ay - part * dy);
}

/** Lines that stand for a body, in its frame. */
function linesOf(body) {
  return piecesOf(body).filter(({ kind }) => kind === 'line').map(({ a, b }) => [a, b]);
}

/** Where a body's solid is and how large, in pixels; null where it is made of lines. */
function discOf(view, film, body, index) {
  const solid = piecesOf(body).find(({ kind }) => kind !== 'line' && kind !== 'plate');
  if (!solid) return null;
  const at = film.point(index, [0, 0, 0]);
  const reach = reachOf(body) || 0.1 * view.unit;
  const centre = view.project(at);
  const radius = Math.max(...[0, 1, 2].map((k) => {
    const [x, y] = view.project(at.map((value, i) => value + (i === k ? reach : 0)));
    return Math.hypot(x - centre[0], y - centre[1]);
  }));
  return { centre, radius: solid.kind === 'dot' ? 8 : 0.8 * radius };
}

const ends = (film, thing) => (thing.ends ?? []).map(([body, ...u]) => film.point(body, u));

/** What is under a place on the canvas: {kind, index, name}, or null. Small things come before large ones. */
export function pick(view, run, place, hidden) {
  const { scene, film } = run;
  const found = [];
  const add = (kind, index, name, distance, rank) => {
    if (distance <= NEAR) found.push({ kind, index, name, order: distance + rank });
  };
  const distance = (p) => Math.hypot(p[0] - place[0], p[1] - place[1]);
  scene.joints.forEach((joint, i) => joint.ends && isSeen(joint, hidden) && add('joint', i, joint.name, distance(view.project(ends(film, joint).at(-1))), -8));
  scene.forces.forEach((force, i) => {
    if (force.ends && !isSeen(force, hidden)) return;
    const points = ends(film, force).map((p) => view.project(p));
    if (points.length === 2) add('force', i, force.name, toSegment(place, ...points), -2);
    if (points.length === 1) add('force', i, force.name, distance(points[0]), -2);
  });
  scene.bodies.forEach((body, i) => {
    if (hidden.has(i)) return;
    const lines = linesOf(body).map(([a, b]) => toSegment(place, view.project(film.point(i, a)), view.project(film.point(i, b))));
    const disc = discOf(view, film, body, i);
    if (disc) lines.push(Math.max(distance(disc.centre) - disc.radius, 0) + 1);
    if (lines.length) add('body', i, body.name, Math.min(...lines), 0);
  });
  return found.sort((a, b) => a.order - b.order)[0] ?? null;
}

/** Its outline, over the picture. */
export function light(g, view, run, chosen, color) {
  const { scene, film } = run;
  const line = (a, b) => {
    g.moveTo(...view.project(a));
    g.lineTo(...view.project(b));
  };
  const ring = ([x, y], radius) => {
    g.moveTo(x + radius, y);
    g.arc(x, y, radius, 0, 2 * Math.PI);
  };
  g.beginPath();
  if (chosen.kind === 'body') {
    const body = scene.bodies[chosen.index];
    for (const [a, b] of linesOf(body)) line(film.point(chosen.index, a), film.point(chosen.index, b));
    const disc = discOf(view, film, body, chosen.index);
    if (disc) ring(disc.centre, disc.radius + 3);
  } else {
    const points = ends(film, (chosen.kind === 'joint' ? scene.joints : scene.forces)[chosen.index]);
    if (chosen.kind === 'force' && points.length === 2) line(...points);
    else if (points.length) ring(view.project(points.at(-1)), 11);
  }
  g.lineCap = 'round';
  g.lineWidth = 5;
  g.globalAlpha = 0.75;
  g.strokeStyle = color;
  g.stroke();
  g.globalAlpha = 1;
}

/** Name, kind and measures of what was clicked; a measure is plotted by a click. */
export class Panel {
  constructor(stage) {
    this.stage = stage;
    this.element = h('aside.picked-panel', { 'aria-live': 'polite', hidden: true });
  }

  show(chosen) {
    const { stage } = this;
    const run = stage.runs[0];
    this.values = [];
    this.element.hidden = !chosen;
    if (!chosen) return;
    const what = chosen.kind === 'body' ? 'body' : `${(chosen.kind === 'joint' ? run.scene.joints : run.scene.forces)[chosen.index].type} ${chosen.kind}`;
    const names = run.curves.names().filter((name) => name.startsWith(`${chosen.name}.`));
    const rows = names.map((name) => {
      const value = h('span.value', {}, '');
      this.values.push([name, value]);
      return h('button.measure', { title: `Plot ${name}`, onclick: () => stage.onplot?.([name]) }, name.slice(chosen.name.length + 1), value);
    });
    this.element.replaceChildren(
      h('div.picked-head', {}, h('strong', {}, chosen.name), h('span', {}, what),
        h('button', { title: 'Close (Escape)', 'aria-label': 'Close', onclick: () => stage.choose(null) }, icon('close'))),
      chosen.kind === 'body' ? this.#looks(chosen.index) : '',
      rows.length ? h('div.measures', {}, ...rows) : h('p.note', {}, `The results have no measure of it; 'outputs: [${chosen.name}]' records them.`));
    this.update();
  }

  #looks(index) {
    const { stage } = this;
    const { hidden, faint } = stage.options;
    const flip = (set) => () => {
      if (!set.delete(index)) set.add(index);
      stage.changeLooks();
    };
    const all = stage.runs[0].scene.bodies.map((_, b) => b);
    const isolate = () => {
      const alone = all.every((b) => b === index || hidden.has(b));
      hidden.clear();
      if (!alone) all.forEach((b) => b !== index && hidden.add(b));
      stage.changeLooks();
    };
    const button = (label, on, act) => h('button.toggle', { 'aria-pressed': String(on), onclick: act }, label);
    return h('div.looks', {}, button('Hide', hidden.has(index), flip(hidden)), button('Transparent', faint.has(index), flip(faint)),
      button('Isolate', hidden.size === all.length - 1 && !hidden.has(index), isolate),
      hidden.size || faint.size ? h('button', { onclick: () => { hidden.clear(); faint.clear(); stage.changeLooks(); } }, 'Show all') : null);
  }

  update() {
    const { clock, runs } = this.stage;
    for (const [name, value] of this.values ?? []) value.textContent = number(runs[0].curves.at(name, clock.t));
  }
}
