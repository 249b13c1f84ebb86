// For everyone: names of controls, contrast, keys alone, sizes of targets, small screens; and ready in time with many bodies.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import { launch, onPage, picture, report, run, source, write } from './browser.mjs';

const models = join(source, 'models');
let browser;

before(async () => {
  browser = await launch();
  assert.equal(run(join(models, 'slider_crank.yaml'), 'access2d', '--duration', '1'), 0);
  assert.equal(run(join(models, 'bricard.yaml'), 'access3d', '--duration', '1'), 0);
});
after(() => browser?.close());

const withPage = (path, options, work) => onPage(browser, path, options, work);

/** What a screen reader would say of an element, in short. */
const namesOf = () => {
  const nameOf = (element) => {
    const by = element.getAttribute('aria-labelledby');
    const text = by ? by.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ') : element.getAttribute('aria-label') ?? '';
    return (text || element.labels?.[0]?.textContent || (element.tagName === 'BUTTON' || element.tagName === 'A' ? element.textContent : '') || element.title).trim();
  };
  const shown = (element) => element.getClientRects().length > 0;
  const bad = [];
  for (const element of document.querySelectorAll('button, a[href], input, select, textarea, [role=button], [tabindex]')) {
    if (shown(element) && !nameOf(element)) bad.push(`no name: ${element.outerHTML.slice(0, 100)}`);
    if (element.tabIndex > 0) bad.push(`an order of its own: ${element.outerHTML.slice(0, 100)}`);
  }
  for (const image of document.querySelectorAll('img')) if (!image.hasAttribute('alt')) bad.push('an image without alt');
  for (const svg of document.querySelectorAll('svg')) if (!svg.closest('[aria-hidden=true]') && svg.getAttribute('aria-hidden') !== 'true' && !svg.getAttribute('role')) bad.push('a picture that is neither hidden nor named');
  for (const section of document.querySelectorAll('section')) if (!section.getAttribute('aria-label') && !section.querySelector('h2')) bad.push(`a section without a name: ${section.className}`);
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) bad.push('an id twice');
  if (!document.documentElement.lang) bad.push('no language');
  if (!document.title) bad.push('no title');
  if (!document.querySelector('meta[name=viewport]')) bad.push('no viewport');
  if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) bad.push('not one main');
  let level = 0;
  for (const head of document.querySelectorAll('h1, h2, h3, h4')) {
    const own = Number(head.tagName[1]);
    if (own > level + 1) bad.push(`a heading skips a level: ${head.textContent}`);
    level = own;
  }
  for (const table of document.querySelectorAll('table')) if (!table.querySelector('th')) bad.push('a table without heads');
  return bad;
};

/** Text whose colour is too near to what is behind it: WCAG AA, 4.5 (3 where it is large). */
const paleOf = () => {
  const parse = (text) => {
    const c = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    c.canvas.width = c.canvas.height = 1;
    c.fillStyle = text;
    c.fillRect(0, 0, 1, 1);
    return [...c.getImageData(0, 0, 1, 1).data];
  };
  const over = (top, below) => [0, 1, 2].map((k) => (top[k] * top[3] + below[k] * (255 - top[3])) / 255).concat(255);
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      layers.push(parse(getComputedStyle(e).backgroundColor));
      if (layers.at(-1)[3] === 255) break;
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 255]);
  };
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, w, k) => {
    const v = c[k] / 255;
    return sum + w * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const bad = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.getClientRects().length || /^(SCRIPT|STYLE)$/.test(element.tagName)) continue;
    const css = getComputedStyle(element);
    const back = behind(element);
    const front = over(parse(css.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const large = parseFloat(css.fontSize) >= 24 || (parseFloat(css.fontSize) >= 18.66 && Number(css.fontWeight) >= 700);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < (large ? 3 : 4.5)) bad.add(`${ratio.toFixed(2)}: "${walker.currentNode.textContent.trim().slice(0, 40)}" in ${element.className || element.tagName}`);
  }
  return [...bad];
};

for (const name of ['access2d', 'access3d']) {
  test(`${name}: everything that can be used has a name`, async () => {
    await withPage(report(name), {}, async (page) => {
      await page.evaluate(() => trammel.stage.choose({ kind: 'joint', index: 0, name: trammel.runs[0].scene.joints[0].name }));
      assert.deepEqual(await page.evaluate(namesOf), []);
      await page.locator('[aria-label="Keys"]').click();
      assert.deepEqual(await page.evaluate(namesOf), []);
    });
  });
}

for (const colorScheme of ['light', 'dark']) {
  test(`contrast, ${colorScheme}`, async () => {
    await withPage(report('access2d'), { colorScheme }, async (page) => {
      await page.evaluate(() => {
        trammel.stage.choose({ kind: 'body', index: 0, name: trammel.runs[0].scene.bodies[0].name });
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      assert.deepEqual(await page.evaluate(paleOf), []);
      await page.locator('[aria-label="Keys"]').click();
      assert.deepEqual(await page.evaluate(paleOf), []);
      await picture(page, `access-${colorScheme}`);
    });
  });
}

test('with keys alone: every control is reached, seen to be reached, and does its work', async () => {
  await withPage(report('access2d'), {}, async (page) => {
    const wanted = await page.evaluate(() => [...document.querySelectorAll('button, input, select, summary, a[href]')].filter((e) => e.getClientRects().length && !e.disabled).length);
    const reached = new Set();
    for (let i = 0; i < 3 * wanted && reached.size < wanted; i++) {
      await page.keyboard.press('Tab');
      const found = await page.evaluate(() => {
        const e = document.activeElement;
        if (e === document.body) return null;
        window.seen ??= [];
        if (!window.seen.includes(e)) window.seen.push(e);
        const css = getComputedStyle(e);
        return { index: window.seen.indexOf(e), outlined: css.outlineStyle !== 'none' && parseFloat(css.outlineWidth) > 0, what: e.outerHTML.slice(0, 90) };
      });
      if (!found) continue;
      assert.ok(found.outlined, `focus is not seen on ${found.what}`);
      reached.add(found.index);
    }
    assert.ok(reached.size >= wanted, `${reached.size} of ${wanted} controls are reached`);
    // a curve is added to a plot, put on the right, and taken away again
    await page.locator('[placeholder="+ curve"]').first().focus();
    await page.keyboard.type('rod.omega');
    await page.keyboard.press('Enter');
    assert.ok(await page.evaluate(() => trammel.plots.plots[0].names.includes('rod.omega')));
    await page.locator('[aria-label="rod.omega by an axis on the right"]').focus();
    await page.keyboard.press('Enter');
    assert.deepEqual(await page.evaluate(() => trammel.plots.plots[0].right), ['rod.omega']);
    await page.locator('[aria-label="Remove rod.omega"]').focus();
    await page.keyboard.press('Space');
    assert.ok(await page.evaluate(() => !trammel.plots.plots[0].names.includes('rod.omega')));
    // the list tells what is chosen in it
    await page.locator('[placeholder="Trace a point…"]').focus();
    const field = page.locator('[placeholder="Trace a point…"]');
    assert.equal(await field.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    const active = await field.getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Escape');
    assert.equal(await field.getAttribute('aria-expanded'), 'false');
    // the dialog takes the focus and gives it back
    await page.locator('[aria-label="Keys"]').focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.evaluate(() => document.querySelector('dialog').contains(document.activeElement)));
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Keys');
  });
});

test('targets are large enough, and a small screen needs no scrolling aside', async () => {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    await withPage(report('access3d'), { viewport: { width, height } }, async (page) => {
      const small = await page.evaluate(() => [...document.querySelectorAll('button, select, input')].filter((e) => e.getClientRects().length)
        .map((e) => [e.getBoundingClientRect(), e.outerHTML.slice(0, 80)]).filter(([r]) => Math.min(r.width, r.height) < 23.5).map(([r, what]) => `${r.width.toFixed(0)} x ${r.height.toFixed(0)} ${what}`));
      assert.deepEqual(small, []);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `${width}: the page is wider than the screen`);
      await picture(page, `access-${width}`);
    });
  }
});

const many = (planar) => `trammel: 1
name: A thousand pendulums
space: ${planar ? 'planar' : 'spatial'}
gravity: ${planar ? '[0, -9.81]' : '[0, 0, -9.81]'}
bodies:
  p$(i)_$(k):
    repeat: {i: [1, 20], k: [1, 50]}
    mass: 1
    inertia: ${planar ? '0.01' : '[0.01, 0.01, 0.01]'}
    position: [0.1*k, ${planar ? '0.5*i' : '0.1*i, -0.2'}]
    velocity: [0.8, 0${planar ? '' : ', 0'}]
    points: {A: [0, ${planar ? '' : '0, '}0.2 + 0.004*k], B: [0, ${planar ? '' : '0, '}-0.05]}
    shape: {rod: [A, B]}
joints:
  j$(i)_$(k): {repeat: {i: [1, 20], k: [1, 50]}, type: ${planar ? 'revolute' : 'spherical'}, connect: [ground, p$(i)_$(k).A], at: [0.1*k, ${planar ? '0.5*i + 0.2 + 0.004*k' : '0.1*i, 0.004*k'}]}
outputs: [p1_1, energy]
simulate: {duration: 0.8, step: 2e-2, output-step: 2e-2}
`;

for (const kind of ['plane', 'space']) {
  test(`${kind}: a page of a thousand bodies is ready within a second`, async () => {
    assert.equal(run(write(`many_${kind}.yaml`, many(kind === 'plane')), `many_${kind}`, '--no-estimate', '--allow-doubtful'), 0);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const tools = await page.context().newCDPSession(page);
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' }); // of the processor: others may keep the machine busy
    await page.goto(`file://${report(`many_${kind}`)}`);
    await page.waitForSelector('html[data-ready]');
    const { metrics } = await tools.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration').value;
    const wall = await page.evaluate(() => performance.now() / 1000);
    console.log(`# ${kind}: ready after ${seconds.toFixed(2)} s of the page's processor time, at most ${wall.toFixed(2)} s by the clock`);
    assert.equal(await page.evaluate(() => trammel.runs[0].scene.bodies.length), 1000);
    assert.ok(seconds <= 1, `${seconds} s`);
    await page.close();
  });
}
