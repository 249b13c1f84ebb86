// Space: drawn by three.js, every kind of piece as one set of instances.
import {
  AmbientLight, BufferAttribute, BufferGeometry, DirectionalLight, DoubleSide, GridHelper, Group, InstancedMesh, Line,
  LineBasicMaterial, LineSegments, Matrix4, MeshLambertMaterial, OrthographicCamera, PerspectiveCamera, Scene,
  Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { arrowGeometry, between, Carried, coilGeometry, dashpotGeometry, geometriesOf, matricesOf, Pieces, turned, UP } from './pieces3d.js';
import { followOf } from './run.js';
import { boundsOf, colorOf, isSeen, largestLoad, largestReaction, piecesOf, runColors, strobeTimes, unitOf } from './shapes.js';
import { elementPieces, jointPieces } from './symbols3d.js';

const MANY = 400; // bodies: from here on simpler pieces

export class View3d {
  constructor(runs) {
    this.runs = runs;
    this.options = {};
    this.traces = [];
    this.follow = null;
    this.whole = boundsOf(runs);
    const follow = followOf(runs[0].scene);
    this.around = follow && boundsOf(runs, follow); // of what the model follows
    this.bounds = this.around ?? this.whole;
    this.unit = unitOf(runs, this.bounds);
    this.many = Math.max(...runs.map((run) => run.scene.bodies.length)) > MANY;
    this.renderer = new WebGLRenderer({ antialias: !this.many, alpha: true, powerPreference: 'high-performance' });
    this.canvas = this.renderer.domElement;
    this.canvas.className = 'scene';
    this.scene = new Scene();
    this.ambient = new AmbientLight(0xffffff, 1.5);
    this.sun = new DirectionalLight(0xffffff, 2.2);
    this.sun.position.set(0.5, 1, 0.8);
    this.perspective = new PerspectiveCamera(32, 1, this.bounds.size / 500, this.bounds.size * 50);
    this.parallel = new OrthographicCamera(-1, 1, 1, -1, -this.bounds.size * 50, this.bounds.size * 50);
    this.camera = this.perspective;
    this.flat = false;
    this.scene.add(this.ambient, this.perspective, this.parallel);
    this.camera.add(this.sun);
    this.geometries = geometriesOf(this.many);
    this.parts = runs.map((run, k) => this.#prepare(run, k));
    this.#surroundings();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('change', () => this.onchange?.());
    this.width = this.height = 1;
    this.fit();
  }

  /** Kind of geometry → instances. */
  #collect(run, index) {
    const kinds = new Map();
    const add = (kind, item) => (kinds.get(kind) ?? kinds.set(kind, []).get(kind)).push(item);
    const rod = 0.028 * this.unit;
    const bodies = [...run.scene.bodies.map((body, b) => [body, b])];
    if (Object.keys(run.scene.ground.shape).length) bodies.push([run.scene.ground, -1]);
    for (const [body, b] of bodies) {
      let color = b < 0 ? body.color ?? '#888888' : colorOf(body, b);
      if (this.runs.length > 1 && b >= 0) color = runColors[index % runColors.length];
      for (const piece of piecesOf(body)) this.#piece(add, piece, b, color, rod, run);
    }
    if (index === 0) for (const thing of run.scene.scenery ?? []) this.#thing(add, thing, rod, run);
    return kinds;
  }

  /** What stands on the ground is placed once. */
  #thing(add, thing, rod, run) {
    const [r, p] = [thing.rotation, thing.position];
    const pose = new Matrix4().set(r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2], 0, 0, 0, 1);
    const place = (kind, item) => add(kind, item.at
      ? { ...item, at: new Vector3(...item.at).applyMatrix4(pose).toArray() }
      : { ...item, local: pose.clone().multiply(item.local) });
    for (const piece of piecesOf(thing)) this.#piece(place, piece, -1, thing.color ?? '#888888', rod, run);
  }

  #piece(add, piece, body, color, rod, run) {
    if (piece.kind === 'line' && this.many) {
      for (const at of [piece.a, piece.b]) add('thin', { body, color, at });
    } else if (piece.kind === 'line') {
      add('rod', { body, color, local: between(piece.a, piece.b, rod) });
      for (const end of [piece.a, piece.b]) add('sphere', { body, color, local: turned([0, 1, 0], end, [rod, rod, rod]) });
    } else if (piece.kind === 'dot') add('sphere', { body, color, local: turned([0, 1, 0], piece.at, [2.5 * rod, 2.5 * rod, 2.5 * rod]) });
    else if (piece.kind === 'box') add('box', { body, color, local: turned([0, 1, 0], [0, 0, 0], piece.size.map((x) => x || rod)) });
    else if (piece.kind === 'sphere') add('sphere', { body, color, local: turned([0, 1, 0], [0, 0, 0], Array(3).fill(piece.radius)) });
    else if (piece.kind === 'cylinder') {
      add('cylinder', { body, color, local: turned(piece.axis, [0, 0, 0], [piece.radius, piece.length, piece.radius]) });
      // a spoke shows the turning of a disc
      if (!this.many && body >= 0) add('box', { body, color: '#ffffff', local: turned(piece.axis, [0, 0, 0], [1.6 * piece.radius, 1.04 * piece.length, 0.06 * piece.radius]) });
    } else if (piece.kind === 'cone') add('cone', { body, color, local: turned(piece.axis, [0, 0, 0], [piece.radius, piece.height, piece.radius]) });
    else if (piece.kind === 'mesh') add(`mesh${piece.mesh}`, { body, color, local: new Matrix4() });
  }

  #geometryOf(kind, run) {
    if (!kind.startsWith('mesh')) return this.geometries[kind];
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(run.meshes[Number(kind.slice(4))], 3));
    geometry.computeVertexNormals();
    return geometry;
  }

  #prepare(run, index) {
    const { film, scene } = run;
    const kinds = this.#collect(run, index);
    const faint = index > 0;
    const material = new MeshLambertMaterial({ side: DoubleSide, transparent: faint, opacity: faint ? 0.55 : 1 });
    const part = { run, kinds, group: new Group(), pieces: [], joints: [], matrices: new Float32Array(16 * film.bodies), links: [] };
    for (const [kind, items] of kinds) part.pieces.push(this.#instances(kind, items, material, run));
    if (index === 0) part.joints = jointPieces(run, this.unit, this.geometries, this.many);
    part.elements = this.many ? [] : elementPieces(scene, this.unit, this.geometries);
    for (const { mesh } of [...part.pieces, ...part.joints, ...part.elements]) part.group.add(mesh);
    for (const force of scene.forces) if (force.ends?.length === 2 && force.type !== 'bushing') this.#link(part, force);
    part.largest = largestReaction(film);
    part.largestLoad = largestLoad(film);
    part.arrows = this.#arrows(part, film.reactions.length, '#d4572a');
    part.loads = this.#arrows(part, film.loads.length, '#12805c');
    this.scene.add(part.group);
    return part;
  }

  #arrows(part, count, color) {
    // over everything: a force inside a body is to be seen, too
    const arrows = new InstancedMesh(arrowGeometry(), new MeshLambertMaterial({ color, depthTest: false, transparent: true }), Math.max(count, 1));
    arrows.renderOrder = 10;
    arrows.count = count;
    arrows.frustumCulled = false;
    part.group.add(arrows);
    return arrows;
  }

  #instances(kind, items, material, run) {
    if (kind !== 'thin') return new Pieces(this.#geometryOf(kind, run), items, material);
    return new Carried((geometry) => new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true })), items);
  }

  #link(part, force) {
    const add = (geometry, color) => {
      const line = new Line(geometry, new LineBasicMaterial({ color }));
      line.matrixAutoUpdate = false;
      line.frustumCulled = false;
      part.group.add(line);
      part.links.push({ line, force });
    };
    if (force.spring) add(coilGeometry(), '#9a6cc0');
    if (force.damper || force.type === 'actuator') add(dashpotGeometry(), '#7d8696');
  }

  #surroundings() {
    const { low, high } = this.whole;
    const { size } = this.bounds;
    const gravity = new Vector3(...this.runs[0].scene.gravity);
    this.up = gravity.lengthSq() > 0 ? gravity.clone().normalize().negate() : new Vector3(0, 0, 1);
    // views along an axis look better than along a slightly tilted one
    const axis = ['x', 'y', 'z'].find((k) => Math.abs(this.up[k]) > 0.999);
    if (axis) this.up.set(0, 0, 0)[axis] = Math.sign(-gravity[axis]) || 1;
    this.centre = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5);
    const lowest = this.up.x * (this.up.x > 0 ? low : high)[0] + this.up.y * (this.up.y > 0 ? low : high)[1] + this.up.z * (this.up.z > 0 ? low : high)[2];
    const raw = size / 8;
    const power = 10 ** Math.floor(Math.log10(raw));
    this.cell = power * (raw / power >= 5 ? 5 : raw / power >= 2 ? 2 : 1);
    this.grid = new GridHelper(this.cell * 16, 16, 0x808890, 0x808890);
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.28;
    this.grid.quaternion.setFromUnitVectors(UP, this.up);
    this.floor = lowest - 0.01 * size;
    this.#layGrid(this.centre);
    this.scene.add(this.grid);
  }

  /** Under a point, on whole cells. */
  #layGrid(point) {
    const snap = (x) => this.cell * Math.round(x / this.cell);
    const flat = point.clone().addScaledVector(this.up, -point.dot(this.up));
    this.grid.position.set(snap(flat.x), snap(flat.y), snap(flat.z)).addScaledVector(this.up, this.floor);
  }

  /** A flat mechanism is looked at from the front, a long one from its side, others from a corner. */
  #direction() {
    const { view } = this.runs[0].scene;
    if (view?.from) return new Vector3(...view.from).normalize();
    const { low, high, size } = this.bounds;
    const extent = high.map((x, k) => x - low[k]);
    const thin = extent.indexOf(Math.min(...extent));
    const long = extent.indexOf(Math.max(...extent));
    const side = Math.abs(this.up.y) > 0.9 ? new Vector3(0.75, 0.4, 1) : new Vector3(0.8, -1, 0.45);
    if (extent[thin] < 0.06 * size && Math.abs(this.up.getComponent(thin)) < 0.5) {
      side.set(0.12, 0.12, 0.12);
      side.setComponent(thin, thin === 1 ? -1 : 1);
    } else if (extent[long] > 0.9 * size && Math.abs(this.up.getComponent(long)) < 0.5) side.setComponent(long, 0.15);
    return side.normalize();
  }

  /** Along an axis of space. */
  look(axis) {
    const side = new Vector3();
    side[axis] = axis === 'y' ? -1 : 1;
    const up = Math.abs(side.dot(this.up)) > 0.9 ? new Vector3(0, axis === 'y' ? 0 : 1, axis === 'y' ? 1 : 0) : this.up;
    this.fit(side, up);
  }

  /** Without perspective, or with it. */
  setFlat(flat) {
    const before = this.camera;
    this.flat = !!flat;
    this.camera = this.flat ? this.parallel : this.perspective;
    this.camera.up.copy(before.up);
    this.camera.position.copy(before.position);
    this.camera.zoom = 1;
    this.camera.add(this.sun);
    this.controls.object = this.camera;
    this.#shape();
    this.camera.lookAt(this.controls.target);
    this.controls.update();
  }

  /** What the camera sees: without perspective as much as with it at the same distance. */
  #shape() {
    const aspect = this.width / this.height;
    this.perspective.aspect = aspect;
    const half = this.camera.position.distanceTo(this.controls.target) * Math.tan((this.perspective.fov * Math.PI) / 360);
    Object.assign(this.parallel, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
    this.camera.updateProjectionMatrix();
  }

  state() {
    const short = (v) => v.toArray().map((x) => Number(x.toPrecision(6)));
    return { from: short(this.camera.position), to: short(this.controls.target), up: short(this.camera.up), ...(this.flat && { flat: true, zoom: Number(this.camera.zoom.toPrecision(5)) }) };
  }

  restore({ from, to, up, flat, zoom }) {
    if (![from, to, up].every((v) => Array.isArray(v) && v.length === 3 && v.every(Number.isFinite))) return;
    if (!!flat !== this.flat) this.setFlat(flat);
    this.camera.up.set(...up);
    this.controls.target.set(...to);
    this.camera.position.set(...from);
    if (flat && zoom > 0) this.camera.zoom = zoom;
    this.#shape();
    this.camera.lookAt(this.controls.target);
    this.controls.update();
  }

  /** As near as all corners of what is drawn allow. */
  fit(side = this.#direction(), up = this.up) {
    const around = this.follow && this.around;
    const { low, high, size } = around || this.whole;
    const share = around ? 0.5 : 0.86; // what it passes is to be seen, too
    const at = around ? this.#followed() : new Vector3();
    const corners = Array.from({ length: 8 }, (_, i) => new Vector3(...[0, 1, 2].map((k) => (i & (1 << k) ? high : low)[k])).add(at));
    const centre = new Vector3(...low).add(new Vector3(...high)).multiplyScalar(0.5).add(at);
    this.camera.up.copy(up);
    this.camera.zoom = 1;
    this.controls.target.copy(centre);
    const fits = (distance) => {
      this.camera.position.copy(centre).addScaledVector(side, distance);
      this.camera.lookAt(centre);
      this.#shape();
      this.camera.updateMatrixWorld();
      return corners.every((corner) => {
        const p = corner.clone().project(this.camera);
        return Math.abs(p.x) < share && Math.abs(p.y) < share && p.z < 1;
      });
    };
    let [near, far] = [0.1 * size, 20 * size];
    for (let i = 0; i < 40; i++) {
      const middle = (near + far) / 2;
      if (fits(middle)) far = middle;
      else near = middle;
    }
    fits(far);
    this.last = around ? at : null;
    this.controls.update();
  }

  resize(width, height, ratio) {
    const first = this.width === 1;
    this.width = width;
    this.height = height;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.#shape();
    if (first) this.fit();
  }

  zoomBy(ratio) {
    const offset = this.camera.position.clone().sub(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(offset, 1 / ratio);
    this.controls.update();
  }

  /** A point in sight. */
  middle() {
    return this.controls.target.toArray();
  }

  project(p) {
    const v = new Vector3(p[0], p[1], p[2]).project(this.camera);
    return [((v.x + 1) / 2) * this.width, ((1 - v.y) / 2) * this.height];
  }

  draw(t, style) {
    this.#followBody(t);
    for (const part of this.parts) {
      const { run } = part;
      run.film.at(t);
      matricesOf(run.film, run.film.now, part.matrices);
      this.#bodies(part);
      const { hidden } = this.options;
      const isShown = hidden?.size ? (_, { owner }) => isSeen(owner, hidden) : null;
      for (const pieces of part.joints) {
        pieces.mesh.visible = !!this.options.joints;
        if (this.options.joints) pieces.update(part.matrices, 0, isShown);
      }
      for (const pieces of part.elements) pieces.update(part.matrices, 0, isShown);
      this.#links(part);
      this.#reactions(part, t);
      this.#loads(part, t);
      this.#strobe(part);
    }
    this.#drawTraces(t);
    this.grid.visible = true;
    this.grid.material.color.set(style.grid3d);
    this.camera.updateMatrixWorld();
    this.renderer.render(this.scene, this.camera);
  }

  /** Those that are hidden are left out; transparent ones are drawn apart. */
  #bodies(part) {
    const { hidden, faint } = this.options;
    const changed = hidden?.size || faint?.size;
    const isSolid = changed ? (body) => !hidden.has(body) && !faint.has(body) : null;
    for (const pieces of part.pieces) pieces.update(part.matrices, 0, isSolid);
    if (faint?.size && !part.faint) {
      const material = new MeshLambertMaterial({ side: DoubleSide, transparent: true, opacity: 0.25, depthWrite: false });
      part.faint = [...part.kinds].filter(([kind]) => kind !== 'thin').map(([kind, items]) => new Pieces(this.#geometryOf(kind, part.run), items, material));
      for (const { mesh } of part.faint) part.group.add(mesh);
    }
    for (const pieces of part.faint ?? []) pieces.update(part.matrices, 0, (body) => faint.has(body) && !hidden.has(body));
  }

  #followBody(t) {
    if (!this.follow) {
      this.last = null;
      return;
    }
    this.runs[0].film.at(t);
    const now = this.#followed();
    const shift = now.clone().sub(this.last ?? this.controls.target);
    this.last = now;
    if (this.around) this.#layGrid(now);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
  }

  #followed() {
    return new Vector3(...this.runs[0].film.point(this.follow.body, this.follow.u));
  }

  #links({ run, links }) {
    const width = 0.07 * this.unit;
    for (const { line, force } of links) {
      line.visible = isSeen(force, this.options.hidden);
      const [a, b] = force.ends.map((end) => run.film.point(end[0], end.slice(1)));
      line.matrix.copy(between(a, b, width).multiply(new Matrix4().makeTranslation(0, -0.5, 0)));
      line.matrixWorldNeedsUpdate = true;
    }
  }

  #reactions({ run, arrows, largest }, t) {
    arrows.visible = !!this.options.reactions;
    if (!arrows.visible) return;
    const { film, scene } = run;
    const place = film.place(t);
    film.reactions.forEach((j, index) => {
      const [body, ...u] = scene.joints[j].ends[1];
      this.#arrow(arrows, index, film.point(body, u), film.reaction(t, index, place), largest);
    });
    arrows.instanceMatrix.needsUpdate = true;
  }

  #loads({ run: { film }, loads, largestLoad: most }, t) {
    loads.visible = !!this.options.forces;
    if (!loads.visible) return;
    const place = film.place(t);
    film.loads.forEach((_, index) => {
      const { at, force } = film.load(t, index, place);
      this.#arrow(loads, index, at, force, most);
    });
    loads.instanceMatrix.needsUpdate = true;
  }

  #arrow(arrows, index, at, force, largest) {
    const longest = 0.16 * this.bounds.size;
    const size = Math.hypot(...force);
    const length = size > 0 ? Math.min((longest * size) / largest, 3 * longest) : 0;
    const thick = Math.min(0.012 * this.bounds.size, 0.3 * length);
    arrows.setMatrixAt(index, turned(size > 0 ? force : [0, 1, 0], at, [thick, length, thick]));
  }

  /** Ghosts are made once for each number of instants. */
  #strobe(part) {
    const wanted = this.options.strobe || 0;
    if (part.strobe === wanted) return;
    for (const ghost of part.ghosts ?? []) {
      part.group.remove(ghost.mesh);
      ghost.mesh.dispose();
    }
    part.ghosts = [];
    part.strobe = wanted;
    if (!wanted) return;
    const { film } = part.run;
    const poses = new Float32Array(film.now.length);
    const matrices = new Float32Array(part.matrices.length);
    const material = new MeshLambertMaterial({ transparent: true, opacity: 0.26, depthWrite: false });
    for (const [kind, items] of part.kinds) {
      if (kind === 'thin') continue; // too many to be told apart
      const moving = items.filter((item) => item.body >= 0);
      const all = Array.from({ length: wanted }, () => moving).flat();
      const ghost = new Pieces(this.#geometryOf(kind, part.run), all, material);
      ghost.locals = ghost.locals.slice(0, moving.length);
      strobeTimes(film, wanted).forEach((t, k) => {
        matricesOf(film, film.at(t, poses), matrices);
        ghost.update(matrices, k * moving.length);
      });
      part.ghosts.push(ghost);
      part.group.add(ghost.mesh);
    }
  }

  setTraces(traces) {
    for (const { lines } of this.traces) for (const line of lines) this.scene.remove(line);
    this.traces = traces.flatMap((trace) =>
      this.runs.map((run, k) => {
        const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(run.film.trace(trace.body, trace.u), 3));
        const color = this.runs.length > 1 ? runColors[k % runColors.length] : trace.color;
        const behind = geometry.clone();
        const lines = [
          new Line(geometry, new LineBasicMaterial({ color })),
          new Line(behind, new LineBasicMaterial({ color, transparent: true, opacity: 0.3 })),
        ];
        for (const line of lines) {
          line.frustumCulled = false;
          this.scene.add(line);
        }
        return { run, lines };
      }));
  }

  #drawTraces(t) {
    for (const { run, lines } of this.traces) lines[0].geometry.setDrawRange(0, run.film.place(t).low + 1);
  }

  image() {
    this.renderer.render(this.scene, this.camera);
    return this.canvas.toDataURL();
  }
}
