// Pieces of unit size that bodies carry, many of a kind drawn at once, for three.js.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, InstancedMesh, LatheGeometry,
  Matrix4, Points, Quaternion, SphereGeometry, TorusGeometry, Vector2, Vector3,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

export const UP = new Vector3(0, 1, 0);

/** A unit piece along y, brought between two points. */
export function between(a, b, radius) {
  const from = new Vector3(...a);
  const along = new Vector3(...b).sub(from);
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(UP, length ? along.clone().divideScalar(length) : UP);
  return new Matrix4().compose(from.addScaledVector(along, 0.5), turn, new Vector3(radius, length, radius));
}

export function turned(axis, at, scale) {
  const direction = new Vector3(...axis);
  if (direction.lengthSq() === 0) direction.copy(UP);
  const turn = new Quaternion().setFromUnitVectors(UP, direction.normalize());
  return new Matrix4().compose(new Vector3(...at), turn, new Vector3(...scale));
}

/** Instances of one geometry, each carried by a body (−1: ground). */
export class Pieces {
  constructor(geometry, items, material) {
    this.items = items;
    this.mesh = new InstancedMesh(geometry, material, items.length);
    this.mesh.frustumCulled = false;
    this.locals = items.map((item) => item.local.elements);
    items.forEach((item, i) => this.mesh.setColorAt(i, new Color(item.color)));
    this.first = 0;
  }

  /** Matrices of the bodies (16 numbers each) to those of the instances. */
  update(bodies, offset = 0, isShown = null) {
    const out = this.mesh.instanceMatrix.array;
    for (let i = 0; i < this.locals.length; i++) {
      const item = this.items[i];
      const { body } = item;
      const o = 16 * (i + offset);
      if (isShown && !isShown(body, item)) out.fill(0, o, o + 16); // a point, which is not drawn
      else if (body < 0) out.set(this.locals[i], o);
      else multiply(bodies, 16 * body, this.locals[i], out, o);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/** Points carried by bodies, drawn as plain lines or dots: for thousands of them. */
export class Carried {
  constructor(make, items) {
    this.items = items; // {body, at, color}
    const colors = new Float32Array(items.flatMap((item) => new Color(item.color).toArray()));
    this.geometry = new BufferGeometry()
      .setAttribute('position', new BufferAttribute(new Float32Array(3 * items.length), 3))
      .setAttribute('color', new BufferAttribute(colors, 3));
    this.mesh = make(this.geometry);
    this.mesh.frustumCulled = false;
  }

  update(bodies, offset = 0, isShown = null) {
    const out = this.geometry.attributes.position.array;
    this.items.forEach((item, i) => {
      const { body, at } = item;
      if (isShown && !isShown(body, item)) {
        out.fill(0, 3 * i, 3 * i + 3);
        return;
      }
      if (body < 0) {
        out.set(at, 3 * i);
        return;
      }
      const o = 16 * body;
      for (let r = 0; r < 3; r++) out[3 * i + r] = bodies[o + r] * at[0] + bodies[o + 4 + r] * at[1] + bodies[o + 8 + r] * at[2] + bodies[o + 12 + r];
    });
    this.geometry.attributes.position.needsUpdate = true;
  }
}

/** out = a b, affine, column-major */
function multiply(a, i, b, out, o) {
  for (let c = 0; c < 4; c++) {
    const [x, y, z] = [b[4 * c], b[4 * c + 1], b[4 * c + 2]];
    const w = c === 3 ? 1 : 0;
    for (let r = 0; r < 3; r++) out[o + 4 * c + r] = a[i + r] * x + a[i + 4 + r] * y + a[i + 8 + r] * z + a[i + 12 + r] * w;
    out[o + 4 * c + 3] = w;
  }
}

/** Poses to matrices. */
export function matricesOf(film, poses, out) {
  for (let b = 0; b < film.bodies; b++) {
    const p = b * film.pose;
    const o = 16 * b;
    let [w, x, y, z] = [1, 0, 0, 0];
    if (film.pose === 7) [w, x, y, z] = [poses[p + 3], poses[p + 4], poses[p + 5], poses[p + 6]];
    out[o] = 1 - 2 * (y * y + z * z);
    out[o + 1] = 2 * (x * y + w * z);
    out[o + 2] = 2 * (x * z - w * y);
    out[o + 4] = 2 * (x * y - w * z);
    out[o + 5] = 1 - 2 * (x * x + z * z);
    out[o + 6] = 2 * (y * z + w * x);
    out[o + 8] = 2 * (x * z + w * y);
    out[o + 9] = 2 * (y * z - w * x);
    out[o + 10] = 1 - 2 * (x * x + y * y);
    out[o + 12] = poses[p];
    out[o + 13] = poses[p + 1];
    out[o + 14] = poses[p + 2];
    out[o + 15] = 1;
  }
  return out;
}

export function arrowGeometry() {
  const shaft = new CylinderGeometry(0.35, 0.35, 0.75, 8).translate(0, 0.375, 0);
  const head = new ConeGeometry(1, 0.28, 12).translate(0, 0.86, 0);
  return mergeGeometries([shaft, head]);
}

/** A coil of unit length along y with unit radius. */
export function coilGeometry() {
  const points = [];
  for (let i = 0; i <= 160; i++) {
    const part = i / 160;
    const inside = Math.min(Math.max((part - 0.08) / 0.84, 0), 1);
    const radius = part < 0.08 || part > 0.92 ? 0 : 1;
    points.push(radius * Math.cos(16 * Math.PI * inside), part, radius * Math.sin(16 * Math.PI * inside));
  }
  return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points), 3));
}

export function dashpotGeometry() {
  const p = [0, 0, 0, 0, 0.35, 0, -1, 0.35, 0, -1, 0.65, 0, -1, 0.35, 0, 1, 0.35, 0, 1, 0.65, 0, 1, 0.35, 0, 0, 0.35, 0, 0, 0.5, 0, -0.7, 0.5, 0, 0.7, 0.5, 0, 0, 0.5, 0, 0, 1, 0];
  return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(p), 3));
}

/** Of unit size, simpler ones for many bodies. */
export function geometriesOf(many) {
  const round = many ? 5 : 14;
  return {
    rod: new CylinderGeometry(1, 1, 1, round),
    cylinder: new CylinderGeometry(1, 1, 1, many ? 10 : 40),
    sphere: new SphereGeometry(1, many ? 8 : 28, many ? 6 : 20),
    box: new BoxGeometry(1, 1, 1),
    cone: new ConeGeometry(1, 1, many ? 8 : 24).translate(0, 0.5, 0),
    ring: new TorusGeometry(1, 0.25, 8, 24).rotateX(Math.PI / 2),
    // about y, 0.6 radii wide and as high as most are
    tire: new LatheGeometry([[0.68, -0.24], [0.9, -0.3], [0.985, -0.25], [1, 0], [0.985, 0.25], [0.9, 0.3], [0.68, 0.24]].map(([x, y]) => new Vector2(x, y)), 36),
  };
}
