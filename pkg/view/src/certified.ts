// Finds the certified values that differ from the document's values, if the evidence has them. Does not use the DOM.
import type { Cert, Report } from '/cert/src/init.js';
import { isObject, own, setOwn } from './json.ts';
import type { Path } from './json.ts';
import { proofsOf } from './untrusted.ts';

/** The maximum number of values that are looked up. */
const MAX_SOUGHT = 500;

interface Sought {
  cert: Pick<Cert, 'verify'>;
  schema: unknown;
  metadata: unknown;
  evidence: unknown;
  report: Pick<Report, 'imprint' | 'entries'>;
}

/** The values of a proof by their positions, and the position of a key or an index. */
interface Group {
  values: Map<unknown, unknown>;
  positionOf(step: string | number): number;
}

/**
 * Looks up the certified values in sound evidence. Returns a function that maps a path to `{ certified }`, or to `{}` if the evidence does not
 * have the value. A value is accepted only if the library proves it when it replaces the document's own value.
 */
export async function certifiedValues({ cert, schema, metadata, evidence, report }: Sought): Promise<(path: Path) => { certified?: unknown }> {
  const { imprint } = report;
  const changed = report.entries.filter(({ reason }) => reason === 'value-mismatch').slice(0, MAX_SOUGHT);
  const found = new Map<string, { certified: unknown }>();
  if (imprint !== null && changed.length > 0) {
    const proofs = proofsByPath(evidence);
    const groups = new Map<string, Group>();
    const candidates = changed.flatMap(({ path }) => {
      const above = path.slice(0, -1);
      const key = keyOf(above);
      const group = groups.get(key) ?? groupAt(schema, proofs.get(key), above);
      groups.set(key, group);
      const step = path.at(-1);
      const entry = step === undefined ? undefined : group.values.get(group.positionOf(step));
      return entry === undefined ? [] : [{ path, value: own(entry, 'value') ?? null }];
    });
    const probe = {};
    for (const { path, value } of candidates) {
      place(probe, metadata, path, value);
    }
    const { entries } = await cert.verify(probe, proofsOf(evidence), imprint);
    const proven = new Set(entries.filter(({ status }) => status === 'proven').map(({ path }) => JSON.stringify(path)));
    for (const { path, value } of candidates) {
      const key = JSON.stringify(path);
      if (proven.has(key)) {
        found.set(key, { certified: value });
      }
    }
  }
  return (path) => found.get(JSON.stringify(path)) ?? {};
}

const keyOf = (path: readonly unknown[]) => JSON.stringify(path.map(String));

function proofsByPath(evidence: unknown) {
  const proofs: unknown[] = Array.isArray(evidence) ? evidence : listOf(evidence, 'data');
  return new Map(proofs.map((proof) => [keyOf(listOf(proof, 'path')), proof]));
}

/** Returns the values of a group's proof by their position, and a function that returns the position of a property or item. */
function groupAt(schema: unknown, proof: unknown, path: Path): Group {
  const byPosition = Map.groupBy(listOf(proof, 'values'), (value) => own(value, 'index'));
  const positions = positionsOf(schemaAt(schema, path));
  return {
    values: new Map([...byPosition].map(([position, [first]]) => [position, first])),
    positionOf: (step) => (typeof step === 'number' ? step : (positions.get(step) ?? -1)),
  };
}

/** Returns a list of an object, or an empty one. */
function listOf(value: unknown, key: string): unknown[] {
  const list = own(value, key);
  return Array.isArray(list) ? list : [];
}

/** Returns the schema at a path. */
export function schemaAt(schema: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, step) => (typeof step === 'number' ? own(at, 'items') : own(own(at, 'properties'), step)), schema);
}

/** Returns the positions of an object's properties. They are sorted by code units, without objects that certify nothing. Up to ten items of a list keep their order. */
function positionsOf(schema: unknown) {
  const properties = propertiesOf(schema);
  const keys = Object.keys(properties)
    .sort()
    .filter((key) => certifies(properties[key]));
  return new Map(keys.map((key, position) => [key, position]));
}

function propertiesOf(schema: unknown) {
  const properties = own(schema, 'properties');
  return isObject(properties) ? properties : {};
}

function certifies(schema: unknown): boolean {
  return own(schema, 'type') !== 'object' || Object.values(propertiesOf(schema)).some(certifies);
}

/** Sets a value in `probe`, and creates the objects and lists on its path as in the document. */
function place(probe: object, document: unknown, path: Path, value: unknown) {
  let [at, like]: [object, unknown] = [probe, document];
  for (const step of path.slice(0, -1)) {
    like = own(like, step);
    const inside = own(at, step) ?? (Array.isArray(like) ? Array.from(like, () => null) : {});
    setOwn(at, step, inside);
    at = Object(inside);
  }
  const step = path.at(-1);
  if (step !== undefined) {
    setOwn(at, step, value);
  }
}
