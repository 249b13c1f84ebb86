// Bushings, tires, rails and arrows as they are drawn; plots with two axes and units.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes, launch, onPage, open, picture, pixels, report, run, source, write } from './browser.mjs';

const models = join(source, 'models');
let browser;

// a block driven from 0.3 to 1.1 m along a rail that begins at 0; a second body hangs on a bushing
const slider = (spatial) => {
  const v = (x, y) => (spatial ? `[${x}, 0, ${y}]` : `[${x}, ${y}]`);
  const inertia = spatial ? '[0.1, 0.1, 0.1]' : '0.1';
  const six = (force, torque) => (spatial ? `[${force}, ${force}, ${force}, ${torque}, ${torque}, ${torque}]` : `[${force}, ${force}, ${torque}]`);
  return `trammel: 1
name: Slider and bushing
space: ${spatial ? 'spatial' : 'planar'}
units: SI
gravity: ${v(0, -9.81)}
ground: {points: {H: ${v(-0.5, -0.4)}}}
bodies:
  block: {mass: 1, inertia: ${inertia}, position: ${v(0.7, 0)}, shape: {box: [0.2, 0.2, 0.2]}, color: "#4477aa"}
  arm: {mass: 1, inertia: ${inertia}, position: ${v(-0.5, -0.6)}, points: {A: ${v(0, 0.2)}, B: ${v(0, -0.2)}}, shape: {rod: [A, B]}, color: "#228833"}
joints:
  rail: {type: prismatic, connect: [ground, block], axis: ${v(1, 0)}}
  motor: {type: driver, of: rail, value: "0.4*sin(pi*t)"}
forces:
  rubber: {type: bushing, connect: [ground.H, arm.A], stiffness: ${six(500, 5)}, damping: ${six(5, 0.1)}}
simulate: {duration: 2, output-step: 1e-2}
outputs: [block, arm, rail, rubber, energy, constraint]
`;
};

before(async () => {
  browser = await launch();
  for (const kind of ['plane', 'space']) assert.equal(run(write(`symbols_${kind}.yaml`, slider(kind === 'space')), `symbols_${kind}`, '--no-estimate'), 0);
});
after(() => browser?.close());

const withPage = (path, work) => onPage(browser, path, {}, work);

/** These plots in the place of all, drawn. */
async function showPlots(page, list) {
  await page.evaluate((plots) => trammel.plots.replace(plots), list);
  await page.waitForFunction(() => trammel.plots.plots.every(({ plot }) => plot));
}

/** Pixels of a colour within so many pixels of a place of the model. */
async function near(page, place, reach, is) {
  const [x, y] = await page.evaluate((p) => trammel.stage.view.project(p), place);
  const image = await pixels(page);
  let count = 0;
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const i = (Math.round(y + image.y + dy) * image.width + Math.round(x + image.x + dx)) * image.channels;
      count += is(image.data[i], image.data[i + 1], image.data[i + 2]) ? 1 : 0;
    }
  }
  return count;
}
const purple = (r, g, b) => b > g + 25 && r > g + 10;
const grey = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) < 40 && r < 170;

for (const kind of ['plane', 'space']) {
  const at = (x, y) => (kind === 'space' ? [x, 0, y] : [x, y, 0]);
  test(`${kind}: a bushing is seen, a rail ends where the slider turns`, async () => {
    await withPage(report(`symbols_${kind}`), async (page) => {
      await page.evaluate(() => {
        trammel.stage.buttons.gravity.click();
        trammel.clock.seek(1.5); // the block is at its left end
        if (trammel.stage.view.grid) trammel.stage.view.scene.remove(trammel.stage.view.grid);
      });
      await page.locator('h1').click();
      await picture(page, `symbols-${kind}`);
      assert.ok((await near(page, at(-0.5, -0.4), 14, purple)) > 20, 'no bushing');
      assert.ok((await near(page, at(0.95, 0), 6, grey)) > 3, 'no rail where the slider goes');
      assert.equal(await near(page, at(1.45, 0), 4, (r, g, b) => grey(r, g, b) && r < 150), 0);
      assert.equal(await near(page, at(-0.1, 0), 4, (r, g, b) => grey(r, g, b) && r < 150), 0);
    });
  });
}

test('arrows of reactions are drawn over bodies', async () => {
  await withPage(report('symbols_space'), async (page) => {
    // the joint's point is in the middle of the block; seen along y the arrow points up, through the block
    const orange = (r, g, b) => r > 150 && g < 130 && b < 90;
    await page.locator('.look', { hasText: 'y' }).click();
    const before = await near(page, [0.7, 0, 0.04], 12, orange);
    await page.locator('h1').click();
    await page.keyboard.press('r');
    assert.equal(before, 0);
    assert.ok((await near(page, [0.7, 0, 0.04], 12, orange)) > 15, 'the arrow is hidden in the block');
  });
});

test('tires are drawn around their wheels', async () => {
  assert.equal(run(join(models, 'vehicle/straight.yaml'), 'tires', '--duration', '0.1', '--no-estimate', '--allow-doubtful'), 0);
  await withPage(report('tires'), async (page) => {
    const tires = await page.evaluate(() => {
      const { scene } = trammel.runs[0];
      return scene.forces.filter(({ type }) => type === 'tire').map(({ ends, radius, axis }) => [scene.bodies[ends[0][0]].name, radius, Math.abs(axis[1])]);
    });
    assert.equal(tires.length, 4);
    for (const [, radius, across] of tires) assert.ok(radius > 0.2 && radius < 0.5 && across > 0.9);
    const image = await pixels(page);
    await page.evaluate(() => {
      for (const { mesh } of trammel.stage.view.parts[0].elements) mesh.visible = false;
      trammel.stage.redraw();
    });
    assert.ok(changes(image, await pixels(page)) > 300, 'tires and bushings change nothing');
    await page.locator('h1').click();
    await picture(page, 'tires');
  });
});

test('two axes: a curve by the one on the right, in the page, its address and its file', async () => {
  let address;
  await withPage(report('symbols_plane'), async (page) => {
    await showPlots(page, [{ names: ['block.x', 'block.vx', 'rubber.fy'] }]);
    const axes = () => page.evaluate(() => trammel.plots.plots[0].plot.axes.map(({ label, scale }) => [scale, label]));
    assert.deepEqual(await axes(), [['x', 't [s]'], ['y', 'x, vx, fy']]);
    await page.locator('[aria-label="rubber.fy by an axis on the right"]').click();
    assert.deepEqual(await axes(), [['x', 't [s]'], ['y', 'x, vx'], ['right', 'rubber.fy [N]']]);
    await page.locator('[aria-label="block.vx by an axis on the right"]').click();
    await page.locator('[aria-label="rubber.fy by an axis on the right"]').click();
    assert.deepEqual((await axes())[2], ['right', 'block.vx [m/s]']);
    // each scale holds its own curves: the velocity's amplitude is 0.4 pi, the position's 0.4
    const { y, right } = await page.evaluate(() => {
      const { scales } = trammel.plots.plots[0].plot;
      return { y: [scales.y.min, scales.y.max], right: [scales.right.min, scales.right.max] };
    });
    assert.ok(right[0] <= -0.39 * Math.PI && right[1] >= 0.39 * Math.PI && right[1] < 2, `${right}`);
    assert.ok(y[1] > 5, `${y}`);
    const [file] = await Promise.all([page.waitForEvent('download'), page.selectOption('.download', 'svg')]);
    const svg = readFileSync(await file.path(), 'utf8');
    assert.match(svg, /block\.vx \[m\/s\]/);
    await page.waitForTimeout(900);
    address = await page.evaluate(() => location.href);
    await picture(page, 'two-axes');
    // all by one axis: there is no other
    await page.evaluate(() => trammel.plots.plots[0].set({ right: ['block.x', 'block.vx', 'rubber.fy'] }));
    assert.equal((await axes()).length, 2);
  });
  const { page, errors } = await open(browser, report('symbols_plane'));
  await page.goto('about:blank');
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  assert.deepEqual(await page.evaluate(() => trammel.plots.plots.map(({ right }) => right)), [['block.vx']]);
  await page.close();
  assert.deepEqual(errors, []);
});

test('units are told where the model tells them, and only there', async () => {
  const bare = slider(false).replace('units: SI\n', '');
  assert.equal(run(write('bare.yaml', bare), 'bare', '--no-estimate'), 0);
  await withPage(report('bare'), async (page) => {
    await showPlots(page, [{ names: ['block.x'] }, { names: ['arm.angle'] }]);
    const labels = await page.evaluate(() => trammel.plots.plots.map(({ plot }) => plot.axes.map(({ label }) => label)));
    assert.deepEqual(labels, [['t', 'block.x'], ['t', 'arm.angle [rad]']]);
  });
  await withPage(report('symbols_space'), async (page) => {
    const expected = { 'block.x': 'm', 'block.vx': 'm/s', 'block.az': 'm/s²', 'block.wx': 'rad/s', 'block.alphax': 'rad/s²', 'rail.fx': 'N', 'rail.tz': 'N m', 'rail.speed': 'm/s', 'rubber.power': 'W', 'energy.total': 'J', 'constraint.position': '' };
    for (const [name, unit] of Object.entries(expected)) {
      await showPlots(page, [{ names: [name] }]);
      const label = await page.evaluate(() => trammel.plots.plots[0].plot.axes[1].label);
      assert.equal(label, unit ? `${name} [${unit}]` : name);
    }
  });
});
