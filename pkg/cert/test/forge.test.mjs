// Forgeries that only JavaScript can make: false documents with tampered evidence. Their objects have prototypes, accessors, proxies, and own
// keys that other objects inherit. `cert-core/tests/forge` makes the forgeries that JSON text can express.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Cert, CertError } from '@assay/cert';
import { samples } from '../../../tests/support/samples.mjs';
import { cases, randomly } from './support.mjs';

const FORGERIES = samples(5000);
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

const digest = (name, encoding) => (value) =>
  createHash(name)
    .update(value === undefined || value === null ? '' : String(value))
    .digest(encoding);
const later =
  (callback) =>
  async (...parameters) => {
    await undefined;
    return callback(...parameters);
  };
const pathHash = (path) => sha256(path.join('.'));

/** Custom hashers, and custom noncers beside the default one. Their hashes differ in length and alphabet. */
const HASHERS = {
  'SHA-512': digest('sha512', 'hex'),
  MD5: digest('md5', 'hex'),
  'SHA-256 in base64': digest('sha256', 'base64'),
  // Each byte is one character. Characters from 128 take two bytes in UTF-8.
  'SHA-256 in characters': digest('sha256', 'latin1'),
};
const NONCERS = {
  'default nonces': [undefined, pathHash],
  'nonces of 128 digits': [digest('sha512', 'hex'), digest('sha512', 'hex')].map((noncer) => (path) => noncer(path.join('.'))),
  'paths as nonces': [(path) => path.join('.'), (path) => path.join('.')],
};
/** All pairs of hasher and noncer, synchronous and asynchronous. */
const OPTIONS = [undefined, ...Object.entries(HASHERS)].flatMap((hasher) =>
  Object.entries(NONCERS).flatMap(([nonces, [noncer, nonceOf]]) =>
    Object.entries({ 'at once': (callback) => callback, later }).map(([when, wrap]) => ({
      name: `${hasher?.[0] ?? 'the default hasher'}, ${nonces}, ${when}`,
      options: { hasher: hasher && wrap(hasher[1]), noncer: noncer && wrap(noncer) },
      nonceOf,
    })),
  ),
);

const PROTOTYPES = {
  schema: JSON.parse(`{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"},
    "name":{"type":"string"},"list":{"type":"array","items":{"type":"string"}},
    "inner":{"type":"object","properties":{"__proto__":{"type":"integer"},"valueOf":{"type":"integer"},"length":{"type":"integer"}}}}}`),
  data: JSON.parse(`{"__proto__":"p","constructor":"c","toString":"s","name":"Ada","list":["a","b"],"inner":{"__proto__":1,"valueOf":2,"length":3}}`),
};

/** Returns documents with their imprints and proofs, and the places of their single values. */
async function documents() {
  const vectors = cases('reference.json').filter(({ arraysOver10, notarize }) => !arraysOver10 && JSON.stringify(notarize).length < 6000);
  const plain = [...vectors, ...Array(Math.ceil(vectors.length / 3)).fill(PROTOTYPES)].map((document) => ({ ...document, options: {} }));
  const others = OPTIONS.map(({ options }, at) => ({ ...(at % 3 ? vectors[at] : PROTOTYPES), options }));
  const all = [...plain, ...others].map(async ({ schema, data, options }) => {
    const cert = new Cert({ schema, ...options });
    const leaves = [...scalars(schema, data)];
    try {
      return { cert, data, leaves, imprint: await cert.imprint(data), proofs: await cert.notarize(data) };
    } catch (error) {
      // A few pairs of hasher and noncer cannot certify lists.
      assert.equal(error.code, 'nonce-ambiguous');
      return { leaves: [] };
    }
  });
  return (await Promise.all(all)).filter(({ leaves }) => leaves.length > 0);
}

/** Returns the places of single values that the schema describes. */
function* scalars(schema, data, path = []) {
  if (schema.type === 'object' && data) {
    for (const key of Object.keys(schema.properties)) {
      if (Object.hasOwn(data, key)) yield* scalars(schema.properties[key], data[key], [...path, key]);
    }
  } else if (schema.type === 'array' && data) {
    for (const [index, item] of data.entries()) yield* scalars(schema.items, item, [...path, index]);
  } else if (data !== null && typeof data !== 'object') {
    yield path;
  }
}

const at = (value, path) => path.reduce((inner, step) => inner?.[step], value);
/** Sets an own key of an object, even if its prototype has a setter for that key. */
const put = (object, key, value) => Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
const clone = (value) => JSON.parse(JSON.stringify(value));

/** Ways to change the value at a place. Each turns a copy of the data into a false claim. */
const LIES = {
  'another value': (claim, group, key, other) => put(group, key, other) && claim,
  'another value by an accessor': (claim, group, key, other) => Object.defineProperty(group, key, { get: () => other, enumerable: true, configurable: true }) && claim,
  'another value by toJSON': (claim, group, key, other) => put(group, key, { toJSON: () => other }) && claim,
  'another value by a proxy': (claim, group, key, other) => {
    put(group, key, other);
    return new Proxy(claim, {});
  },
  'the document by toJSON': (claim, group, key, other) => {
    const genuine = clone(claim);
    put(group, key, other);
    return Object.defineProperty(genuine, 'toJSON', { value: () => claim });
  },
  'another value, the genuine one inherited': (claim, group, key, other) => {
    const inherited = Object.getPrototypeOf(group) === Object.prototype && !Array.isArray(group);
    if (inherited) Object.setPrototypeOf(group, clone(group));
    return put(group, key, other) && claim;
  },
};

/** Ways to tamper with evidence. Each gets the proof and the entry of the place, if they exist. */
const TAMPERING = {
  nothing: () => {},
  'value planted': ({ entry, other }) => (entry.value = other),
  'value planted, leaf removed': ({ entry, other, proof }) => {
    entry.value = other;
    proof.nodes = proof.nodes.filter(({ index }) => index !== 2 * entry.index + 1);
  },
  'value planted, all nodes but the end removed': ({ entry, other, proof }) => {
    entry.value = other;
    proof.nodes = proof.nodes.slice(-1);
  },
  'value planted by an accessor that changes its mind': ({ entry, other }) => {
    const genuine = entry.value;
    let reads = 0;
    Object.defineProperty(entry, 'value', { get: () => (reads++ % 2 === 0 ? other : genuine), enumerable: true });
  },
  'value planted in a second entry': ({ entry, other, proof, random }) => proof.values.splice(random(2) * proof.values.length, 0, { ...entry, value: other }),
  'value planted under an index that converts': ({ entry, other, proof, random }) => {
    const { index } = entry;
    const odd = [String(index), new Number(index), BigInt(index), [index], { valueOf: () => index }, { toJSON: () => `${index}` }, index + 0.5, -index - 1, 2 ** 53 + index, NaN, undefined, true];
    proof.values.splice(random(2) * proof.values.length, 0, { index: odd[random(odd.length)], value: other, nonce: entry.nonce });
  },
  'entry that inherits': ({ entry, other, proof }) => {
    const planted = Object.create({ ...entry, value: other });
    planted.index = entry.index;
    proof.values[proof.values.indexOf(entry)] = planted;
  },
  'proof that inherits': ({ entry, other, proof, proofs }) => {
    const planted = Object.create({ ...proof, values: proof.values.map((value) => (value === entry ? { ...entry, value: other } : value)) });
    proofs[proofs.indexOf(proof)] = planted;
  },
  'keys of prototypes in evidence': ({ entry, other, proof }) => {
    for (const object of [entry, proof]) put(object, '__proto__', { value: other, values: [{ ...entry, value: other }] });
    delete entry.value;
  },
  'list with a hole': ({ entry, other, proof }) => {
    proof.values = Object.assign([], { ...proof.values, [proof.values.length + 1]: { ...entry, value: other } });
  },
  'list with keys of its own': ({ entry, other, proof }) => Object.assign(proof.values, { [`0${entry.index}`]: { ...entry, value: other }, '-1': { ...entry, value: other } }),
  'second proof': ({ entry, other, proof, proofs, random }) => {
    const planted = { ...proof, values: proof.values.map((value) => (value === entry ? { ...entry, value: other } : value)) };
    proofs.splice(random(2) * proofs.length, 0, planted);
  },
  'proof of nothing but a root': ({ entry, other, proof, imprint }) => {
    proof.nodes = [{ index: 0, hash: imprint }];
    proof.values = [{ ...entry, value: other }];
  },
  'value hidden': ({ entry, proof }) => proof.values.splice(proof.values.indexOf(entry), 1),
  'nonce made up': ({ entry, other }) => Object.assign(entry, { value: other, nonce: sha256(String(other)) }),
  'path of texts': ({ entry, other, proof }) => {
    entry.value = other;
    proof.path = proof.path.map(String);
  },
};

test(`none of ${FORGERIES} forgeries is accepted`, async (t) => {
  const all = await documents();
  const fresh = (Date.now() ^ process.pid) >>> 0;
  t.diagnostic(`the second half is of seed ${fresh}`);
  const counts = {};
  let made = 0;
  for (const seed of [1, fresh]) {
    const random = randomly(seed);
    const pick = (list) => list[random(list.length)];
    const until = made + FORGERIES / 2;
    while (made < until) {
      const { cert, data, leaves, imprint, proofs: genuine } = pick(all);
      const path = pick(leaves);
      const value = at(data, path);
      const other = pick([`${value} `, `${value}\u200b`, String(value).toUpperCase(), 'Eve', 0, -1, true, String(value).normalize('NFD'), value + 1, '__proto__']);
      // Values with the same text have the same hash. A change of type alone is a lie only with untampered evidence.
      if (other === value || !['number', 'string', 'boolean'].includes(typeof other)) continue;
      const [tampering, tamper] = String(other) === String(value) ? ['nothing', TAMPERING.nothing] : pick(Object.entries(TAMPERING));
      const [lying, lie] = pick(Object.entries(LIES));
      const copy = clone(data);
      const claim = lie(copy, at(copy, path.slice(0, -1)), path.at(-1), other);
      const proofs = clone(genuine);
      const proof = proofs.find((one) => JSON.stringify(one.path) === JSON.stringify(path.slice(0, -1)));
      const entry = proof.values.find((one) => one.value === value);
      tamper({ entry, other, proof, proofs, imprint, random });
      const evidence = pick([proofs, { data: proofs }, { $schema: 'x', data: proofs, proofs: genuine }]);
      const told = () => `seed ${seed}: ${lying}; evidence: ${tampering}; ${JSON.stringify(path)} is ${JSON.stringify(value)}, not ${JSON.stringify(other)}`;
      const calculated = await cert.calculate(claim, evidence);
      assert.notEqual(calculated, imprint, told());
      try {
        const report = await cert.verify(claim, evidence, imprint);
        assert.equal(report.valid, false, told());
        const proven = report.entries.find((one) => JSON.stringify(one.path) === JSON.stringify(path) && one.status === 'proven');
        assert.equal(proven, undefined, told());
      } catch (error) {
        // A document that is not JSON is reported as such.
        assert.ok(error instanceof CertError && error.code === 'json-invalid', error);
      }
      for (const kind of [lying, tampering]) counts[kind] = (counts[kind] ?? 0) + 1;
      made += 1;
    }
  }
  for (const kind of [...Object.keys(LIES), ...Object.keys(TAMPERING)]) {
    t.diagnostic(`${String(counts[kind] ?? 0).padStart(6)} refused  ${kind}`);
    assert.ok(counts[kind] > samples(20), kind);
  }
});

test('inherited members are not part of the data, and prototypes stay unchanged', async () => {
  const { schema, data } = PROTOTYPES;
  const cert = new Cert({ schema });
  const imprint = await cert.imprint(data);
  const claim = Object.assign(Object.create({ name: 'Eve' }), { toString: 's' });
  const proofs = await cert.disclose(data, [['toString'], ['__proto__']]);
  assert.equal(await cert.calculate(claim, proofs), imprint);
  const report = await cert.verify(JSON.parse('{"__proto__":"p","toString":"x"}'), proofs, imprint);
  assert.deepEqual(
    report.entries.map(({ status }) => status),
    ['proven', 'not-proven'],
  );
  assert.equal(Object.getPrototypeOf(report.proven), Object.prototype);
  assert.deepEqual(Object.keys(report.proven), ['__proto__']);
  assert.equal({}.p, undefined);
});

for (const { name, options, nonceOf } of OPTIONS) {
  test(`a list of ten items is not read in the order of eleven items: ${name}`, async () => {
    const schema = { type: 'object', properties: { l: { type: 'array', items: { type: 'string' } } } };
    const cert = new Cert({ schema, ...options });
    const data = { l: [...'abcdefghij'] };
    const claim = { l: ['a', 'b', 'd', 'e', 'f', 'g', 'h', 'i', 'j', null, 'c'] };
    const nonce = nonceOf(['l', 10]);
    let imprint;
    try {
      imprint = await cert.imprint(data);
    } catch (error) {
      // An ambiguous list cannot be certified.
      assert.deepEqual([error.code, error.path], ['nonce-ambiguous', ['l', 10]]);
      await assert.rejects(cert.notarize(data), { code: 'nonce-ambiguous' });
      return;
    }
    const proofs = await cert.disclose(data, [['l']]);
    assert.equal(await cert.calculate(data, proofs), imprint);
    // Verifies with and without the noncer.
    const verifiers = [cert, new Cert({ schema, hasher: options.hasher })];
    for (const split of [0, 1, nonce.length >> 2, nonce.length >> 1, nonce.length]) {
      const [leaf, closing] = [nonce.slice(0, split), nonce.slice(split)];
      const forged = clone(proofs);
      forged[1].nodes = [
        { index: 21, hash: leaf },
        { index: 22, hash: closing },
      ];
      for (const verifier of verifiers) {
        assert.equal(await verifier.calculate(claim, forged), null);
        const report = await verifier.verify(claim, forged, imprint);
        assert.deepEqual([report.valid, report.proven], [false, {}]);
        assert.ok(['hash-malformed', 'closing-ambiguous'].includes(report.reasons[0].code), report.reasons[0].code);
      }
    }
    // A part of a long list still verifies if hidden items follow it.
    const long = { l: Array.from({ length: 14 }, (_, at) => `item ${at}`) };
    const [part, some] = [cert.expose(long, [['l', 3]]), await cert.disclose(long, [['l', 3]])];
    for (const verifier of verifiers) {
      assert.equal(await verifier.calculate(part, some), await cert.imprint(long));
    }
  });
}
