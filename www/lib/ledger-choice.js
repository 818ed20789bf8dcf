// The choice of a ledger on the pages that issue: one of the account's ledgers, or a new one. These pages have the elements whose ids are used here.
import { fromUnits } from '/client/index.js';
import { folderOf, isHosted, placeOf } from './issuing.js';
import { Refusal, shorten, visible } from './json.js';
import { byId, element } from './page.js';
import { serviceOf } from './signer.js';
import { say } from './texts.js';

/** The value of the choice of a new ledger. */
const NEW = '';
/** The maximum length of a shown name, in characters. */
const MAX_NAME = 120;

/**
 * Offers the account's ledgers and a new one. Ledgers that others deployed for the account come last, so only the user can choose such a ledger.
 * If `isHosting` is true, the service hosts the files of a new ledger, so the form has no field for a folder.
 */
export function offerLedgers(ledgers, isHosting) {
  const optionsOf = (wanted) => ledgers.filter(({ isForeign = false }) => isForeign === wanted).map((ledger) => element('option', { value: ledger.id }, titleOf(ledger)));
  byId('ledger-choice').replaceChildren(...optionsOf(false), element('option', { value: NEW }, say('issue.ledgerNew')), ...optionsOf(true));
  byId('folder-field').hidden = isHosting;
  byId('old-ledger').hidden = ledgers.length === 0;
  byId('ledger').hidden = false;
}

/**
 * Returns a ledger's name, and in brackets the host of its files unless it is this service. A stranger may have chosen the name of a ledger that
 * another account deployed, so the name is shortened and a remark follows.
 */
export function titleOf(ledger) {
  const host = isHosted(ledger) || !URL.canParse(ledger.uriPrefix) ? '' : ` (${new URL(ledger.uriPrefix).host})`;
  const name = `${visible(shorten(ledger.name, MAX_NAME))}${host}`;
  return ledger.isForeign ? say('issue.ledgerForeign', { name }) : name;
}

/** Shows the total cost of a number of certificates, and of the ledger if it is new. Returns this amount. `costs` are the costs from a session. */
export function showCosts(costs, certificates) {
  const isNew = byId('ledger-choice').value === NEW;
  byId('new-ledger').hidden = !isNew;
  const cost = costs === null ? 0n : BigInt(costs.assetCreateCost) * BigInt(certificates) + (isNew ? BigInt(costs.assetDeployCost) : 0n);
  byId('costs').textContent = cost === 0n ? '' : say('issue.costs', { cost: fromUnits(cost), balance: fromUnits(BigInt(costs.balance)) });
  return cost;
}

/** Returns the chosen ledger, or `undefined` for a new one. */
export const chosenLedger = (ledgers) => ledgers.find(({ id }) => id === byId('ledger-choice').value);

/** Returns the name of the new ledger and the place of its files, as arguments of `deploy`. Refuses an empty name, and a folder that is not an address. */
export async function newLedger(account) {
  const name = byId('ledger-name').value.trim();
  if (name === '') {
    byId('ledger-name').focus();
    throw Refusal.of('issue.ledgerNameMissing');
  }
  const { files } = await serviceOf();
  return { name, ...(files ? placeOf(account) : { uriPrefix: folderOf(byId('folder').value), uriPostfix: '.json' }) };
}
