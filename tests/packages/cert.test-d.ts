// Uses of the types of @assay/cert. Correct uses must compile, and wrong uses must be errors. An expected error that does not occur is an error
// too.
import {
  Cert,
  CertError,
  identify,
  init,
  type CertErrorCode,
  type CertOptions,
  type Data,
  type Evidence,
  type Freeable,
  type Hasher,
  type Json,
  type KeyedNoncer,
  type Noncer,
  type Position,
  type Proof,
  type ReasonCode,
  type Report,
} from '@assay/cert';
import { baseAsset, convention, conventions, evidence, type Convention } from '@assay/cert/conventions';
import * as aih2 from '@assay/cert/aih2';
import * as verifier from '@assay/cert/verify';
import { CertError as SameError, Validator, init as initValidation, validate, type Violation } from '@assay/validate';

interface Painting {
  name: string;
  owner?: { email: string };
}
class Asset {
  constructor(readonly name: string) {}
  get title() {
    return this.name;
  }
}
declare const painting: Painting;
declare const parsed: { [key: string]: Json };
declare const unknown: unknown;
declare function equal<T>(one: T, other: [T] extends [never] ? never : T): void;

export async function right(): Promise<void> {
  await init();
  await init(new URL('https://example.com/cert_bg.wasm'));
  const literal = { type: 'object', properties: { name: { type: 'string' } } } as const;
  const cert = new Cert({ schema: literal });
  new Cert({ schema: baseAsset.schema, hasher: undefined, noncer: undefined });

  const imprint: string = await cert.imprint(painting);
  for (const data of [painting, parsed, new Asset('Nighthawks'), { name: 'Nighthawks', tags: [1, null], nothing: undefined }]) await cert.imprint(data);
  const proofs: Proof[] = await cert.notarize(painting);
  await cert.disclose(painting, [['name'], ['tags', 0], []]);
  const paths = [['name'], ['tags', 0]] as const;
  const uncovered: (string | number)[][] = cert.uncovered(painting);
  equal<(string | number)[][]>(cert.paths(), uncovered);
  new Cert({ schema: literal, strict: true }).identify({ sorted: false });
  const open: { [key: string]: Json } = cert.expose(painting, paths);

  const calculated: string | null = await cert.calculate(open, proofs);
  await cert.calculate(open, { data: proofs });
  await cert.calculate(open, evidence(proofs));
  await cert.calculate(open, JSON.parse('[]'));
  const report: Report = await cert.verify(open, Object.freeze(proofs), imprint);
  for (const entry of report.entries) {
    // A value that is not proven has a reason.
    const reason: ReasonCode | undefined = entry.reason;
    if (entry.status !== 'proven') equal<ReasonCode>(entry.reason, 'not-covered');
    equal<(string | number)[]>(entry.path, ['a', 0]);
    void reason;
  }
  const value = proofs[0]?.values[0]?.value;
  equal<null | boolean | number | string | undefined>(value, 1);

  const ids: [string, string, string] = [cert.identify(), cert.identify({ sorted: true }), identify(literal)];
  const known: Convention | undefined = convention(ids[0]);
  const file: Evidence = evidence(proofs, { $schema: 'https://example.com/87.json' });
  equal<86 | 87 | 88>(conventions[0]?.number ?? 86, known?.number ?? 87);
  void [calculated, file];
}

export async function validation(): Promise<void> {
  await initValidation();
  const validator = new Validator(baseAsset.schema);
  const found: Violation[] = [...validator.validate(painting), ...validator.validate([1, null]), ...validate(true, 'x'), ...validate({}, parsed)];
  for (const { path, keyword, schemaPath, message } of found) {
    equal<(string | number)[]>(path, ['a', 0]);
    equal<string>(keyword, schemaPath + message);
  }
  equal<typeof CertError>(SameError, CertError);

  // @ts-expect-error a schema is required
  new Validator();
  // @ts-expect-error a schema is an object
  new Validator('{}');
  // @ts-expect-error a promise of data has to be awaited
  validator.validate(Promise.resolve(painting));
  // @ts-expect-error `validate` returns a list, not a promise
  if (validator.validate(painting).valid) return;
}

export function freeing(): void {
  const objects: Freeable[] = [new Cert({ schema: {} }), new aih2.Cert({ schema: {} }), new verifier.Cert({ schema: {} }), new Validator({})];
  for (const object of objects) {
    equal<void>(object.free(), undefined);
    equal<void>(object[Symbol.dispose](), undefined);
  }
  // @ts-expect-error `free` takes no arguments
  objects[0]?.free(true);
}

export function callbacks(secret: Uint8Array): CertOptions[] {
  const sync: Hasher = (value, path, position) => `${value ?? ''} ${path.join('/')} ${position}`;
  const later: Noncer = async (path) => path.join('.');
  const keyed: KeyedNoncer = { secret };
  return [
    { schema: {}, hasher: sync, noncer: later },
    { schema: {}, noncer: keyed },
    { schema: {}, noncer: { secret: 'a secret of the issuer', assetId: '100' } },
    { schema: {}, hasher: () => ({ then: (done) => done?.('x') as never }) },
    { schema: {}, hasher: (_value, _path, position: Position) => ['value', 'leaf', 'node'][position] ?? '' },
  ];
}

export function errors(error: unknown): string {
  if (!(error instanceof CertError)) throw error;
  const [path, cause]: [(string | number)[], unknown] = [error.path, error.cause];
  void [path, cause];
  const code: CertErrorCode = error.code;
  switch (code) {
    case 'json-invalid':
    case 'json-too-deep':
    case 'key-duplicate':
    case 'surrogate-unpaired':
    case 'number-not-finite':
    case 'data-type-mismatch':
    case 'data-uncovered':
    case 'integer-too-large':
    case 'list-too-long':
    case 'too-much-work':
      return `data: ${error.message}`;
    case 'schema-invalid':
    case 'schema-root-not-object':
    case 'schema-properties-missing':
    case 'schema-items-missing':
    case 'schema-too-deep':
    case 'schema-path-ambiguous':
    case 'schema-reference-unresolved':
      return `schema: ${error.message}`;
    case 'paths-invalid':
    case 'secret-too-short':
    case 'nonce-ambiguous':
    case 'hash-length':
    case 'option-invalid':
    case 'not-initialized':
    case 'cert-freed':
      return 'a mistake in this program';
    case 'not-in-schema':
    case 'path-not-separable':
    case 'not-available':
    case 'nothing-open':
      return 'a path that leads elsewhere';
    case 'profile-unknown':
    case 'evidence-malformed':
    case 'schema-mismatch':
    case 'document-missing':
    case 'imprint-invalid':
    case 'imprint-mismatch':
    case 'proof-short':
    case 'proof-long':
    case 'proof-shape':
    case 'list-order':
    case 'list-depth':
    case 'value-mismatch':
    case 'not-covered':
    case 'asset-hidden':
    case 'asset-mismatch':
    case 'nothing-proven':
      return 'evidence that proves nothing';
    case 'hasher-failed':
    case 'noncer-failed':
      return String(cause);
    default:
      return code satisfies never;
  }
}

export async function wrong(cert: Cert, proofs: Proof[], schema: Data): Promise<void> {
  // @ts-expect-error a schema is required
  new Cert({});
  // @ts-expect-error options are required
  new Cert();
  // @ts-expect-error there is no option `hash`
  new Cert({ schema, hash: () => 'x' });
  // @ts-expect-error there is no option `nonce`
  new Cert({ schema, nonce: { secret: 'x' } });
  // @ts-expect-error a keyed noncer has a secret
  new Cert({ schema, noncer: { assetId: '100' } });
  // @ts-expect-error the option's name is `assetId`
  new Cert({ schema, noncer: { secret: 'x', assetID: '100' } });
  // @ts-expect-error an asset's id is a string
  new Cert({ schema, noncer: { secret: 'x', assetId: 100 } });
  // @ts-expect-error a secret is bytes or a string
  new Cert({ schema, noncer: { secret: 1234 } });
  // @ts-expect-error a secret alone is not a noncer
  new Cert({ schema, noncer: 'a secret of the issuer' });
  // @ts-expect-error a schema is an object, not a JSON string
  new Cert({ schema: '{}' });
  // @ts-expect-error a hash is a string
  new Cert({ schema, hasher: () => 17 });
  // @ts-expect-error a promised hash is a string too
  new Cert({ schema, hasher: async () => new Uint8Array(32) });
  // @ts-expect-error a nonce is a string
  new Cert({ schema, noncer: (path) => path.length });
  // @ts-expect-error a noncer receives only a path
  new Cert({ schema, noncer: (path: (string | number)[], position: number) => `${path} ${position}` });
  // @ts-expect-error there is no position 3
  new Cert({ schema, hasher: (_value, _path, position) => (position === 3 ? '' : 'x') });
  // @ts-expect-error a value may be absent
  new Cert({ schema, hasher: (value: string) => value });

  // @ts-expect-error data is an object, not a JSON string
  await cert.imprint('{}');
  // @ts-expect-error data is not a list
  await cert.imprint([1]);
  // @ts-expect-error a promise has to be awaited
  await cert.imprint(Promise.resolve({}));
  // @ts-expect-error a map is not data
  await cert.imprint(new Map());
  // @ts-expect-error bytes are not data
  await cert.notarize(new Uint8Array(2));
  // @ts-expect-error a function is not data
  await cert.disclose(() => ({}), []);
  // @ts-expect-error an unknown value has to be narrowed first
  await cert.imprint(unknown);
  // @ts-expect-error data is required
  await cert.imprint();

  // @ts-expect-error paths are required
  await cert.disclose({});
  // @ts-expect-error a path is a list, not a string
  await cert.disclose({}, ['name']);
  // @ts-expect-error paths are a list, not one path
  cert.expose({}, ['owner', 'email']);
  // @ts-expect-error paths are a list, not a string
  cert.expose({}, 'name');
  // @ts-expect-error keys are strings and numbers
  cert.expose({}, [[true]]);

  // @ts-expect-error the imprint may be null
  const imprint: string = await cert.calculate({}, proofs);
  // @ts-expect-error the promise has to be awaited
  cert.calculate({}, proofs) === imprint;
  // @ts-expect-error proofs have to be awaited
  await cert.calculate({}, cert.notarize({}));
  // @ts-expect-error proofs are a list or evidence
  await cert.calculate({}, { proofs });
  // @ts-expect-error a proof has nodes
  await cert.calculate({}, [{ path: [], values: [] }]);
  // @ts-expect-error an imprint to compare with is required
  await cert.verify({}, proofs);
  // @ts-expect-error the imprint may be null
  await cert.verify({}, proofs, await cert.calculate({}, proofs));
  // @ts-expect-error unknown status
  (await cert.verify({}, proofs, imprint)).entries.filter(({ status }) => status === 'valid');
  // @ts-expect-error proven values have any JSON type
  (await cert.verify({}, proofs, imprint)).proven.name;

  // @ts-expect-error the option's name is `sorted`
  cert.identify({ normalize: true });
  // @ts-expect-error the argument is an object
  cert.identify(false);
  // @ts-expect-error `strict` is a boolean
  new Cert({ schema: {}, strict: 'yes' });
  // @ts-expect-error `uncovered` does not return a promise
  cert.uncovered({}).then();
  // @ts-expect-error unknown code
  if (new Error() instanceof CertError && ({} as CertError).code === 'invalid') return;
  // @ts-expect-error only the package creates errors
  new CertError('json-invalid', 'x');
  // @ts-expect-error proofs are a list
  evidence({ data: proofs });
  // @ts-expect-error proofs have to be awaited
  evidence(cert.notarize({}));
  // @ts-expect-error a convention's schema is read-only
  baseAsset.schema.title = 'Mine';
}

export async function rightAih2(): Promise<void> {
  await aih2.init();
  await verifier.init();
  const key: Uint8Array = aih2.generateKey();
  const options: aih2.CertOptions = { schema: { type: 'object', properties: {} }, profile: 'AIH-2', key };
  const issuer = new aih2.Cert(options);
  equal<(string | number)[][]>(issuer.paths(), issuer.uncovered(painting));
  equal<(string | number)[][]>(issuer.paths(), aih2.shownWhole({ properties: {} }));
  new aih2.Cert({ schema: {}, secret: key, assetId: '1' });
  const id: string = issuer.identify();
  const imprint: string = await issuer.imprint(painting);
  const own: aih2.Evidence = await issuer.notarize(painting);
  const shown: verifier.Evidence = await issuer.disclose(painting, [['name'], ['list', '-'], ['list', 0]], { detached: true });
  const holder = new aih2.Cert({ schema: parsed });
  const less: aih2.Evidence = await holder.reduce(shown, [['name']]);
  const detached = await holder.reduce(painting, own, [['name']], { detached: true });
  const exposed: { [key: string]: Json } = holder.expose(painting, [['name']]);
  for (const one of [holder, new verifier.Cert({ schema: parsed })]) {
    const calculated: string | null = (await one.calculate(less)) ?? (await one.calculate(exposed, detached));
    const report: aih2.Report = await one.verify(exposed, detached, imprint);
    const { valid, errors, entries, absent, objects, lists, omitted, document } = await one.verify(shown, imprint);
    equal<{ [key: string]: Json } | null>(document, null);
    const value: Json | undefined = entries[0]?.value;
    const code: aih2.ErrorCode | undefined = errors[0]?.code;
    const known: CertErrorCode | undefined = code;
    const atMost: number | undefined = lists[0]?.atMost;
    const length: number | null | undefined = lists[0]?.length;
    const complete: boolean | undefined = objects[0]?.complete;
    void [calculated, report, valid, value, known, atMost, length, complete, absent[0]?.[0], omitted?.entries];
  }
  void [id, less.values?.[0]?.[0], aih2.CertError === CertError];
}

export async function wrongAih2(evidence: aih2.Evidence, key: Uint8Array): Promise<void> {
  const cert = new aih2.Cert({ schema: {}, key });
  // @ts-expect-error a key is bytes, not a string
  new aih2.Cert({ schema: {}, key: 'secret' });
  // @ts-expect-error only AIH-1 has hashers
  new aih2.Cert({ schema: {}, key, hasher: () => '' });
  // @ts-expect-error this entry has only one profile, so there is no such option
  new aih2.Cert({ schema: {}, key, profile: 'AIH-1' });
  // @ts-expect-error the default entry has only AIH-1
  new Cert({ schema: {}, profile: 'AIH-2' });
  // @ts-expect-error an imprint is required
  await cert.verify(evidence);
  // @ts-expect-error the option's name is `detached`
  await cert.disclose({}, [['a']], { detach: true });
  // @ts-expect-error lists of proofs belong to AIH-1
  await cert.verify({}, [], '');
  // @ts-expect-error a report has no proven part: values are taken from its entries
  (await cert.verify(evidence, '')).proven;
  // @ts-expect-error the verifying entry has no `reduce`
  await new verifier.Cert({ schema: {} }).reduce(evidence, [['a']]);
}
