// Compares the package with `cert-cli`, which certifies natively. On random documents, both must give the same imprints, evidence, reports and
// refusals.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Cert } from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';
import { program } from '../../../../tests/support/cargo.mjs';
import { samples } from '../../../../tests/support/samples.mjs';
import { randomCase } from './random.mjs';

const FIXED = samples(40);
const FRESH = samples(10);
const TOOL = program('debug/cert');

let folder;
before(async () => {
  await access(TOOL).catch(() => assert.fail('the tool is not built: run `cargo build --package cert-cli`'));
  folder = await mkdtemp(join(tmpdir(), 'assay-agree-'));
});
after(() => folder && rm(folder, { recursive: true }));

/** Runs the tool on files with these contents. Returns its output as parsed JSON or as a string, or the code of its error. */
async function tool(words, files) {
  const texts = Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? content : JSON.stringify(content)]);
  await Promise.all(texts.map(([name, text]) => writeFile(join(folder, name), text)));
  const child = spawn(TOOL, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = await Promise.all([child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray())).then((all) => all.map((parts) => parts.join('')));
  if (out === '') return { code: /^error\[([a-z-]+)\]: /m.exec(err)?.[1] ?? err };
  return /^[[{]/.test(out) ? JSON.parse(out) : out.trim();
}

/** Returns the result of the package in the same form. */
async function own(operation) {
  try {
    // Minus zero is zero in JSON.
    return JSON.parse(JSON.stringify(await operation()));
  } catch ({ code }) {
    return { code };
  }
}

const counts = { made: 0, refused: 0, reduced: 0, valid: 0, invalid: 0 };

async function check(seed) {
  const { schema, document, key, paths, below, pick } = randomCase(seed);
  const same = (one, other, what) => assert.deepEqual(one, other, `seed ${seed}: ${what}`);
  const cert = new Cert({ schema, key });
  const holder = new Cert({ schema });
  const asked = paths.map((path) => JSON.stringify(path));
  const files = { 'schema.json': schema, 'data.json': document, key: Buffer.from(key).toString('hex') };
  const keyed = ['-s', 'schema.json', '--profile', 'AIH-2', '--key', 'key', 'data.json'];
  const run = (words, more = {}) => tool(words, { ...files, ...more });

  const imprint = await own(() => cert.imprint(document));
  same(imprint, await run(['imprint', ...keyed]), 'imprint');
  same(cert.identify(), await run(['identify', 'schema.json', '--profile', 'AIH-2']), 'schema id');
  const whole = await own(() => cert.notarize(document));
  same(whole, await run(['notarize', ...keyed]), 'all evidence');
  const detached = await own(() => cert.disclose(document, paths, { detached: true }));
  same(detached, await run(['disclose', ...keyed, '--detached', ...asked]), 'detached evidence');
  const attached = await own(() => cert.disclose(document, paths));
  same(attached, await run(['disclose', ...keyed, ...asked]), 'attached evidence');
  if (attached.code) {
    counts.refused += 1;
    return;
  }
  counts.made += 1;
  const shown = await own(() => cert.expose(document, paths));
  same(shown, await run(['expose', '-s', 'schema.json', '--profile', 'AIH-2', 'data.json', ...asked]), 'document');
  same(attached, await own(() => holder.reduce(document, whole, paths)), 'evidence without a key');

  // Reduces the evidence in both forms.
  const fewer = [pick(attached.values)?.[0] ?? pick(paths)];
  const less = await own(() => holder.reduce(attached, fewer));
  const reduce = ['reduce', '-s', 'schema.json', '--evidence', 'evidence.json', ...fewer.map((path) => JSON.stringify(path))];
  same(less, await run(reduce, { 'evidence.json': attached }), 'reduced evidence');
  same(less, await run([...reduce, '--document', 'shown.json'], { 'evidence.json': detached, 'shown.json': shown }), 'reduced with the document');
  counts.reduced += less.code ? 0 : 1;

  // The document unchanged, and with a change.
  const bytes = Buffer.from(attached.proof, 'base64url');
  bytes[below(bytes.length)] ^= 1 << below(8);
  const forged = bytes.toString('base64url');
  const verify = ['verify', '-s', 'schema.json', '--imprint', imprint, '--evidence', 'evidence.json'];
  for (const [name, page, evidence] of [
    ['attached', undefined, attached],
    ...(less.code ? [] : [['reduced', undefined, less]]),
    ['detached', shown, detached],
    ['both', shown, attached],
    ['another proof', undefined, { ...attached, proof: forged }],
    ['another proof beside a page', shown, { ...detached, proof: forged }],
    ['another page', document, detached],
    ['other values', undefined, { ...attached, values: attached.values.map(([path, value]) => [path, [value]]) }],
    ['a value less', undefined, { ...attached, values: attached.values.slice(1) }],
  ]) {
    const native = await run([...verify, ...(page ? ['shown.json'] : [])], { 'evidence.json': evidence, ...(page ? { 'shown.json': page } : {}) });
    for (const one of [holder, new verifier.Cert({ schema })]) {
      const { document: proven, ...report } = await own(() => (page ? one.verify(page, evidence, imprint) : one.verify(evidence, imprint)));
      same(report, native, name);
      // Only the package returns the proven document.
      same(proven, report.valid ? (name === 'reduced' ? await own(() => cert.expose(document, fewer)) : shown) : null, `${name}: document`);
      counts[report.valid ? 'valid' : 'invalid'] += 1;
      if (['attached', 'reduced', 'detached', 'both'].includes(name)) assert.equal(report.valid, true, `seed ${seed}: ${name}`);
    }
  }
}

test('the package and the tool agree on random documents', { timeout: 300_000 }, async (context) => {
  const fresh = (Math.random() * 2 ** 31) | 0;
  context.diagnostic(`the last ${FRESH} documents are of the seeds from ${fresh} on`);
  const seeds = [...Array(FIXED).keys(), ...Array.from({ length: FRESH }, (_, at) => fresh + at)];
  for (const seed of seeds) await check(seed);
  context.diagnostic(JSON.stringify(counts));
  // Few documents are refused, and a tenth of the fixed ones has none.
  assert.ok(counts.refused > 2 || FIXED < 40, JSON.stringify(counts));
  assert.ok(counts.made > samples(25) && counts.reduced > samples(20) && counts.valid > samples(100) && counts.invalid > samples(100), JSON.stringify(counts));
});
