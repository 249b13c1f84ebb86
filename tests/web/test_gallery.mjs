// The gallery: thumbnails that move, links that lead to reports.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, picture, program, scratch, source } from './browser.mjs';

/** What a page links to, beside it. */
const links = (page) => [...readFileSync(page, 'utf8').matchAll(/(?:href|src)="([^"#:]+)"/g)].map(([, path]) => join(page, '..', path));

test('the page of the repository has no dead link', () => {
  const found = links(join(source, 'docs/gallery.html'));
  assert.ok(found.length > 40);
  assert.deepEqual(found.filter((path) => !existsSync(path)), []);
  assert.deepEqual(found.filter((path) => path.includes('docs/gallery/')), [], 'these are not in a fresh clone');
});

test('two models, animated, with their reports', async () => {
  const folder = join(scratch, 'docs');
  mkdirSync(folder, { recursive: true });
  const models = ['jansen', 'bricard'].map((name) => join(source, 'models', `${name}.yaml`));
  const done = spawnSync('python3', [join(source, 'scripts/gallery'), program, folder, ...models], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.ok(existsSync(join(folder, 'images/gallery.svg')));
  for (const page of ['gallery.html', 'gallery/index.html']) assert.deepEqual(links(join(folder, page)).filter((path) => !existsSync(path)), []);
  // the hosted one is whole in itself
  assert.ok(links(join(folder, 'gallery/index.html')).every((path) => path.startsWith(join(folder, 'gallery/'))));
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(pathToFileURL(join(folder, 'gallery/index.html')).href);
    assert.equal(await page.locator('article').count(), 2);
    assert.match(await page.locator('#jansen p').first().textContent(), /Eleven bars walk when the crank turns/);
    const where = () => page.evaluate(() => [...document.querySelectorAll('#jansen circle')].map((c) => c.cx.animVal.value).join());
    const before = await where();
    await page.waitForTimeout(500);
    assert.notEqual(await where(), before, 'the thumbnail does not move');
    await picture(page, 'gallery');
    await page.locator('#bricard .facts a').first().click();
    await page.waitForSelector('html[data-ready]');
    assert.match(await page.locator('h1').textContent(), /Bricard/);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
});
