// One model by many combinations of methods: a table to be sorted and filtered.
import { h, number } from './dom.js';
import { sortable } from './table.js';
import { methodLink } from './theory.js';

const keys = ['coordinates', 'solver', 'stabilization', 'integrator'];

/** One line each; a click shows by how much, and of what. */
function outlierList(outliers, columns) {
  const facts = (row) => h('table.facts', {}, ...[
    ...(row.message ? [['message', row.message]] : []), ['largest difference of', row.difference_column ?? '–'], ['agrees least', row.icc_column ?? '–'],
    ...columns.slice(keys.length).map((column) => [column.label, column.show(row)]),
  ].map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, value))));
  return h('section.outliers', { 'aria-label': 'Outliers' },
    h('p.banner.bad', {}, h('strong', {}, `${outliers.length} outlier${outliers.length > 1 ? 's' : ''}`), ': farther from the others than their integrators let expect.'),
    h('ul', {}, ...outliers.map((row) => h('li', {}, h('details', {},
      h('summary', {}, `${keys.map((key) => row[key]).join(' / ')}: ${row.difference === null ? row.status : number(row.difference)}`), facts(row))))));
}

export function showMethods(data, { app, header }) {
  const { trials } = data;
  const rows = trials.runs;
  const value = (key) => (row) => row[key];
  const figure = (label, key, title) => ({ label, title, value: value(key), show: (row) => number(row[key]) });
  const columns = [
    ...keys.map((key) => ({ label: key, value: value(key), show: (row) => methodLink(key, row[key]) })),
    { label: 'status', value: (row) => row.mark ?? row.status, show: (row) => h('span', { title: row.message ?? '' }, row.mark ?? row.status) },
    figure('position violation', 'max_position_violation', 'largest over all steps'),
    figure('velocity violation', 'max_velocity_violation', 'largest over all steps'),
    figure('energy error', 'max_energy_error', 'largest over all steps'),
    { label: 'difference', title: 'largest difference from the first run, over the range of its column', value: value('difference'), show: (row) => h('span', { title: row.difference_column ?? '' }, number(row.difference)) },
    { label: 'ICC(A,1)', title: 'of the column that agrees least', value: value('icc'), show: (row) => h('span', { title: row.icc_column ?? '' }, row.icc === null ? '–' : row.icc.toFixed(6)) },
    figure('steps', 'steps'), figure('evaluations', 'evaluations'), figure('CPU, s', 'cpu_seconds'),
  ];
  const table = sortable(columns, rows, { marks: (row) => [row.mark ?? '', row.status, row === rows[0] ? 'first' : ''].join(' ').trim() });
  const count = h('span.note');
  const filters = keys.map((key) => h('select', { 'aria-label': key, onchange: () => apply() },
    h('option', { value: '' }, `all ${key.replace(/s?$/, 's')}`), ...[...new Set(rows.map(value(key)))].map((name) => h('option', { value: name }, name))));
  const marks = h('select', { 'aria-label': 'status', onchange: () => apply() }, h('option', { value: '' }, 'any status'),
    ...[...new Set(rows.map((row) => row.mark ?? row.status))].map((name) => h('option', { value: name }, name)));
  function apply() {
    const shown = table.filter((row) => keys.every((key, i) => !filters[i].value || row[key] === filters[i].value) && (!marks.value || (row.mark ?? row.status) === marks.value));
    count.textContent = `${shown} of ${rows.length} combinations`;
  }
  const outliers = rows.filter((row) => row.mark === 'outlier');
  app.append(
    header(`${data.title}: methods`, '', `${rows.length} combinations of methods in ${number(trials.wall_seconds)} s. Differences are from the first run, divided by the range of the column.`, () => {}),
    outliers.length ? outlierList(outliers, columns)
      : h('p.banner.info-banner', {}, 'No outlier: all that were compared agree as well as their integrators let expect.'),
    h('section.trials', { 'aria-label': 'Methods' }, h('div.filters', {}, ...filters, marks, count), h('div.table-box', {}, table.element)),
    h('footer', {}, `${trials.model} · Trammel ${trials.version}`));
  apply();
  return { rows, table };
}
