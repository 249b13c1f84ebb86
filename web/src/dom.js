// Small helpers for making elements.

/** h('button.primary', {onclick, title}, 'text', child…) */
export function h(kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'list' && typeof value !== 'string') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const icons = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  close: 'M5 5l14 14M19 5L5 19',
  start: 'M6 5v14M19 5L9 12l10 7z',
  end: 'M18 5v14M5 5l10 7-10 7z',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  help: 'M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18v.5',
  side: 'M19 4v16M4 12h10M10 8l4 4-4 4',
  full: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
};

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', icons[name]);
  svg.append(path);
  return svg;
}

/** A number as people read it. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(digits - 2).replace('e+', 'e');
  return String(Number(value.toPrecision(digits)));
}

let pickers = 0;

/** A text field with a list of what matches; `choose` gets the name. */
export function picker(label, names, choose) {
  const id = `choices${++pickers}`;
  const list = h('ul.choices', { role: 'listbox', id, 'aria-label': label });
  const input = h('input', {
    type: 'search', placeholder: label, 'aria-label': label, autocomplete: 'off', spellcheck: 'false',
    role: 'combobox', 'aria-expanded': 'false', 'aria-controls': id, 'aria-autocomplete': 'list',
  });
  const box = h('div.picker', {}, input, list);
  let matches = [];
  let marked = 0;

  function take(name) {
    input.value = '';
    close();
    choose(name);
  }
  function close() {
    list.replaceChildren();
    box.classList.remove('open');
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }
  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = typeof names === 'function' ? names() : names;
    matches = all.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
    marked = 0;
    const rest = matches.length - 100;
    list.replaceChildren(
      ...matches.slice(0, 100).map((name, i) =>
        h('li', { role: 'option', id: `${id}-${i}`, 'aria-selected': String(i === 0), onpointerdown: (event) => { event.preventDefault(); take(name); } }, name)),
      rest > 0 ? h('li.more', {}, `and ${rest} more: type to narrow`) : '',
    );
    box.classList.add('open');
    input.setAttribute('aria-expanded', 'true');
    tell();
  }
  function tell() {
    if (matches.length) input.setAttribute('aria-activedescendant', `${id}-${marked}`);
    else input.removeAttribute('aria-activedescendant');
  }
  function mark(step) {
    const items = list.querySelectorAll('li:not(.more)');
    items[marked]?.setAttribute('aria-selected', 'false');
    marked = Math.min(Math.max(marked + step, 0), items.length - 1);
    items[marked]?.setAttribute('aria-selected', 'true');
    items[marked]?.scrollIntoView({ block: 'nearest' });
    tell();
  }
  input.addEventListener('focus', show);
  input.addEventListener('input', show);
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'ArrowDown') mark(1);
    else if (event.key === 'ArrowUp') mark(-1);
    else if (event.key === 'Escape') input.blur();
    else if (event.key === 'Enter' && matches[marked]) take(matches[marked]);
    else return;
    event.preventDefault();
  });
  return box;
}
