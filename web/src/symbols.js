// Joints, springs, dampers, arrows: the symbols of mechanism drawings, on a 2-D canvas.
import { travelOf } from './shapes.js';

export function arrow(g, a, b, color, width) {
  const angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const head = Math.min(10, 0.6 * length);
  g.strokeStyle = g.fillStyle = color;
  g.lineWidth = width;
  g.beginPath();
  g.moveTo(...a);
  g.lineTo(b[0] - 0.7 * head * Math.cos(angle), b[1] - 0.7 * head * Math.sin(angle));
  g.stroke();
  g.beginPath();
  g.moveTo(...b);
  for (const side of [-1, 1]) g.lineTo(b[0] - head * Math.cos(angle + side * 0.4), b[1] - head * Math.sin(angle + side * 0.4));
  g.fill();
}

/** Gravity as it looks from here, in a corner of any view. */
export function drawGravity(g, view, style) {
  const { gravity } = view.runs[0].scene;
  const size = Math.hypot(...gravity);
  if (!size) return;
  const centre = view.middle();
  const step = (0.05 * view.bounds.size) / size;
  const a = view.project(centre);
  const b = view.project(centre.map((x, k) => x + step * gravity[k]));
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  const [dx, dy] = [((b[0] - a[0]) / length) * 20, ((b[1] - a[1]) / length) * 20];
  const [x, y] = [34, 40];
  arrow(g, [x - dx, y - dy], [x + dx, y + dy], style.faint, 2);
  g.font = 'italic 13px system-ui, sans-serif';
  g.textAlign = 'left';
  g.fillText('g', x + 9, y + 4);
}

/** Ends of a joint or force on the canvas. */
function endsOf(view, run, ends) {
  return ends.map((end) => view.project(run.film.point(end[0], end.slice(1))));
}

/** A direction carried by a body, as an angle on the canvas. */
function angleOf(run, body, d) {
  const v = run.film.direction(body, d);
  return Math.atan2(-v[1], v[0]);
}

function hatch(g, x, y, angle, width, style) {
  g.save();
  g.translate(x, y);
  g.rotate(angle);
  g.strokeStyle = style.ground;
  g.lineWidth = 1.4;
  g.beginPath();
  g.moveTo(-width, 0);
  g.lineTo(width, 0);
  for (let i = -3; i <= 3; i++) {
    const at = (i / 3.2) * width;
    g.moveTo(at, 0);
    g.lineTo(at - width / 4, width / 3);
  }
  g.stroke();
  g.restore();
}

function dot(g, [x, y], radius, fill, stroke) {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fillStyle = fill;
  g.fill();
  g.strokeStyle = stroke;
  g.lineWidth = Math.min(1.6, radius / 2);
  g.stroke();
}

/** A pin on the ground stands on a hatched foot. */
function drawFoot(view, [x, y]) {
  const { g, style, pin } = view;
  const size = 2.4 * pin;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x - size, y + 1.6 * size);
  g.lineTo(x + size, y + 1.6 * size);
  g.closePath();
  g.fillStyle = style.paper;
  g.fill();
  g.strokeStyle = style.ground;
  g.lineWidth = 1.4;
  g.stroke();
  hatch(g, x, y + 1.6 * size, 0, 1.4 * size, style);
}

function drawGuide(view, run, joint, points) {
  const { g, style, unit, scale, pin } = view;
  const [body] = joint.ends[0];
  const angle = angleOf(run, body, joint.axes[0]);
  const along = [Math.cos(angle), Math.sin(angle)];
  const [low, high] = (joint.travel ??= travelOf(run.film, joint)).map((x) => x * scale);
  const over = Math.max(0.12 * unit * scale, 3.6 * pin); // the block's half, and a little
  const at = (s) => [points[0][0] + s * along[0], points[0][1] + s * along[1]];
  g.strokeStyle = style.ground;
  g.lineWidth = 1.2;
  g.setLineDash(body < 0 ? [] : [5, 4]);
  g.beginPath();
  g.moveTo(...at(low - over));
  g.lineTo(...at(high + over));
  g.stroke();
  g.setLineDash([]);
  if (body < 0) hatch(g, ...at((low + high) / 2).map((x, k) => x + 2 * pin * (k ? along[0] : -along[1])), angle, 3 * pin, style);
}

function drawBlock(view, [x, y], angle) {
  const { g, style, pin } = view;
  g.save();
  g.translate(x, y);
  g.rotate(angle);
  g.fillStyle = style.paper;
  g.strokeStyle = style.ink;
  g.lineWidth = 1.5;
  g.beginPath();
  g.rect(-2.4 * pin, -1.5 * pin, 4.8 * pin, 3 * pin);
  g.fill();
  g.stroke();
  g.restore();
}

function drawRolling(view, run, joint, points) {
  const { g, style } = view;
  const angle = angleOf(run, joint.ends[0][0], joint.axes[0]);
  const normal = [-Math.sin(angle), Math.cos(angle)];
  const radius = joint.radius * view.scale;
  const away = (points[1][0] - points[0][0]) * normal[0] + (points[1][1] - points[0][1]) * normal[1];
  const side = away < 0 ? 1 : -1;
  const contact = [points[1][0] + side * radius * normal[0], points[1][1] + side * radius * normal[1]];
  const reach = Math.hypot(contact[0] - points[0][0], contact[1] - points[0][1]) + 2 * radius;
  g.strokeStyle = style.ground;
  g.lineWidth = 1.6;
  g.beginPath();
  g.moveTo(points[0][0] - reach * Math.cos(angle), points[0][1] - reach * Math.sin(angle));
  g.lineTo(points[0][0] + reach * Math.cos(angle), points[0][1] + reach * Math.sin(angle));
  g.stroke();
  g.beginPath();
  g.arc(...points[1], radius, 0, 2 * Math.PI);
  g.setLineDash([4, 3]);
  g.stroke();
  g.setLineDash([]);
}

function drawUnder(view, run, joint, points) {
  const { g, style } = view;
  const grounded = joint.ends.findIndex((end) => end[0] < 0);
  if (joint.type === 'revolute' && grounded >= 0) drawFoot(view, points[grounded]);
  if (joint.type === 'prismatic' || joint.type === 'point-on-line') drawGuide(view, run, joint, points);
  if (joint.type === 'rolling') drawRolling(view, run, joint, points);
  if (joint.type === 'distance') {
    g.strokeStyle = style.ink;
    g.lineWidth = 1.3;
    g.beginPath();
    g.moveTo(...points[0]);
    g.lineTo(...points[1]);
    g.stroke();
  }
}

function drawOver(view, run, joint, points) {
  const { g, style, pin } = view;
  const { ink, paper } = style;
  switch (joint.type) {
    case 'prismatic':
    case 'point-on-line':
      drawBlock(view, points[1], angleOf(run, joint.ends[0][0], joint.axes[0]));
      if (joint.type === 'point-on-line') dot(g, points[1], 0.8 * pin, paper, ink);
      break;
    case 'rigid':
      g.fillStyle = ink;
      g.fillRect(points[1][0] - pin, points[1][1] - pin, 2 * pin, 2 * pin);
      break;
    case 'roller':
      dot(g, [points[1][0], points[1][1] + 2 * pin], pin, paper, ink);
      hatch(g, points[1][0], points[1][1] + 3.2 * pin, 0, 2.4 * pin, style);
      break;
    case 'driver': {
      g.strokeStyle = style.accent;
      g.lineWidth = 2;
      g.beginPath();
      g.arc(...points[1], 2.6 * pin, -2.4, 0.9);
      g.stroke();
      break;
    }
    default:
      if (joint.type === 'distance') dot(g, points[0], 0.7 * pin, paper, ink);
      dot(g, points[1], joint.type === 'distance' ? 0.7 * pin : pin, paper, ink);
  }
}

export function drawJoint(view, run, joint, layer, simple) {
  const points = endsOf(view, run, joint.ends);
  if (simple) {
    if (layer === 'under' || view.pin < 1.6) return;
    view.g.fillStyle = view.style.ink;
    view.g.fillRect(points[1][0] - 1, points[1][1] - 1, 2, 2);
  } else if (layer === 'under') drawUnder(view, run, joint, points);
  else drawOver(view, run, joint, points);
}

/** A zigzag from 0 to `length` along x. */
function zigzag(g, length, width, y) {
  const turns = 2 * Math.round(Math.min(Math.max(length / 18, 3), 14));
  const lead = Math.min(12, length / 6);
  g.moveTo(0, y);
  g.lineTo(lead, y);
  for (let i = 0; i < turns; i++) {
    g.lineTo(lead + ((length - 2 * lead) * (i + 0.5)) / turns, y + (i % 2 ? -width : width));
  }
  g.lineTo(length - lead, y);
  g.lineTo(length, y);
}

function dashpot(g, length, width, y) {
  const middle = length / 2;
  g.moveTo(0, y);
  g.lineTo(middle - width, y);
  g.moveTo(middle + width, y - width);
  g.lineTo(middle - width, y - width);
  g.lineTo(middle - width, y + width);
  g.lineTo(middle + width, y + width);
  g.moveTo(middle, y - 0.7 * width);
  g.lineTo(middle, y + 0.7 * width);
  g.moveTo(middle, y);
  g.lineTo(length, y);
}

function drawLink(view, force, [a, b]) {
  const { g, style } = view;
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const width = Math.min(Math.max(0.07 * view.unit * view.scale, 3), 9);
  const both = force.spring && force.damper;
  g.save();
  g.translate(...a);
  g.rotate(Math.atan2(b[1] - a[1], b[0] - a[0]));
  g.strokeStyle = force.type === 'actuator' ? style.accent : style.spring;
  g.lineWidth = 1.7;
  g.beginPath();
  if (force.spring) zigzag(g, length, width, both ? -width : 0);
  if (force.damper || force.type === 'actuator') dashpot(g, length, both ? 0.8 * width : width, both ? 1.2 * width : 0);
  if (both) {
    for (const x of [0, length]) {
      g.moveTo(x, -width);
      g.lineTo(x, 1.2 * width);
    }
  }
  g.stroke();
  g.restore();
}

function drawSpiral(view, [x, y]) {
  const { g, style, pin } = view;
  g.strokeStyle = style.spring;
  g.lineWidth = 1.6;
  g.beginPath();
  for (let i = 0; i <= 60; i++) {
    const angle = (i / 60) * 5 * Math.PI;
    const radius = pin * (1.2 + (2.2 * i) / 60);
    g.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  g.stroke();
}

export function drawForce(view, run, force) {
  const points = endsOf(view, run, force.ends);
  const { g, style } = view;
  if (force.type === 'torsion-spring-damper') drawSpiral(view, points[1]);
  else if (force.type === 'bushing') {
    // a rubber ring around a core that moves in it
    g.beginPath();
    g.arc(...points[0], 2 * view.pin, 0, 2 * Math.PI);
    g.strokeStyle = style.spring;
    g.lineWidth = 1.2 * view.pin;
    g.stroke();
    dot(g, points[1], 0.8 * view.pin, style.paper, style.ink);
  } else if (force.type === 'force') dot(g, points[0], 0.8 * view.pin, style.accent, style.accent);
  else if (force.type === 'torque') {
    g.strokeStyle = style.accent;
    g.lineWidth = 2;
    g.beginPath();
    g.arc(...points[0], 2.2 * view.pin, -2.6, 1);
    g.stroke();
  } else if (points.length === 2) drawLink(view, force, points);
}
