// Tables that can be sorted by a click on a column's head.
import { h } from './dom.js';

/** columns: [{label, value(row), show(row), title}]; marks(row) gives a class for the line. */
export function sortable(columns, rows, { marks = () => '', choose } = {}) {
  const body = h('tbody');
  let order = { column: -1, down: false };
  let keep = () => true;
  const heads = columns.map((column, index) =>
    h('th', { scope: 'col', title: column.title ?? '' }, h('button.head', { onclick: () => sort(index) }, column.label)));

  function compare(a, b) {
    const [x, y] = [a, b].map(columns[order.column].value);
    // what is missing comes last, whichever way
    const missing = (v) => v === null || v === undefined || Number.isNaN(v);
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    const way = typeof x === 'string' ? x.localeCompare(y) : x - y;
    return order.down ? -way : way;
  }
  function fill() {
    const shown = rows.filter(keep);
    if (order.column >= 0) shown.sort(compare);
    body.replaceChildren(...shown.map((row) => {
      const line = h('tr', { class: marks(row) }, ...columns.map((column) => h('td', {}, column.show ? column.show(row) : String(column.value(row) ?? '–'))));
      if (choose) line.addEventListener('click', () => choose(row, line));
      return line;
    }));
    return shown.length;
  }
  function sort(index) {
    order = { column: index, down: order.column === index ? !order.down : false };
    heads.forEach((head, i) => head.setAttribute('aria-sort', i !== index ? 'none' : order.down ? 'descending' : 'ascending'));
    fill();
  }
  fill();
  return { element: h('table.sortable', {}, h('thead', {}, h('tr', {}, ...heads)), body), filter: (test) => { keep = test; return fill(); }, sort };
}
