// Describes the service's record of an asset: its issuer and its status.
import type { AssetStatus, BadgeAsset, BadgeLedger, Issuer, Validity } from '/client/index.js';
import { visible } from '../../pkg/view/src/json.ts';
import { element } from './page.ts';
import type { Child } from './page.ts';

/** The service's record of an asset. Issuer, ledger and asset are null if the service does not have the ledger. `asked` is the query of the request. */
export interface ServiceRecord {
  asked: Partial<Record<string, string>>;
  status: AssetStatus;
  issuer: Issuer | null;
  ledger: BadgeLedger | null;
  asset: BadgeAsset | null;
}

/** The capability of a ledger whose owner may replace imprints. */
const UPDATE = 2;

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Returns the record from the data of `/badge.json`. `query` is the query of the request. */
export function recordOf({ status, issuer, ledger, asset }: Pick<Validity, 'status' | 'issuer' | 'ledger' | 'asset'>, query: URLSearchParams): ServiceRecord {
  return { asked: Object.fromEntries(query), status, issuer, ledger, asset };
}

/** Returns an answer if the certificate was withdrawn or never issued. Otherwise returns null, even for an expired or replaced certificate. */
export function notInForce({ asked, status, asset }: ServiceRecord): { kind: string; heading: string; sentence: string } | null {
  const id = visible(asked.assetId ?? '');
  switch (status.kind) {
    case 'withdrawn':
      return {
        kind: 'withdrawn',
        heading: asset?.withdrawnAt ? `Withdrawn on ${dateText(asset.withdrawnAt)}.` : 'Withdrawn.',
        sentence: 'This certificate is no longer in force: it was removed from its ledger. What it said no longer counts.',
      };
    case 'neverIssued':
      return {
        kind: 'never-issued',
        heading: 'No such certificate was ever issued on this ledger.',
        sentence: `The ledger has never had an asset ${id}. If you followed a link, it may be incomplete: ask for it again. Do not rely on the certificate.`,
      };
    case 'unknownLedger':
      return {
        kind: 'never-issued',
        heading: 'No such ledger.',
        sentence: 'This service does not have the ledger, so it knows none of its certificates. Check the address.',
      };
    default:
      return null;
  }
}

/** States that the values are unchanged since the ledger recorded them. Names the issuer's account, and states who owns that account. */
export function unchangedSince({ issuer, ledger, asset }: ServiceRecord): string {
  if (issuer === null) {
    return 'Unchanged.';
  }
  const who = `${issuer.account}. ${ownerOf(issuer, 'that')}`;
  // A transfer also sets `updatedAt`.
  const replacedAt = ledger?.capabilities.includes(UPDATE) && asset?.updatedAt !== asset?.createdAt ? asset?.updatedAt : null;
  return replacedAt ? `Unchanged since ${dateText(replacedAt)}, when its record was last changed. Issued by ${who}` : `Unchanged since it was issued by ${who}`;
}

/** States who owns the issuer's account, as far as the service knows. */
function ownerOf({ kind, domain, otherDomain, name }: Issuer, pronoun: string) {
  const named = visible(domain ?? '');
  switch (kind) {
    case 'confirmed':
      return `${named} confirms that the account is its own.`;
    case 'operator':
      return `This service (${named}) confirms that the account belongs to ${visible(name ?? '')}.`;
    case 'disowned':
      return `But ${named} says that the account is not its own${otherDomain ? `, although ${visible(otherDomain)} confirms it` : ''}. Do not rely on this certificate.`;
    case 'wasConfirmed':
      return `${named} confirmed the account earlier, but does not confirm it now.`;
    default:
      return `This check does not show whose account ${pronoun} is.`;
  }
}

/** Returns the title of the facts. */
export const factsTitle = ({ status }: ServiceRecord) => (status.kind === 'neverIssued' ? 'Whose ledger it is' : 'Who issued it');

/** Returns the record as terms and descriptions. */
export function facts({ status, issuer, ledger, asset }: ServiceRecord): HTMLElement[] {
  if (issuer === null || ledger === null || asset === null) {
    return [];
  }
  const fact = (term: string, ...description: Child[]) => element('div', {}, element('dt', {}, term), element('dd', {}, ...description));
  const hint = (text: string) => element('p', { class: 'hint' }, text);
  const name = element('bdi', { class: 'name' }, `“${visible(ledger.name)}”`);
  const symbol = ledger.symbol ? [' (', element('bdi', {}, visible(ledger.symbol)), ')'] : [];
  const issued = status.kind !== 'neverIssued';
  return [
    fact(issued ? 'Issuer' : 'Owner', account(issuer.account), hint(ownerOf(issuer, 'this'))),
    fact('Ledger', 'calls itself ', name, ...symbol, hint(`The ${issued ? 'issuer' : 'owner'} chose this name. It proves nothing: anyone may choose any name.`), account(ledger.id)),
    ...(issued ? [fact('Recorded on', asset.createdAt === null ? 'not known' : date(asset.createdAt))] : []),
    ...(asset.ownerId === null ? [] : [fact('Held by', account(asset.ownerId), ...(asset.ownerId === issuer.account ? [hint('The issuer holds it.')] : []))]),
    fact('Status', ...statusText(status.kind, asset)),
    ...(asset.withdrawnBefore ? [fact('Before', 'withdrawn on ', date(asset.withdrawnBefore), hint('An asset with this number was removed from the ledger and created again later.'))] : []),
  ];
}

function statusText(status: AssetStatus['kind'], { withdrawnAt }: BadgeAsset): Child[] {
  const texts: Partial<Record<AssetStatus['kind'], Child[]>> = { inForce: ['in force'], neverIssued: ['never issued'], withdrawn: ['withdrawn on ', withdrawnAt === null ? '' : date(withdrawnAt)] };
  return texts[status] ?? [String(status)];
}

const account = (id: string) => element('span', { class: 'value' }, id);
const dateText = (text: string) => DATE.format(new Date(text));
const date = (text: string) => element('time', { datetime: text, title: text }, dateText(text));
