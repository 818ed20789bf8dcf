// The published asset conventions, and the function that makes evidence as convention 87 describes it. This entry needs no WebAssembly.
import published from '../dist/conventions.js';

export { evidence } from './evidence.js';

const frozen = (text) => JSON.parse(text, (_, value) => Object.freeze(value));

export const conventions = Object.freeze(published.map(([number, id, sortedId, text]) => Object.freeze({ number, id, sortedId, schema: frozen(text) })));

// The newest version of each convention comes last.
const newest = (number) => conventions.findLast((convention) => convention.number === number);

export const baseAsset = newest(86);
export const assetEvidence = newest(87);
export const digitalCollectible = newest(88);

export function convention(id) {
  const wanted = String(id).toLowerCase();
  return conventions.find(({ id, sortedId }) => wanted === id || wanted === sortedId);
}
