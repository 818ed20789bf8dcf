// Only own properties count as options, and detached buffers have no bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as aih1 from '@assay/cert';
import * as aih2 from '@assay/cert/aih2';
import { evidence } from '@assay/cert/conventions';

const schema = { type: 'object', properties: { name: {} } };
const data = { name: 'Ada' };
const key = new Uint8Array(32).fill(7);

/** Runs `act` while every object inherits a property. */
async function inheriting(name, value, act) {
  Object.prototype[name] = value;
  try {
    return await act();
  } finally {
    delete Object.prototype[name];
  }
}

test('inherited options are ignored', async () => {
  const first = () => new aih1.Cert({ schema }).imprint(data);
  const second = () => new aih2.Cert({ schema, key }).disclose(data, [['name']], {});
  const plain = [await first(), await second(), new aih1.Cert({ schema }).identify({}), evidence([], {})];
  for (const [name, value] of [
    ['noncer', () => 'x'],
    ['noncer', { secret: 'sixteen bytes at least' }],
    ['hasher', () => 'x'],
    ['strict', true],
    ['profile', 'AIH-9'],
    ['secret', new Uint8Array(32)],
    ['assetId', '1'],
    ['detached', true],
    ['sorted', 1],
    ['$schema', 'https://other.example'],
  ]) {
    const found = await inheriting(name, value, async () => [await first(), await second(), new aih1.Cert({ schema }).identify({}), evidence([], {})]);
    assert.deepEqual(found, plain, name);
  }
  await inheriting('assetId', '1', async () => {
    const keyed = new aih1.Cert({ schema, noncer: { secret: 'sixteen bytes at least' } });
    delete Object.prototype.assetId;
    assert.equal(await keyed.imprint(data), await new aih1.Cert({ schema, noncer: { secret: 'sixteen bytes at least' } }).imprint(data));
  });
  await inheriting('schema', schema, () => {
    assert.throws(() => new aih1.Cert({}), { code: 'option-invalid', message: /`schema`/ });
    assert.throws(() => new aih1.Cert(Object.create({ schema })), { code: 'option-invalid', message: /`schema`/ });
  });
  // Any own property counts, even if it is not enumerable.
  const own = Object.defineProperty({ schema }, 'strict', { value: true, enumerable: false });
  await assert.rejects(new aih1.Cert(own).imprint({ other: 1 }), { code: 'data-uncovered' });
});

test('bytes whose buffer was transferred are refused as key and secret', () => {
  for (const view of [(buffer) => buffer, (buffer) => new Uint8Array(buffer), (buffer) => new DataView(buffer), (buffer) => Buffer.from(buffer)]) {
    const gone = () => {
      const bytes = view(new ArrayBuffer(32));
      structuredClone(bytes.buffer ?? bytes, { transfer: [bytes.buffer ?? bytes] });
      return bytes;
    };
    const refused = (name) => ({ name: 'CertError', code: 'option-invalid', message: new RegExp(`\`${name}\``) });
    assert.throws(() => new aih2.Cert({ schema, key: gone() }), refused('key'));
    assert.throws(() => new aih2.Cert({ schema, secret: gone() }), refused('secret'));
    assert.throws(() => new aih1.Cert({ schema, noncer: { secret: gone() } }), refused('secret'));
  }
});
