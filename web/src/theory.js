// The theory pages, shown in a dialog.
import { marked } from 'marked';
import pages from 'theory';
import { h, icon } from './dom.js';

/** The page of a method, by the names that pages have. */
export function pageOf(key, name) {
  const candidates = [name, `${name}-${key}`, `${name}-correction`, `${key}s`];
  if (key === 'integrator' && /^(auto|dopri5|dop853)$/.test(name)) candidates.unshift('dormand-prince');
  if (name === 'none') candidates.unshift('direct-correction');
  if (key === 'energy') candidates.unshift('energy-and-work');
  const found = candidates.find((candidate) => candidate in pages);
  if (found) return found;
  const line = pages.README?.split('\n').find((text) => text.includes(`\`${name}\``));
  return line?.match(/\(([\w-]+)\.md/)?.[1] ?? 'README';
}

export function showTheory(name) {
  const body = h('div.theory');
  body.innerHTML = marked.parse(pages[name] ?? '');
  for (const link of body.querySelectorAll('a[href]')) {
    const target = link.getAttribute('href').match(/^([\w-]+)\.md(#.*)?$/)?.[1];
    if (target in pages) link.addEventListener('click', (event) => { event.preventDefault(); dialog.close(); showTheory(target); });
    else link.removeAttribute('href');
  }
  const dialog = h('dialog', { onclose: () => dialog.remove() },
    h('button.close', { title: 'Close', onclick: () => dialog.close() }, icon('close')), body,
    h('p.note', {}, `docs/theory/${name}.md`));
  document.body.append(dialog);
  dialog.showModal();
}

export function methodLink(key, name) {
  return h('button.link', { onclick: () => showTheory(pageOf(key, name)), title: `docs/theory/${pageOf(key, name)}.md` }, name);
}
