// Tables of single-precision numbers in the page; src/report/block.c writes them.

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The numbers of a block {rows, data}, column after column: columns × rows. */
export async function readBlock({ rows, data } = {}) {
  if (!rows) return new Float32Array(0);
  const planes = await inflate(Uint8Array.from(atob(data), (c) => c.charCodeAt(0)));
  const count = planes.length / 4;
  const bits = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    bits[i] = planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24);
    if (i % rows) bits[i] += bits[i - 1];
  }
  return new Float32Array(bits.buffer);
}

/** The same of an element of the page. */
export function readTable(id) {
  const element = document.getElementById(id);
  return readBlock({ rows: Number(element?.dataset.rows), data: element?.textContent });
}
