// Figures, metrics, things on the ground, a camera that follows, forces of elements: as a person sees them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { centre, changes, launch, modules, open, picture, pixels, program, report, run, scratch, write } from './browser.mjs';

let browser;

// a cart on a road between cones, carrying a bob on a spring; nothing else is red
const track = `trammel: 1
name: Cart between cones
space: spatial
gravity: [0, 0, -9.81]
parameters: {v: 15, m: 10, W: 1.6}
ground:
  shapes:
    road: {box: [130, 8, 0.02], at: [55, 0, -0.02], color: "#b8bec6"}
    left$(i): {repeat: {i: [0, 12]}, cone: {radius: 0.2, height: 0.6}, at: [8*i, "W + 1.5*sin(8*i/15)", 0], color: "#ee7733"}
    right$(i): {repeat: {i: [0, 12]}, cone: {radius: 0.2, height: 0.6}, at: [8*i, "-W + 1.5*sin(8*i/15)", 0], color: "#ee7733"}
    lane: {path: {s: [0, 100], count: 60, point: [s, 1.5*sin(s/15), 0.01]}, color: "#4477aa"}
bodies:
  car: {mass: m, inertia: [1, 1, 1], position: [0, 0, 0.5], velocity: [v, 1.5, 0], points: {top: [0, 0, 0.3]}, shape: {box: [3, 1.4, 0.6]}}
  bob: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 1.6], velocity: [v, 1.5, 0], shape: {sphere: 0.2}, color: "#ff0000"}
joints:
  floor: {type: planar, connect: [ground, car], at: [0, 0, 0.5], axis: [0, 0, 1]}
  mast: {type: prismatic, connect: [car, bob], axis: [0, 0, 1]}
forces:
  push: {type: force, point: car.top, value: [0, -1.5*(m + 1)*sin(t), 0]}
  spring: {type: spring-damper, connect: [car.top, bob], stiffness: 100, damping: 0.5, length: 0.9}
view: {follow: car, from: [-1, -0.8, 0.6]}
simulate: {duration: 6, output-step: 0.02}
plots:
  path: {title: Path, x: car.x, y: {car: car.y, lane: 1.5*sin(car.x/15)}, x-label: "x, m", y-label: "y, m"}
  spring: {title: Force of the spring, y: spring.force}
metrics: {peak_y: max(abs(car.y)), passed: first(car.x > 50), never: first(car.x > 500)}
`;

// a red disc that slides over posts in the plane
const slide = `trammel: 1
name: Disc past posts
space: planar
ground:
  points: {O: [0, 2]}
  shapes:
    post$(i + 2): {repeat: {i: [-2, 30]}, box: [0.1, 0.3, 0.1], at: [0.5*i, -0.75], color: "#228833"}
    tip$(i + 2): {repeat: {i: [-2, 30]}, cone: {radius: 0.1, height: 0.2, axis: [0, 1]}, at: [0.5*i, -0.6], color: "#228833"}
bodies:
  disc: {mass: 1, inertia: 0.1, velocity: [9, 0], shape: {sphere: 0.4}, color: "#ff0000"}
forces:
  rope: {type: spring-damper, connect: [ground.O, disc], stiffness: 0.1, length: 1}
view: {follow: disc}
simulate: {duration: 2, output-step: 0.02}
plots: {speed: {y: [disc.vx, disc.vy]}}
`;

const isRed = (r, g, b) => r > 120 && g < 0.35 * r && b < 0.35 * r;
const isGreen = (r, g, b) => g > 50 && r < 0.5 * g && b < 0.9 * g;

before(async () => {
  browser = await launch();
  assert.equal(run(write('track.yaml', track), 'track'), 0);
  assert.equal(run(write('slide.yaml', slide), 'slide'), 0);
});
after(() => browser.close());

const seek = (page, t) => page.evaluate((time) => window.trammel.clock.seek(time), t);

test('figures and metrics of the model are on the page', async () => {
  const { page, errors } = await open(browser, report('track'));
  assert.deepEqual(await page.locator('.figures figcaption').allTextContents(), ['Path', 'Force of the spring']);
  const chips = await page.locator('.figures figure').first().locator('.chip').allTextContents();
  assert.match(chips[0], /^car/);
  assert.match(chips[1], /^lane/);
  const metrics = await page.locator('.metrics').innerText();
  assert.match(metrics, /peak_y\s+1\.49996/); // 1.5 sin 4.72, the row nearest to a peak
  assert.match(metrics, /passed\s+3\.33333/);
  assert.match(metrics, /never\s+none/);
  // the cart stays on its lane: both curves are one
  const far = await page.evaluate(() => {
    const { curves } = window.trammel.runs[0];
    const [a, b] = ['car.y', '1.5*sin(car.x/15)'].map((name) => curves.get(name).y);
    return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
  });
  assert.ok(far < 1e-4, `${far}`);
  // something is drawn in each
  const drawn = await page.evaluate(() => [...document.querySelectorAll('.figures canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  }));
  assert.equal(drawn.length, 2);
  for (const count of drawn) assert.ok(count > 2000, `${count} points`);
  await page.locator('.figures').scrollIntoViewIfNeeded();
  await picture(page, 'figures');
  // the title of an axis goes with what it was given for
  const over = page.locator('.figures figure').first().locator('.chip:has-text("over")');
  assert.equal(await over.textContent(), 'over x, m');
  await over.locator('button').click();
  assert.equal(await over.count(), 0);
  const field = page.locator('.figures figure').first().locator('input').nth(1);
  await field.fill('car.y');
  await field.press('Enter');
  assert.equal(await over.textContent(), 'over car.y');
  assert.deepEqual(errors, []);
  await page.close();
});

test('in space the camera goes with the cart, past the cones', async () => {
  const { page, errors } = await open(browser, report('track'));
  const seen = [];
  for (const t of [1, 5]) {
    await seek(page, t);
    seen.push(await pixels(page));
    await picture(page, `follow-${t}`);
  }
  const [a, b] = seen.map((shot) => centre(shot, isRed));
  assert.ok(Math.hypot(a.x - b.x, a.y - b.y) < 4, JSON.stringify([a, b]));
  const orange = seen.map((shot) => centre(shot, (r, g, b) => r > 150 && g > 0.35 * r && g < 0.65 * r && b < 0.4 * r));
  for (const cones of orange) assert.ok(cones.count > 200, `${cones.count} orange pixels`);
  assert.ok(changes(...seen) > 5000);
  await page.click('.chip:has-text("follows car") button');
  await page.click('button:has-text("Fit")');
  await seek(page, 1);
  const whole = await pixels(page);
  assert.ok((centre(whole, isRed)?.count ?? 0) < 0.5 * a.count, 'all of the way is shown');
  await picture(page, 'follow-not');
  assert.deepEqual(errors, []);
  await page.close();
});

for (const [name, what] of [['track', 'in space'], ['slide', 'in the plane']]) {
  test(`forces of elements are arrows ${what}`, async () => {
    const { page, errors } = await open(browser, report(name));
    await seek(page, 1);
    const without = await pixels(page);
    await page.keyboard.press('a');
    const shown = await pixels(page);
    await picture(page, `forces-${name}`);
    assert.ok(centre(shown, isGreen).count > (name === 'track' ? 60 : centre(without, isGreen).count + 60));
    await page.keyboard.press('a');
    assert.equal(changes(without, await pixels(page)), 0);
    assert.deepEqual(errors, []);
    await page.close();
  });
}

test('in the plane the view goes with the disc, past the posts', async () => {
  const { page, errors } = await open(browser, report('slide'));
  const seen = [];
  for (const t of [0.2, 1]) {
    await seek(page, t);
    seen.push(await pixels(page));
    await picture(page, `slide-${t}`);
  }
  const [a, b] = seen.map((shot) => centre(shot, isRed));
  assert.ok(Math.hypot(a.x - b.x, a.y - b.y) < 2, JSON.stringify([a, b]));
  for (const shot of seen) assert.ok(centre(shot, isGreen).count > 50);
  assert.ok(changes(...seen) > 1000);
  assert.deepEqual(errors, []);
  await page.close();
});

for (const name of ['track', 'slide']) {
  test(`${name}.glb with things on the ground is valid`, async () => {
    const path = join(scratch, `${name}.glb`);
    assert.equal(spawnSync(program, ['film', join(scratch, name), '-o', path]).status, 0);
    const { issues } = await modules('gltf-validator').validateBytes(new Uint8Array(readFileSync(path)));
    assert.deepEqual(issues.messages, []);
  });
}
