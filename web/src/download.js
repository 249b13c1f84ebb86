// A plot as a file: its numbers, its pixels, or its lines.
import { h } from './dom.js';

function save(name, blob) {
  const link = h('a', { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Full precision; curves with times of their own leave cells empty. */
export function csvOf(lines, over) {
  const times = [...new Set(lines.flatMap(({ curve }) => [...curve.t]))].sort((a, b) => a - b);
  const columns = lines.flatMap((line) => {
    const x = over && line.run.curves.get(over);
    return x ? [{ label: over, curve: x }, line] : [line];
  });
  const places = columns.map(({ curve }) => new Map(Array.from(curve.t, (t, i) => [t, i])));
  const cell = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = times.map((t) => [t, ...columns.map(({ curve }, k) => curve.y[places[k].get(t)] ?? '')].join(','));
  return `${['t', ...columns.map(({ label }) => cell(label))].join(',')}\n${rows.join('\n')}\n`;
}

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);

/** The curves as they are seen, with axes and legend. */
export function svgOf({ plot: u, lines, over }) {
  const ratio = devicePixelRatio || 1;
  const { left, top, width, height } = Object.fromEntries(Object.entries(u.bbox).map(([key, value]) => [key, value / ratio]));
  const x = (v) => (left + u.valToPos(v, 'x')).toFixed(2);
  const y = (v, scale) => (top + u.valToPos(v, scale)).toFixed(2);
  const parts = [`<rect width="100%" height="100%" fill="#fff"/>`, `<clipPath id="c"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="#999"/>`];
  u.axes.forEach((axis, k) => (axis._splits ?? []).forEach((v, i) => {
    const label = axis._values?.[i];
    if (v === null || label === null || label === undefined || label === '') return;
    parts.push(k === 0 ? `<text x="${x(v)}" y="${top + height + 16}" text-anchor="middle">${escape(String(label))}</text>`
      : `<text x="${k === 1 ? left - 6 : left + width + 6}" y="${Number(y(v, axis.scale)) + 4}" text-anchor="${k === 1 ? 'end' : 'start'}">${escape(String(label))}</text>`);
  }));
  u.axes.forEach((axis, k) => {
    if (!axis.label) return;
    const at = k === 0 ? [left + width / 2, top + height + 30] : [k === 1 ? 11 : u.width - 4, top + height / 2];
    parts.push(`<text x="${at[0]}" y="${at[1]}" text-anchor="middle"${k ? ` transform="rotate(-90 ${at[0]} ${at[1]})"` : ''}>${escape(axis.label)}</text>`);
  });
  lines.forEach((line, i) => {
    const across = over ? line.run.curves.get(over)?.y : line.curve.t;
    if (!across) return;
    const points = Array.from(line.curve.y, (value, k) => [across[k], value]).filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));
    parts.push(`<polyline clip-path="url(#c)" fill="none" stroke="${line.color}" stroke-width="1.6" points="${points.map(([a, b]) => `${x(a)},${y(b, u.series[i + 1]?.scale ?? 'y')}`).join(' ')}"/>`,
      `<text x="${left + 8}" y="${top + 16 + 15 * i}" fill="${line.color}">${escape(line.label)}</text>`);
  });
  const size = `width="${u.width}" height="${u.height}" viewBox="0 0 ${u.width} ${u.height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="11">${parts.join('\n')}</svg>\n`;
}

export function download(plot, kind) {
  if (!plot.plot) plot.draw(); // chosen before it was drawn
  if (!plot.plot) return;
  const name = `${plot.names.join('_').replace(/[^\w.-]+/g, '_').slice(0, 60) || 'plot'}.${kind}`;
  if (kind === 'csv') save(name, new Blob([csvOf(plot.lines, plot.over)], { type: 'text/csv' }));
  else if (kind === 'svg') save(name, new Blob([svgOf(plot)], { type: 'image/svg+xml' }));
  else {
    const from = plot.plot.ctx.canvas;
    const canvas = h('canvas', { width: from.width, height: from.height });
    const g = canvas.getContext('2d');
    g.fillStyle = plot.style().paper;
    g.fillRect(0, 0, canvas.width, canvas.height);
    g.drawImage(from, 0, 0);
    canvas.toBlob((blob) => save(name, blob));
  }
}
