// The page of trammel sweep: numbers, brushing, picking.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, picture, program, scratch, source } from './browser.mjs';

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test('a study: statistics, parallel coordinates with brushes, the command of a run', async () => {
  const out = join(scratch, 'study');
  const words = ['sweep', join(source, 'models/pendulum.yaml'), '--vary', 'L=uniform(0.5, 1.5)', '--vary', 'm=normal(1, 0.1)', '--samples', '300', '--duration', '0.5',
    '--record', 'max(pivot.f)', '--record', 'final(energy.kinetic)', '--limit', 'max(pivot.f) < 20', '-o', out];
  const done = spawnSync(program, words, { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const [head, ...lines] = readFileSync(join(out, 'sweep.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
  const column = (name) => lines.map((line) => Number(line[head.indexOf(name)]));
  const { page, errors } = await open(browser, join(out, 'sweep.html'), { viewport: { width: 1280, height: 1000 } });
  const found = await page.evaluate(() => ({ rows: trammel.runs.rows, names: trammel.runs.columns.map((c) => c.name), lengths: [...trammel.runs.columns[0].values] }));
  assert.equal(found.rows, 300);
  assert.deepEqual(found.names, ['L', 'm', 'max(pivot.f)', 'final(energy.kinetic)']);
  column('L').forEach((value, i) => assert.ok(Math.abs(found.lengths[i] - value) < 1e-13));
  // a brush by the mouse along the first axis: its upper half
  const box = await page.locator('[aria-label="Parallel coordinates"] canvas').boundingBox();
  await page.mouse.move(box.x + 80, box.y + 44);
  await page.mouse.down();
  await page.mouse.move(box.x + 80, box.y + 44 + (box.height - 68) / 2, { steps: 4 });
  await page.mouse.up();
  const [least, most] = [Math.min(...column('L')), Math.max(...column('L'))];
  const upper = column('L').filter((value) => value >= (least + most) / 2).length;
  const chosen = await page.evaluate(() => trammel.choice.count);
  assert.ok(Math.abs(chosen - upper) <= 3, `${chosen} chosen, ${upper} in the upper half`);
  await picture(page, 'sweep');
  // a picked run is a command that gives the same numbers
  await page.evaluate(() => trammel.choice.pick(7));
  const command = (await page.locator('.picked pre').textContent()).split(' ');
  const sets = command.flatMap((word, i) => (word === '--set' ? [command[i + 1]] : []));
  assert.equal(Number(sets.find((set) => set.startsWith('L=')).slice(2)).toPrecision(13), column('L')[7].toPrecision(13));
  assert.ok(command.includes('--duration'));
  await page.locator('[aria-label="Response"]').scrollIntoViewIfNeeded();
  await picture(page, 'sweep-response');
  await page.close();
  assert.deepEqual(errors, []);
});

test('a study that is served: a click runs a point, another with shift compares', async () => {
  const out = join(scratch, 'served');
  const words = ['sweep', join(source, 'models/pendulum.yaml'), '--vary', 'L=0.5:1.5:11', '--vary', 'm=1:2:2', '--duration', '0.5', '--record', 'max(pivot.f)', '-o', out, '--open', '--quiet'];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PATH: '' } }); // no browser but ours
  const ended = new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)));
  const address = await new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text).trim())));
  const context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  const box = await page.locator('[aria-label="Response"] canvas').boundingBox();
  const corner = async (options) => { // the run with the largest L and m, by its place in the picture
    const [tab] = await Promise.all([context.waitForEvent('page'), page.locator('[aria-label="Response"] canvas').click(options)]);
    await tab.waitForSelector('html[data-ready]');
    return tab;
  };
  const first = await corner({ position: { x: box.width - 100, y: 15 } });
  assert.match(first.url(), /\/report\/22$/);
  assert.equal(await first.evaluate(() => document.querySelector('#app').textContent.includes('Pendulum')), true);
  const second = await corner({ position: { x: 50, y: box.height - 30 }, modifiers: ['Shift'] });
  assert.match(second.url(), /\/comparison\/22\/1$/);
  await picture(second, 'sweep-compared');
  const set = JSON.parse(readFileSync(join(out, 'points/22/summary.json'), 'utf8'));
  assert.equal(set.duration, 0.5);
  await context.close();
  child.kill('SIGINT');
  assert.equal(await ended, 'SIGINT');
});
