// Exported animations pass Khronos' own validator.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { modules, program, run, scratch, source } from './browser.mjs';

const validator = modules('gltf-validator');

for (const model of ['jansen', 'bricard', 'gears', 'rolling_disc']) {
  test(`${model}.glb is valid`, async () => {
    assert.equal(run(join(source, 'models', `${model}.yaml`), `glb-${model}`, '--duration', '1'), 0);
    const path = join(scratch, `${model}.glb`);
    assert.equal(spawnSync(program, ['film', join(scratch, `glb-${model}`), '-o', path]).status, 0);
    const { issues, info } = await validator.validateBytes(new Uint8Array(readFileSync(path)));
    assert.deepEqual(issues.messages, []);
    assert.equal(info.animationCount, 1);
  });
}
