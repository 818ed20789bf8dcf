// Side effects of replacing a certificate: reads its private file, certifies the new content, and sends the order.
import { Ability } from '/client/index.js';
import { enter } from '/lib/book.ts';
import { type CertifiedRow, filesOf, resultOf, zipOf } from '/lib/bulk.ts';
import { update } from '/lib/changes.ts';
import { doubtsConfirmation } from '/lib/doubts.ts';
import { readFile } from '/lib/file.ts';
import { isAssetKey, isPointer } from '/view/issue.ts';
import { certificateAddress, isHosted, publicFiles, publish } from '/lib/issuing.ts';
import { Refusal, isObject, own } from '/view/json.ts';
import { withMarket } from '/view/market.ts';
import { plainFields } from '/view/model.ts';
import { download } from '/lib/page.ts';
import { givenBy } from '/lib/people.ts';
import { doubtsOf } from '/lib/tables.ts';
import { readCertificate } from '/lib/certificate-file.ts';
import { listText, say } from '/lib/texts.ts';
import { readable } from '/lib/titles.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import type { JsonObject } from '/view/json.ts';
import type { FormContent } from '/lib/form.ts';
import { busy } from '/components/answer.ts';
import { refuseLost } from '/components/ledger-lost.ts';
import { type Dispatch, refreshRecord, refusal, shortId } from './certificates.ts';
import { ask } from './certifying.ts';
import type { Replacement, State } from './state.ts';

const confirmDoubts = doubtsConfirmation({ say, listText });

/** Reads the private file of the certificate, and shows its content in a form. */
export async function openContent({ item }: Replacement, file: File, dispatch: Dispatch): Promise<void> {
  dispatch({ type: 'answered', answer: null });
  const { asset, record } = item;
  try {
    const { ledger, asset: id, schema, document, imprint } = readFile(await readCertificate(file));
    if (ledger.toLowerCase() !== asset.ledgerId.toLowerCase() || id !== asset.id || document === null) {
      throw Refusal.of('issued.replaceOther');
    }
    const isOwn = (key: unknown) => !isAssetKey(key) && !isPointer(key);
    const found = await readable(schema);
    const titled = isObject(found) ? found : schema;
    const properties = Object.fromEntries(Object.entries(Object(own(titled, 'properties'))).filter(([key]) => isOwn(key)));
    // The form ticks lists as a whole, so every prefix of a public path is passed as a shown path.
    const open = record?.metadata == null ? [] : plainFields(schema, record.metadata, 'proven').filter(({ path }) => isOwn(path[0]));
    const shown = open.flatMap(({ path }) => path.map((_, index) => path.slice(0, index + 1)));
    dispatch({ type: 'contentRead', item, schemas: { own: schema, titled }, form: { schema: { ...titled, properties }, document, shown } });
    if (imprint !== asset.imprint.toLowerCase().replace(/^0x/, '')) {
      // Another correction on this content would undo the last one.
      dispatch({ type: 'answered', answer: { kind: 'unchecked', text: say('issued.replaceOld') } });
    }
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  }
}

/** Replaces the certificate's content, and publishes its files if this service hosts them. */
export async function replace({ session, replacement }: State, dispatch: Dispatch): Promise<void> {
  if (session === null || replacement?.content == null || replacement.schemas === null) {
    return;
  }
  const { item, ledger, schemas, content, ordered } = replacement;
  const { asset } = item;
  const { document, paths, problems } = content;
  dispatch({ type: 'answered', answer: null });
  dispatch({ type: 'checked', incomplete: [...problems] });
  dispatch({ type: 'busy', isBusy: true });
  try {
    if (problems.length > 0) {
      throw Refusal.of('issue.incomplete', { count: problems.length });
    }
    if (paths.length === 0) {
      throw Refusal.of('issue.nothingPublic');
    }
    const text = JSON.stringify([asset.id, document, paths]);
    let made = ordered?.certified;
    if (made === undefined || ordered?.content !== text) {
      await refuseLost(session.client, ledger, Ability.ALLOW_UPDATE_ASSET);
      confirmDoubts(schemas.titled, await doubtsOf(schemas.titled, document), text);
      made = await order(replacement, schemas.own, session, content, dispatch);
      dispatch({ type: 'ordered', item, content: text, certified: made });
    }
    // The files are published only after the order. If the wallet or the ledger refuses the order, the published files must still belong to the imprint in force.
    // If publishing fails, the next attempt with the same content only publishes.
    if (isHosted(ledger)) {
      dispatch({ type: 'answered', answer: busy(say('issued.replacingNow')) });
      await publish(session.client, made, ledger, asset.id);
    }
    await refreshRecord({ ledgerId: ledger.id, id: asset.id });
    dispatch({ type: 'replaced', answer: { kind: 'valid', text: say(isHosted(ledger) ? 'issued.replaced' : 'issued.replacedElsewhere') } });
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(error) });
  } finally {
    dispatch({ type: 'busy', isBusy: false });
  }
}

/** Certifies the new content, saves its files, and waits until the ledger has the new imprint. Returns the certified document. */
async function order({ item: { asset }, ledger }: Replacement, schema: JsonObject, session: SignedIn, content: FormContent, dispatch: Dispatch): Promise<CertifiedRow> {
  const { document, paths } = withMarket({ schema, ...content }, certificateAddress({ ledgerId: ledger.id, assetId: asset.id }));
  const [wrong] = await ask('check', { schema, paths, rows: [{ row: 1, document }] });
  if (wrong !== undefined) {
    throw new Refusal(wrong.message);
  }
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const certified = await ask('certify', { schema, secret, paths, document, ledgerId: ledger.id, assetId: asset.id });
  const files = isHosted(ledger) ? [] : publicFiles(certified, ledger, asset.id);
  const made = resultOf({ ledger, schema }, '', { assetId: asset.id, certified, files });
  // The files are saved before the order is sent, because they cannot be made again without the secret.
  download(`${shortId(asset.id)}.zip`, await zipOf(await filesOf(ledger, [made])), 'application/zip');
  dispatch({ type: 'answered', answer: busy(say(session.isWallet ? 'signIn.inWallet' : 'issued.replacingNow')) });
  await update(session.client, { ledgerId: ledger.id, assetId: asset.id, imprint: certified.imprint });
  await enter(() => [givenBy(made.holder)]);
  return certified;
}
