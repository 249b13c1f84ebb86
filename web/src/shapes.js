// What a body looks like, as simple pieces in its own frame; both views draw from these.

const palette = ['#4477aa', '#cc6677', '#228833', '#ccbb44', '#66ccee', '#aa3377', '#ee7733', '#009988'];

export const runColors = ['#3b76b5', '#d95f43', '#3a9a5b', '#8e5bb5', '#c79a1e', '#2aa3a3'];

export function colorOf(body, index) {
  return body.color ?? palette[index % palette.length];
}

/** Pieces: {kind: 'line' | 'box' | 'sphere' | 'cylinder' | 'mesh' | 'plate', …}. */
export function piecesOf(body) {
  const { shape } = body;
  if (shape.box) return [{ kind: 'box', size: shape.box }];
  if (shape.sphere !== undefined) return [{ kind: 'sphere', radius: shape.sphere }];
  if (shape.cylinder) return [{ kind: 'cylinder', radius: shape.cylinder[0], length: shape.cylinder[1], axis: shape.axis }];
  if (shape.cone) return [{ kind: 'cone', radius: shape.cone[0], height: shape.cone[1], axis: shape.axis }];
  if (shape.mesh !== undefined) return shape.mesh < 0 ? [] : [{ kind: 'mesh', mesh: shape.mesh }];
  const path = shape.rod ?? shape.path;
  if (path) {
    const closed = path.length > 3 && path[0].every((x, i) => x === path.at(-1)[i]);
    const lines = path.slice(1).map((b, i) => ({ kind: 'line', a: path[i], b }));
    return closed ? [{ kind: 'plate', path: path.slice(0, -1) }, ...lines] : lines;
  }
  const lines = Object.values(body.points)
    .filter((b) => b.some((x) => x !== 0))
    .map((b) => ({ kind: 'line', a: [0, 0, 0], b }));
  return lines.length ? lines : [{ kind: 'dot', at: [0, 0, 0] }];
}

/** How far a body's drawing reaches from its origin. */
export function reachOf(body) {
  const { shape } = body;
  let reach = 0;
  for (const u of [...Object.values(body.points), ...(shape.rod ?? shape.path ?? [])]) reach = Math.max(reach, Math.hypot(...u));
  if (shape.box) reach = Math.max(reach, Math.hypot(...shape.box) / 2);
  if (shape.sphere) reach = Math.max(reach, shape.sphere);
  if (shape.cylinder) reach = Math.max(reach, Math.hypot(shape.cylinder[0], shape.cylinder[1] / 2));
  if (shape.cone) reach = Math.max(reach, Math.hypot(...shape.cone));
  return reach;
}

/** Corners of a box around triangles. */
function boxAround(corners) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  corners.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return Array.from({ length: corners.length ? 8 : 0 }, (_, i) => [0, 1, 2].map((k) => (i & (1 << k) ? high : low)[k]));
}

/** Corners of everything that is drawn over the whole run, or of all bodies around a followed point; some frames are enough. */
export function boundsOf(runs, follow = null) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const take = (p, margin = 0) => {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], p[k] - margin);
      high[k] = Math.max(high[k], p[k] + margin);
    }
  };
  for (const { scene, film, meshes } of runs) {
    const every = Math.max(1, Math.floor((film.count * scene.bodies.length) / 20000));
    const poses = new Float32Array(film.now.length);
    const outlines = scene.bodies.map((body) => {
      const mesh = boxAround(meshes[body.shape.mesh] ?? []);
      const points = [...Object.values(body.points), ...(body.shape.rod ?? body.shape.path ?? mesh)];
      const solid = body.shape.box || body.shape.sphere || body.shape.cylinder || body.shape.cone;
      return { points, margin: solid ? reachOf(body) : 0 };
    });
    for (let i = 0; i < film.count; i += every) {
      film.at(film.t[i], poses);
      const origin = follow ? film.point(follow.body, follow.u, poses) : [0, 0, 0];
      const seen = (b, u) => film.point(b, u, poses).map((x, k) => x - origin[k]);
      outlines.forEach(({ points, margin }, b) => {
        take(seen(b, [0, 0, 0]), margin);
        for (const u of points) take(seen(b, u));
      });
    }
    if (follow) continue; // the ground passes by
    for (const u of Object.values(scene.ground.points)) take(u);
    for (const joint of scene.joints) for (const end of joint.ends ?? []) if (end[0] < 0) take(end.slice(1));
    for (const force of scene.forces) for (const end of force.ends ?? []) if (end[0] < 0) take(end.slice(1));
  }
  if (low[0] > high[0]) return { low: [-1, -1, -1], high: [1, 1, 1], size: 2 };
  const size = Math.hypot(...high.map((x, k) => x - low[k])) || 2;
  for (let k = 0; k < 3; k++) {
    if (high[k] - low[k] >= 0.02 * size) continue;
    low[k] -= 0.01 * size;
    high[k] += 0.01 * size;
  }
  return { low, high, size };
}

/** A length that joints and arrows are drawn with: part of a usual body, not of the whole chain. */
export function unitOf(runs, bounds) {
  const reaches = runs.flatMap(({ scene }) => scene.bodies.map(reachOf)).filter((r) => r > 0).sort((a, b) => a - b);
  const usual = reaches.length ? reaches[reaches.length >> 1] : bounds.size / 4;
  return Math.min(usual, bounds.size / 4);
}

/** How far the second point of a slider goes along the axis, from the first: some frames are enough. */
export function travelOf(film, { ends: [[first, ...from], [second, ...to]], axes: [axis] }) {
  const poses = new Float32Array(film.now.length);
  const size = Math.hypot(...axis) || 1;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < film.count; i += 1 + (film.count >> 8)) {
    film.at(film.t[i], poses);
    const [a, b, d] = [film.point(first, from, poses), film.point(second, to, poses), film.direction(first, axis, poses)];
    const along = d.reduce((sum, x, k) => sum + (x * (b[k] - a[k])) / size, 0);
    [low, high] = [Math.min(low, along), Math.max(high, along)];
  }
  return low <= high ? [low, high] : [0, 0];
}

/** Largest reaction over the run, for the arrows' scale. */
export function largestReaction(film) {
  return largest(film, film.pose * film.bodies, film.force, film.reactions.length);
}

/** The same of the elements' forces, which stand behind their places. */
export function largestLoad(film) {
  return largest(film, film.firstLoad + film.force, 2 * film.force, film.loads.length);
}

function largest(film, first, stride, count) {
  const sizes = [];
  for (let j = 0; j < count; j++) {
    for (let i = 0; i < film.count; i += 1 + (film.count >> 7)) {
      let sum = 0;
      for (let k = 0; k < film.force; k++) sum += film.get(i, first + stride * j + k) ** 2;
      if (Number.isFinite(sum)) sizes.push(Math.sqrt(sum));
    }
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.98 * (sizes.length - 1))] || sizes.at(-1) || 1;
}

/** Times of the stroboscope: evenly over the run, the last interval cut so that turns do not repeat. */
export function strobeTimes(film, count) {
  const [start, end] = [film.t[0], film.t.at(-1)];
  return Array.from({ length: count }, (_, i) => start + ((end - start) * i) / (count - 0.382));
}

/** A joint or a force is seen as long as one of its bodies is. */
export function isSeen({ ends }, hidden) {
  const bodies = ends.map(([body]) => body).filter((body) => body >= 0);
  return !hidden?.size || !bodies.length || bodies.some((body) => !hidden.has(body));
}
