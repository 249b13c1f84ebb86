// The page of trammel modes: the list, chosen by keys, and the picture that moves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, picture, program, scratch, write } from './browser.mjs';

// two carts and a spring: they roll away together, and against each other at sqrt(2)/2π Hz
const carts = `trammel: 1
name: Carts
space: planar
bodies:
  a: {mass: 1, inertia: 1, shape: {box: [0.4, 0.2, 0.2]}}
  b: {mass: 1, inertia: 1, position: [1, 0], shape: {box: [0.4, 0.2, 0.2]}}
joints:
  first: {type: prismatic, connect: [ground, a], axis: x}
  second: {type: prismatic, connect: [ground, b], axis: x}
forces:
  spring: {type: spring-damper, connect: [a, b], stiffness: 1, length: 1}
`;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test('modes are listed, chosen by keys, and move', async () => {
  const out = join(scratch, 'modes');
  const done = spawnSync(program, ['modes', write('carts.yaml', carts), '-o', out], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(pathToFileURL(join(out, 'modes.html')).href);
  assert.equal(await page.title(), 'Carts: modes');
  assert.equal(await page.locator('h1').textContent(), 'Carts: modes');
  const rows = await page.locator('tbody tr').evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map(([, hertz, damping]) => [hertz, damping]), [['0', '–'], ['0', '–'], ['0.22508', '0.0000']]); // place and speed of both
  for (const key of ['Enter', ' ']) {
    await page.locator('tbody tr').nth(key === ' ' ? 0 : 2).focus();
    await page.keyboard.press(key);
    assert.equal(await page.locator('tr[aria-selected=true] td').first().textContent(), key === ' ' ? '1' : '3');
  }
  await page.locator('tbody tr').nth(2).click();
  const frames = [];
  for (let k = 0; k < 2; k++) {
    frames.push(await page.locator('canvas').evaluate((canvas) => canvas.toDataURL()));
    await page.waitForTimeout(400);
  }
  assert.notEqual(...frames);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 420);
  await picture(page, 'modes');
  assert.deepEqual(errors, []);
  await page.close();
});
