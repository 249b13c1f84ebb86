// What a click chooses, how bodies are shown, views, files of plots, and the page's address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes, launch, open, picture, pixels, report, run, source, table, write } from './browser.mjs';

const models = join(source, 'models');
let browser;
const spring = `trammel: 1
name: Spring pendulum
space: planar
gravity: [0, -9.81]
ground: {points: {O: [0, 0], W: [2, 0]}}
bodies:
  rod: {mass: 1, inertia: 0.1, position: [0.5, -0.6], points: {A: [-0.5, 0.6], B: [0.5, -0.6]}, shape: {rod: [A, B]}, color: "#ff0000"}
  ball: {mass: 1, inertia: 0.1, position: [-1, 0], points: {C: [1, 0]}, shape: {sphere: 0.2}, color: "#0000ff"}
joints:
  hinge: {type: revolute, connect: [ground.O, rod.A]}
  other: {type: distance, connect: [ground.O, ball]}
forces:
  coil: {type: spring-damper, connect: [ground.W, rod.B], stiffness: 20, length: 1}
simulate: {duration: 2, output-step: 1e-2}
outputs: [rod, hinge, coil, energy, {tip: "hypot(rod.B.vx, rod.B.vy)"}]
`;
const space = (text) => text.replace('planar', 'spatial').replace('[0, -9.81]', '[0, 0, -9.81]').replace('inertia: 0.1', 'inertia: [0.1, 0.1, 0.1]')
  .replace('inertia: 0.1,', 'inertia: [0.1, 0.1, 0.1],').replace(/\[(-?[\d.]+), (-?[\d.]+)\]/g, '[$1, 0.3, $2]').replace('revolute', 'spherical')
  .replace(/0\.3, 0\.6\]/, '0, 0.6]').replace('B: [0.5, 0.3, -0.6]', 'B: [0.5, 0, -0.6]').replace('C: [1, 0.3, 0]', 'C: [1, 0, 0]');

before(async () => {
  browser = await launch();
  assert.equal(run(write('choose2d.yaml', spring), 'choose2d'), 0);
  assert.equal(run(write('choose3d.yaml', space(spring)), 'choose3d'), 0);
});
after(() => browser?.close());

async function withPage(path, work, address = '') {
  const { page, errors } = await open(browser, path);
  try {
    if (address) {
      await page.goto('about:blank');
      await page.goto(address);
      await page.waitForSelector('html[data-ready]');
    }
    await work(page);
  } finally {
    await page.close();
  }
  assert.deepEqual(errors, []);
}

/** A click on a point that a body carries. */
async function clickAt(page, body, u) {
  const place = await page.evaluate(([b, v]) => {
    const index = trammel.runs[0].scene.bodies.findIndex(({ name }) => name === b);
    return trammel.stage.view.project(trammel.runs[0].film.point(index, v));
  }, [body, u]);
  const box = await page.locator('canvas.scene').boundingBox();
  await page.mouse.click(box.x + place[0], box.y + place[1]);
}

const count = (image, is) => {
  let found = 0;
  for (let i = 0; i < image.data.length; i += image.channels) found += is(image.data[i], image.data[i + 1], image.data[i + 2]) ? 1 : 0;
  return found;
};
const red = (r, g, b) => r > 150 && g < 90 && b < 90;
const violet = (r, g, b) => b > r && r - g > 25 && b - g > 50; // springs

for (const name of ['choose2d', 'choose3d']) {
  test(`${name}: bodies, joints and forces are chosen by a click`, async () => {
    await withPage(report(name), async (page) => {
      const title = () => page.locator('.picked-head strong').textContent();
      const before = await pixels(page);
      await clickAt(page, 'rod', [0.1, 0, -0.12].map((x, k) => (name === 'choose2d' && k === 1 ? -0.12 : name === 'choose2d' && k === 2 ? 0 : x)));
      assert.equal(await title(), 'rod');
      assert.ok(changes(before, await pixels(page)) > 200, 'nothing lights up');
      // its measures have the values of the table, here and now
      await page.evaluate(() => trammel.clock.seek(0.5));
      const row = table(name).find(({ t }) => Math.abs(t - 0.5) < 1e-9);
      const shown = await page.locator('.measure', { hasText: /^vx/ }).first().locator('.value').textContent();
      assert.ok(Math.abs(Number(shown) - row['rod.vx']) < 1e-3 * (1 + Math.abs(row['rod.vx'])), `${shown}, not ${row['rod.vx']}`);
      // one click plots it
      const plots = () => page.evaluate(() => trammel.plots.plots.map(({ names }) => names.join()));
      const old = await plots();
      await page.locator('[title="Plot rod.vx"]').click();
      assert.deepEqual(await plots(), [...old, 'rod.vx']);
      await picture(page, name);
      await clickAt(page, 'rod', name === 'choose2d' ? [-0.5, 0.6, 0] : [-0.5, 0, 0.6]);
      assert.equal(await title(), 'hinge');
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('.picked-panel').isVisible(), false);
      const middle = await page.evaluate(() => {
        const { film, scene } = trammel.runs[0];
        const [a, b] = scene.forces[0].ends.map(([body, ...u]) => trammel.stage.view.project(film.point(body, u)));
        return [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      });
      const box = await page.locator('canvas.scene').boundingBox();
      await page.mouse.click(box.x + middle[0], box.y + middle[1]);
      assert.equal(await title(), 'coil');
      assert.ok(await page.locator('[title="Plot coil.power"]').count());
      // a body that the results say nothing of
      await clickAt(page, 'ball', [-0.15, 0, 0]);
      assert.match(await page.locator('.picked-panel').textContent(), /ball.*no measure of it/);
      // where nothing is, nothing is chosen
      await page.mouse.click(box.x + 3, box.y + 3);
      assert.equal(await page.locator('.picked-panel').isVisible(), false);
    });
  });

  test(`${name}: hidden, transparent, alone`, async () => {
    await withPage(report(name), async (page) => {
      const on = name === 'choose2d' ? [0.1, -0.12, 0] : [0.1, 0, -0.12];
      const reds = async () => {
        await page.evaluate(() => trammel.stage.choose(null));
        const image = await pixels(page);
        await clickAt(page, 'rod', on);
        return count(image, red);
      };
      const whole = await reds();
      assert.ok(whole > 100, `${whole} red pixels`);
      const coil = count(await pixels(page), violet);
      assert.ok(coil > 30, `${coil} violet pixels`);
      await page.locator('.looks button', { hasText: 'Transparent' }).click();
      const pale = await page.evaluate(() => trammel.stage.options.faint.size);
      assert.equal(pale, 1);
      assert.ok((await reds()) < 0.5 * whole, 'a transparent body is as red as before');
      await page.locator('.looks button', { hasText: 'Show all' }).click();
      assert.ok(Math.abs((await reds()) - whole) <= 0.02 * whole);
      await page.locator('.looks button', { hasText: 'Hide' }).click();
      await page.evaluate(() => trammel.stage.choose(null));
      assert.ok(count(await pixels(page), red) < 0.1 * whole, 'a hidden body is seen');
      assert.ok(count(await pixels(page), violet) < 0.1 * coil, 'a spring is seen without its body');
      await clickAt(page, 'rod', name === 'choose2d' ? [-0.5, 0.6, 0] : [-0.5, 0, 0.6]);
      assert.notEqual(await page.evaluate(() => trammel.stage.chosen?.name), 'hinge');
      // what is hidden cannot be clicked; the other one alone
      await page.evaluate(() => trammel.stage.options.hidden.clear());
      await clickAt(page, 'ball', [-0.15, 0, 0]);
      await page.locator('.looks button', { hasText: 'Isolate' }).click();
      assert.deepEqual(await page.evaluate(() => [...trammel.stage.options.hidden]), [0]);
      await page.locator('.looks button', { hasText: 'Isolate' }).click();
      assert.deepEqual(await page.evaluate(() => [...trammel.stage.options.hidden]), []);
      // what is hidden comes back without being clicked
      await page.locator('.looks button', { hasText: 'Hide' }).click();
      await page.keyboard.press('Escape');
      assert.equal(await page.locator('.picked-panel').isVisible(), false);
      await page.locator('.chip', { hasText: '1 hidden' }).getByRole('button', { name: 'Show all' }).click();
      assert.deepEqual(await page.evaluate(() => [...trammel.stage.options.hidden]), []);
      assert.equal(await page.locator('.chip', { hasText: 'hidden' }).count(), 0);
    });
  });

  test(`${name}: the address shows the same again`, async () => {
    let address = '';
    let state;
    const read = (page) => page.evaluate(() => ({
      t: trammel.clock.t, plots: trammel.plots.plots.map(({ names, log, over }) => [names, log, over]), chosen: trammel.stage.chosen?.name,
      view: trammel.stage.view.state(), reactions: !!trammel.stage.options.reactions, faint: [...trammel.stage.options.faint],
      hidden: [...trammel.stage.options.hidden], follow: trammel.stage.view.follow?.name, pressed: [...document.querySelectorAll('[aria-pressed=true]')].map((button) => button.textContent),
      chips: [...document.querySelectorAll('.switches .chip')].map((chip) => chip.textContent),
    }));
    await withPage(report(name), async (page) => {
      await page.evaluate(() => {
        trammel.clock.seek(0.73);
        trammel.plots.show(['tip', 'energy.total']).set({ log: true });
        trammel.stage.choose({ kind: 'body', index: 0, name: 'rod' });
        trammel.stage.options.faint.add(0);
        trammel.stage.view.zoomBy(1.7);
        trammel.stage.options.hidden.add(1);
        trammel.stage.changeLooks();
      });
      await page.locator('h1').click();
      await page.keyboard.press('r');
      await page.keyboard.press('o'); // in space: without perspective
      await page.getByPlaceholder('Follow…').fill('rod');
      await page.keyboard.press('Enter');
      await page.waitForTimeout(900);
      address = await page.evaluate(() => location.href);
      state = await read(page);
    });
    assert.match(address, /#/);
    assert.equal(state.follow, 'rod');
    assert.equal(state.chips.length, 2); // followed, hidden
    assert.equal(state.pressed.includes('Orthographic'), name === 'choose3d');
    await withPage(report(name), async (page) => {
      const found = await read(page);
      assert.deepEqual({ ...found, view: 0, t: 0 }, { ...state, view: 0, t: 0 });
      assert.ok(Math.abs(found.t - 0.73) < 1e-8);
      const numbers = (view) => JSON.stringify(view).match(/-?\d+(\.\d+)?(e-?\d+)?/g).map(Number);
      const [a, b] = [numbers(found.view), numbers(state.view)];
      assert.equal(a.length, b.length);
      a.forEach((x, k) => assert.ok(Math.abs(x - b[k]) < 1e-3 * (1 + Math.abs(b[k])), `${x}, not ${b[k]}`));
    }, address);
    // one that is cut short does no harm
    await withPage(report(name), async (page) => assert.ok(await page.locator('.play').isVisible()), address.slice(0, address.indexOf('#') + 25));
  });
}

test('views along the axes, without perspective, full screen', async () => {
  await withPage(report('choose3d'), async (page) => {
    const project = (p) => page.evaluate((q) => trammel.stage.view.project(q), p);
    const near = (a, b) => assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) < 0.5, `${a} and ${b}`);
    await page.keyboard.press('o');
    for (const [axis, along] of [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]]) {
      await page.locator('.look', { hasText: axis }).click();
      // points in line with the axis fall together, others do not
      near(await project([0.2, 0.3, 0.1]), await project([0.2, 0.3, 0.1].map((x, k) => x + 0.7 * along[k])));
      const [a, b] = [await project([0, 0, 0]), await project([0.5, 0.5, 0.5])];
      assert.ok(Math.hypot(a[0] - b[0], a[1] - b[1]) > 20);
    }
    // lengths do not depend on the distance
    const length = async (y) => {
      const [a, b] = [await project([0, y, 0]), await project([1, y, 0])];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    await page.locator('.look', { hasText: 'y' }).click();
    assert.ok(Math.abs((await length(-1)) - (await length(1))) < 0.01);
    await page.keyboard.press('o');
    assert.ok((await length(-1)) - (await length(1)) > 5);
    await page.locator('.full').click();
    await page.waitForFunction(() => document.fullscreenElement?.classList.contains('stage'));
  });
});

test('plots as files', async () => {
  await withPage(report('choose2d'), async (page) => {
    await page.evaluate(() => trammel.plots.replace([{ names: ['rod.x', 'tip'] }]));
    const get = async (kind) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.selectOption('.download', kind)]);
      assert.equal(download.suggestedFilename(), `rod.x_tip.${kind}`);
      return readFileSync(await download.path());
    };
    const [header, ...lines] = (await get('csv')).toString().trim().split('\n');
    assert.equal(header, 't,rod.x,tip');
    const rows = table('choose2d');
    assert.equal(lines.length, rows.length);
    lines.forEach((line, i) => {
      const [t, x, tip] = line.split(',').map(Number);
      for (const [found, expected] of [[t, rows[i].t], [x, rows[i]['rod.x']], [tip, rows[i].tip]]) assert.ok(Math.abs(found - expected) <= 1e-6 * (1 + Math.abs(expected)));
    });
    const svg = (await get('svg')).toString();
    const shown = await page.evaluate((text) => {
      const svgElement = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
      return [...svgElement.querySelectorAll('polyline')].map((line) => line.getAttribute('points').split(' ').length);
    }, svg);
    assert.deepEqual(shown, [rows.length, rows.length]);
    assert.equal((await get('png')).subarray(1, 4).toString(), 'PNG');
  });
});

test('what is said once, and how', async () => {
  const failing = spring.replace('stiffness: 20', 'stiffness: "20/(1 - t)^0.5"');
  assert.equal(run(write('once.yaml', failing), 'once'), 1);
  await withPage(report('once'), async (page) => {
    const message = await page.evaluate(() => trammel.runs[0].summary.message);
    assert.ok(message.length > 10);
    const text = await page.evaluate(() => document.body.innerText);
    assert.equal(text.split(message).length - 1, 1, 'the message is there more than once');
  });
  // information is no warning
  assert.equal(run(join(models, 'bricard.yaml'), 'noted', '--duration', '1'), 0);
  await withPage(report('noted'), async (page) => {
    assert.ok(await page.locator('.info-banner').count());
    // the theory of the method that ran
    assert.match(await page.locator('.methods tr', { hasText: 'integrator' }).locator('.link').getAttribute('title'), /\.md$/);
  });
  await withPage(report('choose2d'), async (page) => {
    const link = page.locator('.methods tr', { hasText: 'integrator' }).locator('.link');
    assert.equal(await link.textContent(), 'dop853');
    await link.click();
    assert.match(await page.locator('dialog .theory h1').textContent(), /Dormand/);
  });
});
