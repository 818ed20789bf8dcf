// Measures the speed of the published certification package and of npm's @0xcert/cert, in one process. `cargo xtask bench cert` runs it. It
// writes one JSON object per line. cert-core/benches/speed.rs measures the same cases.
import { Cert } from '@assay/cert';
import { Cert as Aih2 } from '@assay/cert/aih2';
import reference from '@0xcert/cert';

/** The time for which each operation is measured, in milliseconds. */
const TIME = 400;
/** The minimum time of a sample, in milliseconds. It is much longer than the clock's resolution. */
const SAMPLE = 2;
/** From this number of rows on, @0xcert/cert computes only the imprint, and only once. Its time grows with the square of the number of rows. */
const ONCE = 10_000;

/** Returns the time of one run in nanoseconds. Takes the minimum of many samples, because other work on the machine only adds time. */
async function nanoseconds(run) {
  const time = async (runs) => {
    const started = performance.now();
    for (let at = 0; at < runs; at += 1) {
      await run();
    }
    return (performance.now() - started) / runs;
  };
  // Warms up, so that the code is optimized.
  const started = performance.now();
  let once = await time(1);
  for (let at = 0; at < 50 && performance.now() - started < TIME / 2; at += 1) {
    once = await time(1);
  }
  const runs = Math.max(1, Math.ceil(SAMPLE / once));
  const measured = performance.now();
  let least = Infinity;
  for (let samples = 0; performance.now() - measured < TIME || samples < 3; samples += 1) {
    least = Math.min(least, await time(runs));
  }
  return least * 1e6;
}

const show = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/**
 * Returns the time of one SHA-256 compression. Measures two documents with a long text: the schema describes the text of the first document,
 * and ignores the text of the second. The difference is the time of the text's compressions.
 */
async function compression() {
  const cert = new Cert({ schema: { type: 'object', properties: { certified: {} } } });
  const text = 'x'.repeat(1 << 20);
  const [with_, without] = [{ certified: text }, { ignored: text }];
  const difference = (await nanoseconds(() => cert.imprint(with_))) - (await nanoseconds(() => cert.imprint(without)));
  return difference / Math.ceil((text.length + 9) / 64);
}

function flat(count) {
  const names = Array.from({ length: count }, (_, at) => `property${at}`);
  return {
    schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
    data: Object.fromEntries(names.map((name, at) => [name, `value number ${at}`])),
    path: [names[Math.floor(count / 2)]],
  };
}

function rows(count) {
  const row = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };
  return {
    schema: { type: 'object', properties: { rows: { type: 'array', items: row } } },
    data: { rows: Array.from({ length: count }, (_, id) => ({ id, name: `row number ${id}` })) },
    path: ['rows', Math.floor(count / 2), 'name'],
  };
}

async function measure(kind, count) {
  const name = `${kind.name} ${count}`;
  const { schema, data, path } = kind(count);
  for (const [of, Library] of Object.entries({ wasm: Cert, package: reference.Cert })) {
    const once = of === 'package' && count >= ONCE;
    process.stderr.write(`  ${of.padEnd(8)} ${name}\n`);
    const cert = new Library({ schema });
    if (once) {
      const started = performance.now();
      const imprint = await cert.imprint(data);
      show({ case: name, operation: 'imprint', of, imprint, ns: (performance.now() - started) * 1e6 });
      continue;
    }
    const proofs = await cert.notarize(data);
    const imprint = await cert.imprint(data);
    const operations = {
      imprint: () => cert.imprint(data),
      notarize: () => cert.notarize(data),
      disclose: () => cert.disclose(data, [path]),
      calculate: () => cert.calculate(data, proofs),
    };
    for (const [operation, run] of Object.entries(operations)) {
      show({ case: name, operation, of, imprint, ns: await nanoseconds(run) });
    }
  }
}

/** Measures the AIH-2 profile: computing the imprint, creating the evidence of one field, and verifying this evidence. */
async function measureSecond(kind, count) {
  const name = `${kind.name} ${count}`;
  process.stderr.write(`  ${'AIH-2'.padEnd(8)} ${name}\n`);
  const { schema, data, path } = kind(count);
  const cert = new Aih2({ schema, key: new Uint8Array(32).fill(7) });
  const [imprint, evidence] = [await cert.imprint(data), await cert.disclose(data, [path])];
  const operations = {
    imprint: () => cert.imprint(data),
    disclose: () => cert.disclose(data, [path]),
    verify: () => cert.verify(evidence, imprint),
  };
  for (const [operation, run] of Object.entries(operations)) {
    show({ case: name, profile: 'AIH-2', operation, ns: await nanoseconds(run) });
  }
}

show({ node: process.version, compressionNs: await compression() });
for (const count of [10, 100, 1000]) {
  await measure(flat, count);
  await measureSecond(flat, count);
}
for (const count of [100, 1000, 10_000]) {
  await measure(rows, count);
  await measureSecond(rows, count);
}
