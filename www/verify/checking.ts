// Side effects of the expert part: loading a certificate from its ledger, and checking documents.
import type { Validity } from '/client/index.js';
import { ask } from '/lib/beside.ts';
import { Refusal, isObject, own, sentenceOf, visible } from '/view/json.ts';
import { assetOf } from '/lib/link.ts';
import { put, textOf } from '/lib/page.ts';
import { notInForce, recordOf, unchangedSince } from '/lib/record.ts';
import { type Answer, busy } from '/components/answer.ts';
import type { Dispatch } from './opening.ts';
import { type Expert, type Texts, knownOf } from './state.ts';

const HEADINGS: Readonly<Record<string, string>> = {
  unchanged: 'Unchanged.',
  changed: 'Not what was certified.',
  uncovered: 'Not certified in full.',
  untrusted: 'Nothing to compare with.',
  unchecked: 'Could not be checked.',
};

const FILES_ALONE = 'Files alone do not show who issued it, or whether it is still in force. To see both, load it from its ledger.';

/** The fields of the documents, and what they are. The fields keep their texts, because a text may be too long for a field. */
export const NAMES = ['metadata', 'evidence', 'schema'] as const;
export type Areas = Readonly<Record<keyof Texts, HTMLTextAreaElement>>;

const refusal = (error: unknown): Answer => ({ kind: 'unchecked', heading: HEADINGS.unchecked, text: sentenceOf(error) });

/** Splits a pasted link into ledger and asset. */
export function enterLedger(text: string, assetId: string, dispatch: Dispatch): void {
  const asset = assetOf(text);
  const isForeign = asset !== null && asset.host !== null && asset.host !== location.host;
  const note = isForeign ? `The link leads to ${visible(asset.host ?? '')}. The answer below is what this service says, ${location.host}.` : '';
  dispatch({ type: 'assetEntered', ledgerId: asset?.ledgerId ?? text, assetId: asset?.assetId ?? assetId, note });
}

/** Loads the certificate that the fields name from its ledger. */
export async function load({ ledgerId, assetId }: Expert, dispatch: Dispatch): Promise<void> {
  const turn = {};
  const query = new URLSearchParams({ ledgerId: ledgerId.trim(), assetId: assetId.trim() });
  dispatch({ type: 'asked', turn, answer: busy('Asking the ledger.') });
  try {
    const data = await fetchAsset(query);
    const textOf = (name: keyof Texts) => (data[name] == null ? '' : JSON.stringify(data[name], null, 2));
    const texts = { metadata: textOf('metadata'), evidence: textOf('evidence'), schema: textOf('schema') };
    const record = recordOf(data, query);
    const absent = notInForce(record);
    const problem = Object.values(texts).includes('') ? data.errors[0]?.message : undefined;
    dispatch({
      type: 'loaded',
      turn,
      known: { imprint: data.asset?.imprint ?? '', name: 'ledger', record, texts },
      record: absent !== null && record.ledger === null ? null : record,
      answer: absent !== null ? { kind: absent.kind, heading: absent.heading, text: absent.sentence, isResult: true } : problemOf(problem),
    });
  } catch (error) {
    dispatch({ type: 'failed', turn, answer: refusal(error) });
  }
}

/** Returns the refusal about documents that the service could not read. */
const problemOf = (message: string | undefined): Answer | null => (message ? refusal(new Refusal(`${visible(message.charAt(0).toUpperCase() + message.slice(1))}.`)) : null);

async function fetchAsset(query: URLSearchParams): Promise<Validity> {
  let envelope: { data?: Validity | null; errors?: readonly { message: unknown }[] };
  try {
    const response = await fetch(`/badge.json?${query}`);
    envelope = await response.json();
  } catch {
    throw new Refusal('The service did not answer. Try again, or paste the documents below.');
  }
  if (!envelope.data) {
    const reasons = (envelope.errors ?? []).map(({ message }) => visible(String(message)));
    throw new Refusal(`The service answered: ${reasons.join('; ') || 'nothing of use'}.`);
  }
  return envelope.data;
}

/** Checks the documents of the fields under the imprint. */
export async function verify(expert: Expert, areas: Areas, dispatch: Dispatch): Promise<void> {
  const turn = {};
  const known = knownOf(expert);
  const record = known?.record ?? null;
  const origin = known?.name ?? 'typed';
  dispatch({ type: 'checking', turn, answer: busy('Checking every value.') });
  if (record === null && location.search !== '') {
    // The documents are now different from the ones that the page's URL names.
    history.replaceState(null, '', location.pathname);
  }
  try {
    const result = await ask('verify', { metadata: textOf(areas.metadata), evidence: textOf(areas.evidence), schema: textOf(areas.schema), imprint: expert.imprint, origin, record });
    const { answer: kind, sentence } = result;
    const isUnchanged = kind === 'unchanged';
    const heading = isUnchanged && record !== null ? unchangedSince(record) : (result.heading ?? HEADINGS[kind]);
    dispatch({ type: 'checked', turn, result, answer: { kind, heading, text: isUnchanged && origin === 'typed' ? `${sentence} ${FILES_ALONE}` : sentence, isResult: true } });
  } catch (error) {
    dispatch({ type: 'failed', turn, answer: refusal(error) });
  }
}

/** Returns the name of the field for a file that was dropped outside the fields. */
export function placeOf(text: string): keyof Texts {
  try {
    const value: unknown = JSON.parse(text);
    const proofs = Array.isArray(value) ? value : own(value, 'data');
    if (typeof own(value, 'profile') === 'string' && typeof own(value, 'proof') === 'string') {
      return 'evidence';
    }
    if (Array.isArray(proofs) && proofs.every((proof) => Array.isArray(own(proof, 'nodes')))) {
      return 'evidence';
    }
    return isObject(own(value, 'properties')) ? 'schema' : 'metadata';
  } catch {
    return 'metadata';
  }
}

/**
 * Removes the public metadata if the evidence includes its own values, as a holder's evidence does, and the imprint comes from the ledger.
 * Restores the metadata if the field is empty, and the evidence is the public one or includes no values.
 */
export function makeWay(expert: Expert, { metadata, evidence }: Areas, dispatch: Dispatch): void {
  const known = knownOf(expert);
  if (known?.name !== 'ledger') {
    return;
  }
  const { texts } = known;
  const isOwn = textOf(evidence) !== texts.evidence && bringsValues(textOf(evidence));
  if (isOwn && textOf(metadata) === texts.metadata) {
    put(metadata, '', '');
  } else if (!isOwn && textOf(metadata) === '') {
    put(metadata, texts.metadata, 'From the ledger');
  }
  dispatch({ type: 'leftOut', isLeftOut: textOf(metadata) === '' });
}

function bringsValues(text: string): boolean {
  try {
    return Array.isArray(own(JSON.parse(text), 'values'));
  } catch {
    return false;
  }
}
