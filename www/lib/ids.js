// Compares a document's own ids with the asset that it is shown for. The library has the same comparison, and tests run both with the same vectors.

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ID = /^(?:[0-9]+|0x[0-9a-fA-F]+)$/;

/**
 * Returns which of a document's proven members `ledgerId` and `assetId` name another asset than `record`: `{ ledgerId, assetId }`, each true if it differs.
 * A member that is absent or hidden is undefined. The two are compared only if `ledgerId` is an address, in any case of its letters. Otherwise the
 * names may mean something else.
 */
export function differingIds({ ledgerId, assetId }, record) {
  if (typeof ledgerId !== 'string' || !ADDRESS.test(ledgerId)) {
    return { ledgerId: false, assetId: false };
  }
  const isId = typeof assetId === 'string' || typeof assetId === 'number';
  return { ledgerId: ledgerId.toLowerCase() !== record.ledgerId.toLowerCase(), assetId: isId && !isSameId(String(assetId), record.assetId) };
}

function isSameId(one, other) {
  return ID.test(one) && BigInt(one) === BigInt(other);
}
