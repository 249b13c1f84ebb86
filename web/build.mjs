// Bundles the page and writes it as C: what stands before the data, and what stands after it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2];
const modules = join(target, 'node_modules');
const esbuild = createRequire(join(target, 'package.json'))('esbuild');

// the theory pages travel with the report: its links work without a network
const theory = {
  name: 'theory',
  setup(build) {
    build.onResolve({ filter: /^theory$/ }, () => ({ path: 'theory', namespace: 'theory' }));
    build.onLoad({ filter: /.*/, namespace: 'theory' }, () => {
      const folder = join(web, '../docs/theory');
      const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
      const pages = names.map((name) => [name.slice(0, -3), readFileSync(join(folder, name), 'utf8')]);
      return { contents: JSON.stringify(Object.fromEntries(pages)), loader: 'json' };
    });
  },
};

const bundle = await esbuild.build({
  entryPoints: [join(web, 'src/main.js')],
  outdir: target,
  write: false,
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  charset: 'utf8',
  legalComments: 'none',
  nodePaths: [modules],
  plugins: [theory],
});
const text = (ending) => bundle.outputFiles.find((file) => file.path.endsWith(ending)).text;
const script = text('.js').replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const [head, tail] = readFileSync(join(web, 'src/page.html'), 'utf8')
  .replace('/*style*/', () => text('.css'))
  .replace('/*script*/', () => script)
  .split('<!--data-->');

// short literals: compilers need not take longer ones
function literals(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 1000) {
    const escaped = [...bytes.subarray(at, at + 1000)].map((byte) => {
      const plain = byte >= 32 && byte < 127 && byte !== 34 && byte !== 92 && byte !== 63;
      return plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
    });
    lines.push(`    "${escaped.join('')}",`);
  }
  return lines.join('\n');
}
const array = (name, value) => `const char *const ${name}[] = {\n${literals(Buffer.from(value))}\n    NULL};\n`;
writeFileSync(join(target, 'page.html'), head + tail);
writeFileSync(
  join(target, 'page.c'),
  `/* Built from web/. */\n#include "report/page.h"\n\n#include <stddef.h>\n\n` +
    array('trm_page_head', head) + '\n' + array('trm_page_tail', tail),
);
