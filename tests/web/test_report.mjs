// Reports in a real browser, as a person would use them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { centre, changes, colors, interrupt, launch, onPage, picture, pixels, report, run, source, table, write } from './browser.mjs';

const models = join(source, 'models');
let browser;

// a red disc on a circle, nothing else red: where it is drawn can be measured
const disc = `trammel: 1
name: Disc on an arm
description: Found by its colour
space: planar
gravity: [0, -9.81]
bodies:
  disc: {mass: 1, inertia: 0.01, position: [1, 0.2], points: {O: [-1, -0.2]}, shape: {sphere: 0.08}, color: "#ff0000"}
joints:
  pivot: {type: revolute, connect: [ground, disc.O]}
simulate: {duration: 2, step: 1e-3, output-step: 1e-2}
`;
const ball = disc.replace('planar', 'spatial').replace('[0, -9.81]', '[0, 0, -9.81]').replace('inertia: 0.01', 'inertia: [0.01, 0.01, 0.01]')
  .replace('[1, 0.2]', '[1, 0.2, 0.3]').replace('[-1, -0.2]', '[-1, -0.2, -0.3]').replace('revolute', 'spherical');

const failing = `trammel: 1
name: Crank that cannot go round
space: planar
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {A: [-0.5, 0], B: [0.5, 0]}, shape: {rod: [A, B]}}
joints:
  A: {type: revolute, connect: [ground, crank.A]}
  motor: {type: driver, of: A, value: "t^2/sqrt(1 - t)"}
simulate: {duration: 2, step: 1e-3, output-step: 1e-2}
`;

// pendulums of many lengths: a wave goes through them
const wave = (planar) => `trammel: 1
name: Two thousand pendulums
space: ${planar ? 'planar' : 'spatial'}
gravity: ${planar ? '[0, -9.81]' : '[0, 0, -9.81]'}
parameters: {n: 50}
bodies:
  p$(i)_$(k):
    repeat: {i: [1, 40], k: [1, n]}
    mass: 1
    inertia: ${planar ? '0.01' : '[0.01, 0.01, 0.01]'}
    position: [0.1*k, ${planar ? '0.5*i' : '0.1*i, -0.2'}]
    velocity: [0.8, 0${planar ? '' : ', 0'}]
    points: {A: [0, ${planar ? '' : '0, '}0.2 + 0.004*k], B: [0, ${planar ? '' : '0, '}-0.05]}
    shape: {rod: [A, B]}
joints:
  j$(i)_$(k): {repeat: {i: [1, 40], k: [1, n]}, type: ${planar ? 'revolute' : 'spherical'}, connect: [ground, p$(i)_$(k).A], at: [0.1*k, ${planar ? '0.5*i + 0.2 + 0.004*k' : '0.1*i, 0.004*k'}]}
outputs: [p1_1, energy]
simulate: {duration: 0.8, step: 2e-2, output-step: 2e-2}
`;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const withPage = (path, options, work) => onPage(browser, path, options, work);

/** Plays for a while: the picture is not blank and changes. */
async function plays(page) {
  const first = await pixels(page);
  assert.ok(colors(first) > 20, `the picture has ${colors(first)} colours`);
  await page.click('.play');
  await page.waitForTimeout(700);
  await page.click('.play');
  const t = await page.evaluate(() => trammel.clock.t);
  assert.ok(t > 0.05, `played to ${t}`);
  const changed = changes(first, await pixels(page));
  assert.ok(changed > 500, `${changed} numbers changed`);
}

for (const [name, model] of [['planar', join(models, 'jansen.yaml')], ['spatial', join(models, 'bricard.yaml')]]) {
  test(`${name} run: plays, scrubs, draws what is asked for`, async () => {
    assert.equal(run(model, name), 0);
    assert.ok(statSync(report(name)).size < 2e6);
    await withPage(report(name), {}, async (page) => {
      assert.equal(await page.locator('.status').textContent(), 'completed');
      await plays(page);
      // the scrubber by hand
      const box = await page.locator('.scrub').boundingBox();
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      const { t, end } = await page.evaluate(() => ({ t: trammel.clock.t, end: trammel.clock.end }));
      assert.ok(Math.abs(t - end / 2) < 0.03 * end, `half of ${end} is not ${t}`);
      // keys
      await page.locator('h1').click();
      await page.keyboard.press('End');
      assert.equal(await page.evaluate(() => trammel.clock.t), end);
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate(() => trammel.clock.t), await page.evaluate(() => trammel.runs[0].film.t[1]));
      for (const key of ['r', 's', 'n']) {
        const before = await pixels(page);
        await page.keyboard.press(key);
        assert.ok(changes(before, await pixels(page)) > 0, `key ${key} changes nothing`);
      }
      await page.keyboard.press('n');
      // a trace chosen from the list
      const point = name === 'planar' ? 'foot.toe' : 'rod3.B';
      await page.fill('[placeholder="Trace a point…"]', point);
      await page.keyboard.press('Enter');
      assert.ok((await page.locator('.switches .chip').textContent()).includes(point));
      await page.evaluate(() => trammel.clock.seek(0.31 * trammel.clock.end));
      await picture(page, name);
      // following keeps the body where it is
      await page.keyboard.press('s');
      await page.fill('[placeholder="Follow…"]', point);
      await page.keyboard.press('Enter');
      const where = async () => page.evaluate(() => {
        const { follow } = trammel.stage.view;
        return trammel.stage.view.project(trammel.runs[0].film.point(follow.body, follow.u));
      });
      const a = await where();
      await page.evaluate(() => trammel.clock.seek(0.6 * trammel.clock.end));
      const b = await where();
      assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 1, `followed point moved from ${a} to ${b}`);
    });
  });
}

for (const [name, text] of [['disc', disc], ['ball', ball]]) {
  test(`${name}: drawn where results.csv says, to a pixel`, async () => {
    assert.equal(run(write(`${name}.yaml`, text), name), 0);
    const rows = table(name);
    await withPage(report(name), {}, async (page) => {
      await page.keyboard.press('j');
      const seen = [];
      for (const row of [rows[0], rows[37], rows[120], rows.at(-1)]) {
        const expected = await page.evaluate(([t, p]) => {
          trammel.clock.seek(t);
          return trammel.stage.view.project(p);
        }, [row.t, [row['disc.x'], row['disc.y'], row['disc.z'] ?? 0]]);
        const found = centre(await pixels(page), (r, g, b) => r > g + 40 && r > b + 40);
        assert.ok(found && found.count > 50, 'the disc is not to be seen');
        assert.ok(Math.hypot(found.x - expected[0], found.y - expected[1]) < 1, `t = ${row.t}: drawn at ${found.x}, ${found.y}, expected ${expected}`);
        seen.push(found);
      }
      assert.ok(Math.hypot(seen[0].x - seen[1].x, seen[0].y - seen[1].y) > 20, 'it does not move');
    });
  });
}

test('a mesh that reaches far from its body is inside the picture', async () => {
  write('wedge.stl', 'vertex 0 0 0 vertex 4 0 0 vertex 4 1 0');
  const shape = 'points: {O: [-1, -0.2, -0.3]}, shape: {mesh: wedge.stl}';
  assert.equal(run(write('wedge.yaml', ball.replace(/points:.*0.08}/, shape).replace('duration: 2', 'duration: 0.1')), 'wedge'), 0);
  await withPage(report('wedge'), {}, async (page) => {
    const { corners, width, height } = await page.evaluate(() => {
      trammel.clock.seek(0);
      const { view } = trammel.stage; // it has hardly moved: the body's axes are those of space
      return { corners: [[1, 0.2, 0.3], [5, 0.2, 0.3], [5, 1.2, 0.3]].map((p) => view.project(p)), width: view.width, height: view.height };
    });
    for (const [x, y] of corners) assert.ok(x > 0 && x < width && y > 0 && y < height, JSON.stringify([corners, width, height]));
    const red = centre(await pixels(page), (r, g, b) => r > g + 40 && r > b + 40);
    assert.ok(red && red.count > 500, 'the mesh is not to be seen');
    await picture(page, 'wedge');
  });
});

test('plots: choose, overlay, zoom, logarithm, phase plane, cursor', async () => {
  assert.equal(run(join(models, 'four_bar.yaml'), 'plots'), 0);
  await withPage(report('plots'), {}, async (page) => {
    const plot = page.locator('.plot').first();
    const state = () => page.evaluate(() => {
      const { plot: u, names, log, over } = trammel.plots.plots[0];
      return { names, log, over, min: u.scales.x.min, max: u.scales.x.max, series: u.series.length };
    });
    const before = await state();
    await plot.locator('[placeholder="+ curve"]').fill('energy.kin');
    await page.keyboard.press('Enter');
    const more = await state();
    assert.equal(more.series, before.series + 1);
    assert.ok(more.names.includes('energy.kinetic'));
    // the line stands where the animation is
    const mark = async () => {
      const line = await plot.locator('.mark-line').boundingBox();
      const over = await plot.locator('.u-over').boundingBox();
      return (line.x - over.x) / over.width;
    };
    await page.evaluate(() => trammel.clock.seek(0.25 * trammel.clock.end));
    assert.ok(Math.abs((await mark()) - 0.25) < 0.01);
    // a click goes there, a drag zooms
    const over = await plot.locator('.u-over').boundingBox();
    await page.mouse.click(over.x + 0.75 * over.width, over.y + over.height / 2);
    const { t, end } = await page.evaluate(() => ({ t: trammel.clock.t, end: trammel.clock.end }));
    assert.ok(Math.abs(t - 0.75 * end) < 0.01 * end);
    await page.mouse.move(over.x + 0.2 * over.width, over.y + 20);
    await page.mouse.down();
    await page.mouse.move(over.x + 0.4 * over.width, over.y + 40, { steps: 4 });
    await page.mouse.up();
    const zoomed = await state();
    assert.ok(zoomed.max - zoomed.min < 0.3 * end, 'dragging does not zoom');
    await plot.locator('button', { hasText: 'log' }).click();
    assert.equal((await state()).log, true);
    await plot.locator('button', { hasText: 'log' }).click();
    await plot.locator('[placeholder="over …"]').fill('energy.potential');
    await page.keyboard.press('Enter');
    assert.equal((await state()).over, 'energy.potential');
    assert.equal(await plot.locator('.mark-point').count(), 1);
    await picture(page, 'plots');
    // method names lead to the theory
    await page.locator('.methods .link').first().click();
    assert.match(await page.locator('dialog .theory h1').textContent(), /\w/);
    await page.keyboard.press('Escape');
    assert.ok((await page.locator('.source .key').count()) > 20);
  });
});

test('a failed run says why and shows what there is', async () => {
  assert.equal(run(write('failing.yaml', failing), 'failed'), 1);
  await withPage(report('failed'), {}, async (page) => {
    assert.equal(await page.locator('.status').textContent(), 'failed');
    const said = await page.locator('.banner.bad').textContent();
    assert.match(said, /failed at t = 0\.99|failed at t = 1/);
    assert.equal(said.match(/t = \d/g).length, 1, said);
    await plays(page);
    await picture(page, 'failed');
  });
});

test('a doubtful run says so', async () => {
  const coarse = disc.replace('step: 1e-3, output-step: 1e-2', 'step: 0.2, output-step: 0.2, integrator: trapezoidal');
  assert.equal(run(write('coarse.yaml', coarse), 'doubtful'), 1);
  await withPage(report('doubtful'), {}, async (page) => {
    assert.equal(await page.locator('.status').textContent(), 'doubtful');
    assert.match(await page.locator('.banner.bad').textContent(), /doubtful: .*estimated error of disc\.\w+ is/);
    assert.match(await page.locator('.summary').textContent(), /Estimated error/);
    await plays(page);
  });
});

test('an interrupted run too', async () => {
  const signal = await interrupt(join(models, 'four_bar.yaml'), 'interrupted', '--duration', '1e5', '--step', '1e-3', '--output-step', '1');
  assert.equal(signal, 'SIGINT');
  await withPage(report('interrupted'), {}, async (page) => {
    assert.equal(await page.locator('.status').textContent(), 'interrupted');
    assert.match(await page.locator('.banner.bad').textContent(), /interrupted/);
    const last = table('interrupted').at(-1).t;
    assert.ok(Math.abs((await page.evaluate(() => trammel.clock.end)) - last) < 1e-9 * last);
    await plays(page);
  });
});

for (const planar of [true, false]) {
  const name = `many-${planar ? 'planar' : 'spatial'}`;
  test(`${name}: 2000 bodies play at 20 frames a second`, async () => {
    assert.equal(run(write(`${name}.yaml`, wave(planar)), name), 0);
    await withPage(report(name), {}, async (page) => {
      const rate = await page.evaluate(async () => {
        trammel.clock.speed = 0.05;
        trammel.clock.play();
        // the first second may be spent on finding out how fast this machine draws
        await new Promise((resolve) => setTimeout(resolve, 1500));
        let count = 0;
        trammel.clock.on(() => count++);
        const start = performance.now();
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return (1000 * count) / (performance.now() - start);
      });
      console.log(`${name}: ${rate.toFixed(1)} frames a second`);
      assert.ok(rate >= 20, `${rate} frames a second`);
      await picture(page, name);
    });
  });
}

test('dark, narrow, and printed', async () => {
  await withPage(report('planar'), { colorScheme: 'dark' }, async (page) => {
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.ok(Math.max(...back.match(/\d+/g).map(Number)) < 60, `dark is ${back}`);
    await picture(page, 'dark');
    await page.click('[aria-label="Light or dark"]');
    const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.ok(Math.min(...light.match(/\d+/g).map(Number)) > 200, `light is ${light}`);
  });
  await withPage(report('spatial'), { viewport: { width: 400, height: 800 }, hasTouch: true, isMobile: true }, async (page) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 400, `the page is ${wide} wide`);
    await page.tap('.play');
    await page.waitForTimeout(300);
    assert.ok(await page.evaluate(() => trammel.clock.t > 0));
    await picture(page, 'narrow');
  });
  await withPage(report('planar'), {}, async (page) => {
    const pdf = await page.pdf();
    assert.ok(pdf.length > 20000);
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('.transport').isVisible(), false);
    assert.equal(await page.locator('.summary').isVisible(), true);
  });
});
