// Summary, messages, model source.
import { h, number } from './dom.js';
import { methodLink } from './theory.js';

const labels = {
  status: 'Status', time_reached: 'Time reached', duration: 'Duration', step: 'Step', steps: 'Steps', evaluations: 'Evaluations',
  bodies: 'Bodies', degrees_of_freedom: 'Degrees of freedom', generalized_coordinates: 'Generalized coordinates',
  constraints: 'Constraints', redundant_constraints: 'Redundant constraints',
  max_position_violation: 'Largest position violation', max_velocity_violation: 'Largest velocity violation',
  max_energy_error: 'Largest energy error', estimated_error: 'Estimated error', energy_initial: 'Energy at the start', energy_final: 'Energy at the end',
  wall_seconds: 'Wall time, s', cpu_seconds: 'Processor time, s', real_time_factor: 'Real-time factor',
};

function table(rows) {
  return h('table.facts', {}, ...rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, value))));
}

function checkRow({ check }) {
  if (!check) return [];
  const words = `${check.passed ? 'passed' : 'not passed'}: largest difference ${number(check.max_difference)} (${check.column} at t = ${number(check.time)}), tolerance ${number(check.tolerance)}`;
  return [['Check', words]];
}

/** What the model asks of the run, in numbers. */
export function metrics(data) {
  const rows = Object.entries(data.summary.metrics ?? {});
  if (!rows.length) return null;
  return h('section.metrics', { 'aria-label': 'Metrics' }, h('h2', {}, 'Metrics'),
    h('div.columns', {}, ...[0, 1].map((k) => rows.slice(k * Math.ceil(rows.length / 2), (k + 1) * Math.ceil(rows.length / 2)))
      .filter((part) => part.length).map((part) => table(part.map(([name, value]) => [name, value === null ? 'none' : number(value, 6)])))));
}

export function summary(data) {
  const facts = Object.entries(labels).map(([key, label]) => {
    const value = data.summary[key];
    return [label, typeof value === 'number' ? number(value, 5) : value ?? '–'];
  });
  const methods = h('table.facts.methods', {}, ...data.methods.map((method) =>
    h('tr', {}, h('th', { scope: 'row' }, method.key), h('td', {}, methodLink(method.key, method.name)), h('td.when', {}, method.when))));
  const parameters = Object.entries(data.parameters);
  return h('section.summary', { 'aria-label': 'Summary' },
    h('h2', {}, 'Summary'), h('div.columns', {}, table([...facts.slice(0, 11), ...checkRow(data.summary)]), table(facts.slice(11))),
    h('h2', {}, 'Methods'), methods,
    parameters.length ? h('details', { open: parameters.length <= 12 }, h('summary', {}, 'Parameters of this run'),
      h('div.parameters', {}, ...parameters.map(([name, value]) => h('span', {}, h('code', {}, name), ` = ${number(value, 8)}`)))) : null);
}

/** Why the run ended early, and what else was said. */
export function banner(data) {
  const { status, message, time_reached: t } = data.summary;
  if (status === 'completed') return message ? h('p.banner.info-banner', {}, message) : null;
  if (status === 'doubtful') return h('p.banner.bad', { role: 'alert' }, h('strong', {}, 'The run is doubtful'), `: ${message}.`);
  return h('p.banner.bad', { role: 'alert' }, h('strong', {}, status === 'failed' ? 'The run failed' : 'The run was interrupted'),
    message?.startsWith('t = ') ? ` at ${message}. ` : ` at t = ${number(t, 6)}. ${message ? `${message}. ` : ''}`, 'What was computed until then is shown.');
}

/** What the banner says is not said again. */
export function messages(data) {
  const { message } = data.summary;
  const others = data.messages.filter((text) => !message || !text.includes(message));
  if (!others.length) return null;
  const title = others.some((text) => /(error|warning):/.test(text)) ? 'Warnings and notes' : 'Notes';
  return h('section.messages', { 'aria-label': title }, h('h2', {}, title), ...others.map((text) =>
    h(`pre.message.${/error:/.test(text) ? 'error' : /warning:/.test(text) ? 'warning' : 'info'}`, {}, text.trim())));
}

/** One line of YAML with its parts marked. */
function highlight(line) {
  const parts = [];
  const pattern = /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|([\w.$()-]+)(\s*:)(?=\s|$)|(-?\b\d[\d.]*(?:e[+-]?\d+)?\b)|([[\]{},])/gi;
  let at = 0;
  for (const found of line.matchAll(pattern)) {
    // a '#' inside a word is no comment
    if (found[1] && found.index > 0 && !/\s/.test(line[found.index - 1])) continue;
    parts.push(line.slice(at, found.index));
    const [text, comment, quoted, key, colon, value] = found;
    if (comment) parts.push(h('i.comment', {}, text));
    else if (quoted) parts.push(h('i.string', {}, text));
    else if (key) parts.push(h('i.key', {}, key), colon);
    else if (value) parts.push(h('i.number', {}, text));
    else parts.push(h('i.bracket', {}, text));
    at = found.index + text.length;
    if (comment) break;
  }
  parts.push(line.slice(at));
  return parts;
}

export function source(data) {
  if (!data.source) return null;
  const lines = data.source.replace(/\n$/, '').split('\n');
  const code = h('code');
  for (const line of lines) code.append(h('span.line', {}, ...highlight(line)), '\n');
  return h('section.source', { 'aria-label': 'Model' }, h('h2', {}, 'Model'), h('p.note', {}, data.summary.model), h('pre', {}, code));
}
