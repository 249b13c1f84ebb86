// One run: its scene, frames and curves.
import { readBlock, readTable } from './block.js';

/** Frames over time. Poses are x y angle, or x y z qw qx qy qz. */
class Film {
  constructor(frames, values, bodies) {
    Object.assign(this, frames);
    this.count = this.t.length;
    this.values = values;
    this.bodies = bodies;
    this.loads ??= [];
    this.firstLoad = this.pose * bodies + this.force * this.reactions.length;
    this.now = new Float32Array(this.pose * bodies);
    this.at(this.t[0] ?? 0);
  }

  /** One number of one frame. */
  get(frame, channel) {
    return this.values[channel * this.count + frame];
  }

  /** The frame before t and how far t is on the way to the next. */
  place(t) {
    let low = 0;
    let high = Math.max(this.count - 1, 0);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.t[middle] <= t) low = middle;
      else high = middle;
    }
    const span = this.t[high] - this.t[low];
    const part = span > 0 ? Math.min(Math.max((t - this.t[low]) / span, 0), 1) : 0;
    return { low, high, part };
  }

  channel(t, index, place = this.place(t)) {
    const a = this.get(place.low, index);
    return a + place.part * (this.get(place.high, index) - a);
  }

  /** All poses at t, into `out`. */
  at(t, out = this.now) {
    if (this.count === 0) return out;
    const place = this.place(t);
    const { low, high, part } = place;
    const { values, count } = this;
    for (let i = 0; i < out.length; i++) {
      const a = values[i * count + low];
      out[i] = part === 0 ? a : a + part * (values[i * count + high] - a);
    }
    if (this.pose === 7 && part > 0) {
      for (let b = 3; b < out.length; b += 7) {
        const norm = Math.hypot(out[b], out[b + 1], out[b + 2], out[b + 3]) || 1;
        for (let k = 0; k < 4; k++) out[b + k] /= norm;
      }
    }
    return out;
  }

  /** The force of the reaction with this place in the list, at t. */
  reaction(t, index, place) {
    const first = this.pose * this.bodies + this.force * index;
    const found = [0, 0, 0];
    for (let k = 0; k < this.force; k++) found[k] = this.channel(t, first + k, place);
    return found;
  }

  /** Place and components of an element's force, by its place in the list, at t. */
  load(t, index, place) {
    const first = this.firstLoad + 2 * this.force * index;
    const found = { at: [0, 0, 0], force: [0, 0, 0] };
    for (let k = 0; k < this.force; k++) {
      found.at[k] = this.channel(t, first + k, place);
      found.force[k] = this.channel(t, first + this.force + k, place);
    }
    return found;
  }

  /** A point of a body in a set of poses; body −1 is the ground, a thing on it has a place of its own. */
  point(body, u, poses = this.now) {
    if (body.rotation) return body.position.map((x, k) => x + [0, 1, 2].reduce((sum, j) => sum + body.rotation[3 * k + j] * (u[j] ?? 0), 0));
    if (body < 0) return [u[0], u[1], u[2] ?? 0];
    const b = body * this.pose;
    if (this.pose === 3) {
      const c = Math.cos(poses[b + 2]);
      const s = Math.sin(poses[b + 2]);
      return [poses[b] + c * u[0] - s * u[1], poses[b + 1] + s * u[0] + c * u[1], 0];
    }
    const r = rotate(poses, b + 3, u);
    return [poses[b] + r[0], poses[b + 1] + r[1], poses[b + 2] + r[2]];
  }

  /** A direction carried by a body. */
  direction(body, d, poses = this.now) {
    const from = this.point(body, [0, 0, 0], poses);
    const to = this.point(body, d, poses);
    return [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
  }

  /** A body's point in every frame, x y z after each other. */
  trace(body, u) {
    const path = new Float32Array(3 * this.count);
    const poses = new Float32Array(this.now.length);
    for (let i = 0; i < this.count; i++) path.set(this.point(body, u, this.at(this.t[i], poses)), 3 * i);
    return path;
  }

  seriesChannel(name) {
    const index = this.series.indexOf(name);
    return index < 0 ? -1 : this.width - this.series.length + index;
  }
}

/** q u q* with the quaternion at q[i…i+3]. */
function rotate(q, i, u) {
  const [w, x, y, z] = [q[i], q[i + 1], q[i + 2], q[i + 3]];
  const tx = 2 * (y * u[2] - z * u[1]);
  const ty = 2 * (z * u[0] - x * u[2]);
  const tz = 2 * (x * u[1] - y * u[0]);
  return [u[0] + w * tx + y * tz - z * ty, u[1] + w * ty + z * tx - x * tz, u[2] + w * tz + x * ty - y * tx];
}

/** Measures over time: the results' columns, and the film's own energies and violations. */
class Curves {
  constructor(table, values, film) {
    this.t = table.t;
    this.rows = table.rows;
    this.reduced = table.rows > table.t.length;
    this.columns = new Map(
      table.names.map((name, i) => [name, { t: this.t, y: values.subarray(i * this.t.length, (i + 1) * this.t.length) }]),
    );
    for (const name of film?.series ?? []) {
      const channel = film.seriesChannel(name);
      const y = film.values.subarray(channel * film.count, (channel + 1) * film.count);
      // a system without an energy has none
      if (!this.columns.has(name) && y.some(Number.isFinite)) this.columns.set(name, { t: film.t, y });
    }
    this.#total();
  }

  #total() {
    const kinetic = this.columns.get('energy.kinetic');
    const potential = this.columns.get('energy.potential');
    if (this.columns.has('energy.total') || !kinetic || !potential || kinetic.t !== potential.t) return;
    this.columns.set('energy.total', { t: kinetic.t, y: kinetic.y.map((value, i) => value + potential.y[i]) });
  }

  names() {
    return [...this.columns.keys()];
  }

  get(name) {
    return this.columns.get(name);
  }

  /** The value of a measure at a time, linear between rows. */
  at(name, time) {
    const { t, y } = this.columns.get(name);
    let low = 0;
    let high = t.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (t[middle] <= time) low = middle;
      else high = middle;
    }
    const span = t[high] - t[low];
    return span > 0 ? y[low] + Math.min(Math.max((time - t[low]) / span, 0), 1) * (y[high] - y[low]) : y[low];
  }
}

/** A scene may come from anywhere: one that is none is left out. */
function parseScene(element) {
  try {
    return JSON.parse(element.textContent);
  } catch {
    return {};
  }
}

/** The run described by `data`, its elements being called prefix + "scene" (a scene.json) and prefix + "table". */
export async function readRun(own, prefix = '') {
  const element = document.getElementById(`${prefix}scene`);
  const data = { ...(element ? parseScene(element) : {}), ...own };
  const run = { name: data.name ?? data.summary?.name ?? '', data, summary: data.summary };
  if (data.frames) {
    const frames = await readBlock(data.blocks.frames);
    run.scene = data.scene;
    run.film = new Film(data.frames, frames, data.scene.bodies.length);
    run.meshes = [];
    for (let i = 0; i < data.scene.meshes; i++) run.meshes.push(await readMesh(data.blocks[`mesh${i}`]));
  }
  run.curves = new Curves(data.table, await readTable(prefix + 'table'), run.film);
  run.moves = !!run.film && run.film.count > 0 && run.scene.bodies.length > 0;
  return run;
}

/** Triangles, nine numbers each. */
async function readMesh(block) {
  const columns = await readBlock(block);
  const count = columns.length / 9;
  const corners = new Float32Array(columns.length);
  for (let i = 0; i < count; i++) for (let k = 0; k < 9; k++) corners[9 * i + k] = columns[k * count + i];
  return corners;
}

/** What the model wants to be followed, or null. */
export function followOf(scene) {
  if (!scene.view?.follow) return null;
  const [body, ...u] = scene.view.follow;
  if (body < 0) return null;
  return namedPoints(scene).find((point) => point.body === body && point.u.every((x, k) => x === u[k])) ?? { name: scene.bodies[body].name, body, u };
}

/** Every point that can be traced or followed. */
export function namedPoints(scene) {
  const list = [];
  scene.bodies.forEach((body, index) => {
    list.push({ name: body.name, body: index, u: [0, 0, 0] });
    if (body.com.some((x) => x !== 0)) list.push({ name: `${body.name} (centre of mass)`, body: index, u: body.com });
    for (const [point, u] of Object.entries(body.points)) list.push({ name: `${body.name}.${point}`, body: index, u });
  });
  return list;
}
