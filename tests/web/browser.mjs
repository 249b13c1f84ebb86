// Runs of the program and pages in Chromium, for the tests of this folder.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

export const { TRAMMEL: program, TRM_SOURCE_DIR: source, TRM_BUILD_DIR: build } = process.env;
export const modules = createRequire(join(build, 'tests/web/package.json'));
export const scratch = join(process.cwd(), 'runs');
export const pictures = join(build, 'screenshots');
for (const folder of [scratch, pictures]) mkdirSync(folder, { recursive: true });

const { chromium } = modules('playwright-core');

/** The exit status; results go to scratch/name. */
export function run(model, name, ...options) {
  return spawnSync(program, ['run', model, '-o', join(scratch, name), '--quiet', ...options], { stdio: ['ignore', 'inherit', 'pipe'] }).status;
}

/** Stopped by a signal after it began: the signal it ends by. */
export async function interrupt(model, name, ...options) {
  const child = spawn(program, ['run', model, '-o', join(scratch, name), '--quiet', ...options], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  child.kill('SIGINT');
  return ended;
}

export function write(name, text) {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return path;
}

export function table(name) {
  const [header, ...lines] = readFileSync(join(scratch, name, 'results.csv'), 'utf8').trim().split('\n');
  const names = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((value, i) => [names[i], Number(value)])));
}

export async function launch() {
  const paths = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = paths.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('Chromium is missing: scripts/setup test installs it');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader'] });
}

/** An open page with what went wrong in it; WebGL's hints about speed are no errors. */
export async function open(browser, path, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || (message.type() === 'warning' && !/GPU stall|GL Driver/.test(message.text()))) errors.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) errors.push(`request to ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('html[data-ready]', { timeout: 30000 }).catch(() => errors.push('the page does not get ready'));
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))); // views are laid out by the first frame
  return { page, errors };
}

/** Work on an open page, in which nothing may go wrong. */
export async function onPage(browser, path, options, work) {
  const { page, errors } = await open(browser, path, options);
  try {
    await work(page);
  } finally {
    await page.close();
  }
  assert.deepEqual(errors, []);
}

export function report(name) {
  return join(scratch, name, 'report.html');
}

export async function picture(page, name) {
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Undoes a PNG's filters; eight bits a channel, no interlacing: what Chromium writes. */
function decode(png) {
  const parts = [];
  let [width, height, channels] = [0, 0, 4];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') [width, height, channels] = [body.readUInt32BE(0), body.readUInt32BE(4), body[9] === 6 ? 4 : 3];
    if (kind === 'IDAT') parts.push(body);
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const data = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? data[y * stride + x - channels] : 0;
      const up = y ? data[(y - 1) * stride + x] : 0;
      const corner = y && x >= channels ? data[(y - 1) * stride + x - channels] : 0;
      const nearest = [left, up, corner].map((v) => Math.abs(left + up - corner - v));
      const paeth = nearest[0] <= nearest[1] && nearest[0] <= nearest[2] ? left : nearest[1] <= nearest[2] ? up : corner;
      data[y * stride + x] = raw[y * (stride + 1) + 1 + x] + [0, left, up, (left + up) >> 1, paeth][filter];
    }
  }
  return { width, height, channels, data };
}

/** The animation as the user sees it; `x` and `y` are where its corner lies in the picture. */
export async function pixels(page) {
  const box = await page.locator('.canvas-box').boundingBox();
  const clip = { x: Math.floor(box.x), y: Math.floor(box.y), width: Math.floor(box.width), height: Math.floor(box.height) };
  return { ...decode(await page.screenshot({ clip })), x: box.x - clip.x, y: box.y - clip.y };
}

export function colors({ data, channels }) {
  const seen = new Set();
  for (let i = 0; i < data.length; i += channels) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
}

export function changes(a, b) {
  let count = 0;
  for (let i = 0; i < a.data.length; i++) count += a.data[i] !== b.data[i];
  return count;
}

/** Centre of the pixels that `is` accepts, from the corner of the animation. */
export function centre({ width, channels, data, x: left, y: top }, is) {
  let [x, y, count] = [0, 0, 0];
  for (let i = 0; i < data.length; i += channels) {
    if (!is(data[i], data[i + 1], data[i + 2])) continue;
    const k = i / channels;
    x += (k % width) + 0.5;
    y += Math.floor(k / width) + 0.5;
    count++;
  }
  return count ? { x: x / count - left, y: y / count - top, count } : null;
}
