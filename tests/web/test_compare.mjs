// The pages of trammel compare.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { changes, launch, onPage, picture, pixels, program, run, scratch, source, table } from './browser.mjs';

const model = join(source, 'models/slider_crank.yaml');
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const withPage = (path, work) => onPage(browser, path, { viewport: { width: 1280, height: 900 } }, work);

test('runs over each other: animation, plots, agreement, Bland-Altman', async () => {
  assert.equal(run(model, 'a', '--duration', '2'), 0);
  assert.equal(run(model, 'b', '--duration', '2', '--integrator', 'euler', '--output-step', '1e-2', '--allow-doubtful'), 0);
  assert.equal(run(model, 'c', '--duration', '2', '--no-report'), 0);
  rmSync(join(scratch, 'c/scene.json')); // a table alone has no animation
  const path = join(scratch, 'compare.html');
  const done = spawnSync(program, ['compare', join(scratch, 'a'), join(scratch, 'b'), join(scratch, 'c/results.csv'), '--page', path], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const [a, b] = [table('a'), table('b')];
  await withPage(path, async (page) => {
    assert.equal(await page.locator('.agreement').count(), 2);
    assert.match(await page.locator('.legend').textContent(), /c\/results\.csv|no animation/);
    // the worst column of the second run: difference and mean as the results have them
    const found = await page.evaluate(() => {
      const [first] = trammel.agreements;
      const column = first.data.columns.find((c) => c.name === 'crank.x');
      first.show(column);
      const [mean, difference] = first.bland.data[1];
      return { rows: first.data.rows, mean: [...mean], difference: [...difference], column, points: first.over.data[1].length };
    });
    const times = new Map(b.map((row) => [row.t.toFixed(6), row]));
    const pairs = a.filter((row) => times.has(row.t.toFixed(6))).map((row) => [row['crank.x'], times.get(row.t.toFixed(6))['crank.x']]);
    assert.equal(found.rows, pairs.length);
    assert.equal(found.mean.length, pairs.length);
    pairs.forEach(([x, y], i) => {
      assert.ok(Math.abs(found.mean[i] - (x + y) / 2) < 1e-6);
      assert.ok(Math.abs(found.difference[i] - (x - y)) < 1e-7);
    });
    const bias = pairs.reduce((sum, [x, y]) => sum + x - y, 0) / pairs.length;
    assert.ok(Math.abs(found.column.bias[0] - bias) < 1e-9);
    // both mechanisms move
    const first = await pixels(page);
    await page.evaluate(() => trammel.clock.seek(0.3));
    assert.ok(changes(first, await pixels(page)) > 500);
    assert.equal(await page.evaluate(() => trammel.stage.runs.length), 2);
    // sorted by a click on a head
    await page.locator('.agreement').first().locator('.head', { hasText: 'max' }).click();
    const sizes = await page.evaluate(() => [...document.querySelector('.agreement tbody').rows].map((row) => Number(row.cells[1].textContent)));
    assert.ok(sizes.length && sizes.every(Number.isFinite), `sizes are ${sizes}`);
    assert.deepEqual(sizes, [...sizes].sort((x, y) => x - y));
    await picture(page, 'compare');
    await page.locator('.pair').first().scrollIntoViewIfNeeded();
    await picture(page, 'bland-altman');
  });
});

test('all methods: sorted, filtered, outliers marked', async () => {
  const path = join(scratch, 'methods.html');
  const done = spawnSync(program, ['compare', '--methods', model, '--duration', '0.2', '--coordinates', 'natural', '--all', '--page', path, '--json'], { encoding: 'utf8' });
  assert.ok(done.status === 0 || done.status === 1, done.stderr);
  const { runs } = JSON.parse(done.stdout);
  await withPage(path, async (page) => {
    const lines = () => page.locator('.trials tbody tr').count();
    assert.equal(await lines(), runs.length);
    assert.ok(await page.evaluate(() => { const box = document.querySelector('.trials .table-box'); return box.scrollWidth <= box.clientWidth; }), 'all columns are seen');
    await page.selectOption('[aria-label="integrator"]', 'rk4');
    assert.equal(await lines(), runs.filter((r) => r.integrator === 'rk4').length);
    await page.selectOption('[aria-label="integrator"]', '');
    await page.locator('.head', { hasText: 'CPU' }).click();
    const times = await page.evaluate(() => [...document.querySelector('.trials tbody').rows].map((row) => Number(row.cells[12].textContent)).filter(Number.isFinite));
    assert.equal(times.length, runs.filter((r) => r.cpu_seconds !== null).length);
    assert.deepEqual(times, [...times].sort((x, y) => x - y));
    assert.equal(await page.locator('tr.outlier').count(), runs.filter((r) => r.mark === 'outlier').length);
    assert.equal(await page.locator('.info-banner').count(), Number(runs.every((r) => r.mark !== 'outlier'))); // no warning where nothing is wrong
    await picture(page, 'methods');
  });
  // outliers are a list, with details by a click
  const text = readFileSync(path, 'utf8');
  const marked = text.replace(/"mark": null/, '"mark": "outlier"').replace(/"mark": null/, '"mark": "outlier"');
  assert.notEqual(marked, text);
  writeFileSync(join(scratch, 'outliers.html'), marked);
  await withPage(join(scratch, 'outliers.html'), async (page) => {
    const lines = page.locator('.outliers li');
    assert.equal(await lines.count(), 2);
    assert.match(await page.locator('.outliers .banner').textContent(), /^2 outliers/);
    const second = runs.filter((r) => r.mark === null)[1];
    assert.match(await lines.nth(1).locator('summary').textContent(), new RegExp(`${second.solver} / ${second.stabilization} / ${second.integrator}`));
    assert.equal(await lines.nth(1).locator('.facts').isVisible(), false);
    await lines.nth(1).locator('summary').click();
    assert.match(await lines.nth(1).locator('.facts').textContent(), new RegExp(`largest difference of.*${second.difference_column}`));
    await picture(page, 'outliers');
  });
});
