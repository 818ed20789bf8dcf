// Finds the certified values that differ from the document's values, if the evidence has them. Does not use the DOM.
import { own, setOwn } from './json.js';

/** The maximum number of values that are looked up. */
const MAX_SOUGHT = 500;

/**
 * Looks up the certified values in sound evidence. Returns a function that maps a path to `{ certified }`, or to `{}` if the evidence does not
 * have the value. A value is accepted only if the library proves it when it replaces the document's own value.
 */
export async function certifiedValues({ cert, schema, metadata, evidence, report }) {
  const changed = report.imprint === null ? [] : report.entries.filter(({ reason }) => reason === 'value-mismatch').slice(0, MAX_SOUGHT);
  const found = new Map();
  if (changed.length > 0) {
    const proofs = proofsByPath(evidence);
    const groups = new Map();
    const candidates = changed.flatMap(({ path }) => {
      const above = path.slice(0, -1);
      const key = keyOf(above);
      const group = groups.get(key) ?? groupAt(schema, proofs.get(key), above);
      groups.set(key, group);
      const entry = group.values.get(group.positionOf(path.at(-1)));
      return entry === undefined ? [] : [{ path, value: own(entry, 'value') ?? null }];
    });
    const probe = {};
    for (const { path, value } of candidates) {
      place(probe, metadata, path, value);
    }
    const { entries } = await cert.verify(probe, evidence, report.imprint);
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

const keyOf = (path) => JSON.stringify(path.map(String));

function proofsByPath(evidence) {
  const proofs = Array.isArray(evidence) ? evidence : own(evidence, 'data');
  return new Map((Array.isArray(proofs) ? proofs : []).map((proof) => [keyOf(own(proof, 'path') ?? []), proof]));
}

/** Returns the values of a group's proof by their position, and a function that returns the position of a property or item. */
function groupAt(schema, proof, path) {
  const values = own(proof, 'values');
  const byPosition = Map.groupBy(Array.isArray(values) ? values : [], (value) => own(value, 'index'));
  const positions = positionsOf(schemaAt(schema, path));
  return {
    values: new Map([...byPosition].map(([position, [first]]) => [position, first])),
    positionOf: (step) => (typeof step === 'number' ? step : positions.get(step) ?? -1),
  };
}

/** Returns the schema at a path. */
export function schemaAt(schema, path) {
  return path.reduce((at, step) => (typeof step === 'number' ? own(at, 'items') : own(own(at, 'properties'), step)), schema);
}

/** Returns the positions of an object's properties. They are sorted by code units, without objects that certify nothing. Up to ten items of a list keep their order. */
function positionsOf(schema) {
  const properties = own(schema, 'properties') ?? {};
  const keys = Object.keys(properties).sort().filter((key) => certifies(properties[key]));
  return new Map(keys.map((key, position) => [key, position]));
}

function certifies(schema) {
  return own(schema, 'type') !== 'object' || Object.values(own(schema, 'properties') ?? {}).some(certifies);
}

/** Sets a value in `probe`, and creates the objects and lists on its path as in the document. */
function place(probe, document, path, value) {
  let [at, like] = [probe, document];
  for (const step of path.slice(0, -1)) {
    like = own(like, step);
    if (own(at, step) === undefined || own(at, step) === null) {
      setOwn(at, step, Array.isArray(like) ? Array.from(like, () => null) : {});
    }
    at = at[step];
  }
  setOwn(at, path.at(-1), value);
}
