// Units of measures, where the model tells its system; angles are always radians.

const systems = {
  SI: { length: 'm', force: 'N', torque: 'N m', energy: 'J', power: 'W' },
  'mm-N-s-t': { length: 'mm', force: 'N', torque: 'N mm', energy: 'N mm', power: 'N mm/s' },
};

const kinds = [
  [/^([xyz]|displacement|length|u[xyz]|deflection|gap)$/, ({ length }) => length],
  [/^(v[xyz]|[uvw]|[uvw]h|speed)$/, ({ length }) => `${length}/s`],
  [/^(a[xyz]|a[XYZ]|a[xy]h)$/, ({ length }) => `${length}/s²`],
  [/^(angle|roll|pitch|yaw|r[xyz])$/, () => 'rad'],
  [/^(omega|w[xyz]|[pqr])$/, () => 'rad/s'],
  [/^alpha[xyz]$/, () => 'rad/s²'],
  [/^(f[xyz]|f|force)$/, ({ force }) => force],
  [/^(t[xyz]|m[xyz]|t|torque)$/, ({ torque }) => torque],
  [/^(energy|kinetic)$/, ({ energy }) => energy],
  [/^power$/, ({ power }) => power],
];

/** The rate of a length or of an angle: its owner decides. */
function rateOf(scene, owner, { length }) {
  const force = scene.forces.find(({ name }) => name === owner);
  return force && !/torsion/.test(force.type) && force.joint === undefined ? `${length}/s` : 'rad/s';
}

/** The unit of a measure of a run, or '' where it is not known. */
export function unitOf(name, run) {
  const scene = run?.scene;
  const known = systems[scene?.units];
  const last = name.slice(name.lastIndexOf('.') + 1);
  const owner = name.slice(0, name.lastIndexOf('.'));
  if (!known) return owner && /^(angle|roll|pitch|yaw)$/.test(last) && scene ? 'rad' : '';
  if (name === 't') return 's';
  if (!owner) return ''; // a formula or a variable of the model
  if (owner === 'energy') return known.energy;
  if (owner === 'momentum') return last.startsWith('p') ? `${known.force} s` : `${known.torque} s`;
  if (last === 'rate') return rateOf(scene, owner, known);
  if (last === 'alpha') return scene.forces.some(({ name: force }) => force === owner) ? 'rad' : 'rad/s²'; // of a tire it is an angle
  return kinds.find(([pattern]) => pattern.test(last))?.[1](known) ?? '';
}

/** The title of an axis: what its measures have in common, and their unit; '' where it would tell nothing. */
export function axisTitle(names, run) {
  if (!names.length) return '';
  const units = new Set(names.map((name) => unitOf(name, run)));
  const unit = units.size === 1 ? [...units][0] : '';
  const lasts = [...new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1)))];
  const text = names.length === 1 ? names[0] : lasts.length <= 3 ? lasts.join(', ') : '';
  return unit ? `${text} [${unit}]`.trim() : text;
}
