// The choice of a ledger on the pages that issue: one of the account's, or a new one. These pages have the elements whose ids are used here.
import { fromUnits } from '/client/index.js';
import { folderOf, isHosted, placeOf } from './issuing.js';
import { Refusal } from './json.js';
import { byId, element } from './page.js';
import { serviceOf } from './signer.js';
import { say } from './texts.js';

/** The value of the choice of a new ledger. */
const NEW = '';

/** Offers the account's ledgers and a new one. With `isHosting`, the service hosts the files of a new ledger, so the form has no field for a folder. */
export function offerLedgers(ledgers, isHosting) {
  const options = ledgers.map((ledger) => element('option', { value: ledger.id }, titleOf(ledger)));
  byId('ledger-choice').replaceChildren(...options, element('option', { value: NEW }, say('issue.ledgerNew')));
  byId('folder-field').hidden = isHosting;
  byId('old-ledger').hidden = ledgers.length === 0;
  byId('ledger').hidden = false;
}

/** Returns a ledger's name. If its host is not this service, the host follows in brackets, because a stranger may have chosen the name. */
const titleOf = (ledger) => (isHosted(ledger) || !URL.canParse(ledger.uriPrefix) ? ledger.name : `${ledger.name} (${new URL(ledger.uriPrefix).host})`);

/** Shows the costs of a number of certificates, and of the ledger if it is new. Returns the amount. `costs` are the costs from a session. */
export function showCosts(costs, certificates) {
  const isNew = byId('ledger-choice').value === NEW;
  byId('new-ledger').hidden = !isNew;
  const cost = costs === null ? 0n : BigInt(costs.assetCreateCost) * BigInt(certificates) + (isNew ? BigInt(costs.assetDeployCost) : 0n);
  byId('costs').textContent = cost === 0n ? '' : say('issue.costs', { cost: fromUnits(cost), balance: fromUnits(BigInt(costs.balance)) });
  return cost;
}

/** Returns the chosen ledger. `undefined` for a new one. */
export const chosenLedger = (ledgers) => ledgers.find(({ id }) => id === byId('ledger-choice').value);

/** Returns the name and the place of the new ledger, the arguments of `deploy`. Refuses an empty name, and a folder that is not an address. */
export async function newLedger(account) {
  const name = byId('ledger-name').value.trim();
  if (name === '') {
    byId('ledger-name').focus();
    throw Refusal.of('issue.ledgerNameMissing');
  }
  const { files } = await serviceOf();
  return { name, ...(files ? placeOf(account) : { uriPrefix: folderOf(byId('folder').value), uriPostfix: '.json' }) };
}
