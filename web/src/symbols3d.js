// Joints, bushings and tires in space, as pieces that bodies carry.
import { DoubleSide, MeshLambertMaterial, Points, PointsMaterial } from 'three';
import { between, Carried, Pieces, turned } from './pieces3d.js';
import { travelOf } from './shapes.js';

/** Bushings as rubber rings around a core, tires around their wheels: carried by bodies. */
export function elementPieces({ forces }, unit, geometries) {
  const kinds = new Map([['ring', []], ['sphere', []], ['tire', []]]);
  const r = 0.1 * unit;
  for (const owner of forces) {
    const { type, ends, axis, radius } = owner;
    if (type === 'bushing') {
      const [[first, ...at], [second, ...core]] = ends;
      kinds.get('ring').push({ owner, body: first, color: '#9a6cc0', local: turned([0, 0, 1], at, [r, r, r]) });
      kinds.get('sphere').push({ owner, body: second, color: '#3d4451', local: turned([0, 1, 0], core, [0.5 * r, 0.5 * r, 0.5 * r]) });
    } else if (type === 'tire') {
      const [[wheel, ...centre]] = ends;
      kinds.get('tire').push({ owner, body: wheel, color: '#2b2f36', local: turned(axis, centre, [radius, radius, radius]) });
    }
  }
  const material = new MeshLambertMaterial({ side: DoubleSide });
  return [...kinds].filter(([, items]) => items.length).map(([kind, items]) => new Pieces(geometries[kind], items, material));
}

/** Joints by type: pins along the axis, balls, sleeves, blocks, crosses. */
export function jointPieces({ film, scene }, unit, geometries, many) {
  if (many) {
    const items = scene.joints.filter((joint) => joint.ends).map((owner) => ({ owner, body: owner.ends[1][0], at: owner.ends[1].slice(1), color: '#5b6472' }));
    return [new Carried((geometry) => new Points(geometry, new PointsMaterial({ vertexColors: true, size: 2.5, sizeAttenuation: false })), items)];
  }
  const kinds = new Map();
  const r = 0.055 * unit;
  const color = '#5b6472';
  const add = (kind, joint, axis, scale, side = 1) => {
    const [body, ...at] = joint.ends[side];
    const list = kinds.get(kind) ?? kinds.set(kind, []).get(kind);
    list.push({ owner: joint, body, color, local: turned(axis ?? joint.axes[side], at, scale) });
  };
  for (const joint of scene.joints) {
    if (!joint.ends) continue;
    switch (joint.type) {
      case 'revolute':
      case 'screw': add('cylinder', joint, null, [r, 3.2 * r, r]); break;
      case 'cylindrical': add('cylinder', joint, null, [0.8 * r, 7 * r, 0.8 * r]); break;
      case 'prismatic':
      case 'point-on-line':
        add('box', joint, joint.axes[0], [2 * r, 3.4 * r, 2 * r]);
        addRail(kinds, joint, film, r);
        break;
      case 'universal':
        add('rod', joint, joint.axes[1], [0.6 * r, 4 * r, 0.6 * r]);
        add('rod', joint, joint.axes[0], [0.6 * r, 4 * r, 0.6 * r], 0);
        break;
      case 'rigid': add('box', joint, [0, 1, 0], [1.8 * r, 1.8 * r, 1.8 * r]); break;
      case 'planar':
      case 'point-on-plane': add('box', joint, joint.axes[0], [5 * r, 0.3 * r, 5 * r], 0); break;
      case 'driver': add('ring', joint, null, [2 * r, 2 * r, 2 * r]); break;
      case 'distance':
        add('sphere', joint, [0, 1, 0], [0.8 * r, 0.8 * r, 0.8 * r], 0);
        add('sphere', joint, [0, 1, 0], [0.8 * r, 0.8 * r, 0.8 * r]);
        break;
      case 'rolling': break;
      default: add('sphere', joint, [0, 1, 0], [1.25 * r, 1.25 * r, 1.25 * r]);
    }
  }
  const material = new MeshLambertMaterial();
  return [...kinds].map(([kind, items]) => new Pieces(geometries[kind], items, material));
}

/** As far as the slider goes. */
function addRail(kinds, joint, film, r) {
  const [body, ...at] = joint.ends[0];
  const [axis] = joint.axes;
  const size = Math.hypot(...axis) || 1;
  const [low, high] = travelOf(film, joint);
  const place = (s) => at.map((x, k) => x + (s * axis[k]) / size);
  const list = kinds.get('rod') ?? kinds.set('rod', []).get('rod');
  list.push({ owner: joint, body, color: '#5b6472', local: between(place(low - 2.4 * r), place(high + 2.4 * r), 0.25 * r) });
}
