// Side effects of confirming the account by a domain.
import { Refusal } from '/view/json.ts';
import { issuerFile, publishedIn } from '/lib/issuer-file.ts';
import { keepOrganisation, readOrganisation } from '/lib/organisation.ts';
import { sentence } from '/lib/sentence.ts';
import { explained } from '/lib/signer.ts';
import { part } from '/lib/part.ts';
import { say, sayIn } from '/lib/texts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { type Answer, refusal } from './answer.ts';
import type { Domain, DomainAction } from './domain-state.ts';

export type DomainDispatch = (action: DomainAction | { readonly type: 'answered'; readonly answer: Answer | null }) => void;

/** Finds the domain of the signed-in account. */
export async function findDomain(session: SignedIn | null, dispatch: DomainDispatch): Promise<void> {
  if (session === null) {
    return;
  }
  try {
    const kept = readOrganisation();
    if (kept.organisation !== '') {
      dispatch({ type: 'domainChanged', domain: kept });
    }
    const { domain, displayDomain, state } = (await session.client.getDomain()).data;
    if (domain !== null) {
      dispatch({ type: 'domainKnown', session, name: domain, summary: say(state === 'confirmed' ? 'issue.domainConfirmed' : 'issue.domainUnconfirmed', { domain: displayDomain }) });
    }
  } catch (error) {
    dispatch({ type: 'answered', answer: refusal(explained(error)) });
  }
}

/** Checks whether a domain confirms the account, and shows what the domain can publish. If the domain confirms the account, the account gets the domain. */
export async function checkDomain(session: SignedIn | null, entered: Domain, dispatch: DomainDispatch): Promise<void> {
  if (session === null) {
    return;
  }
  const { name, organisation } = entered;
  if (organisation !== '') {
    keepOrganisation(entered);
  }
  const { client, account } = session;
  const domain = name
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '');
  dispatch({ type: 'domainChanged', domain: { answer: say('issue.domainChecking') } });
  try {
    if (domain === '') {
      throw Refusal.of('signer.domain');
    }
    const { result, file, record, displayDomain } = (await client.checkIssuer(domain, account)).data;
    const isConfirmed = result === 'confirmed';
    // An unchanged file does not overwrite the values that the person has entered.
    const isSame = file.publish === entered.ways?.file.publish && account === entered.ways.account;
    const filled = isSame || !file.isWhole ? {} : { badgeFile: null, ...publishedIn(file.publish, { at: file.at, account }) };
    const ways = { file, record, account, isConfirmed };
    if (!isConfirmed) {
      dispatch({ type: 'domainChanged', domain: { answer: say('issue.domainUnconfirmed', { domain: displayDomain }), ways, ...filled } });
      return;
    }
    dispatch({ type: 'domainChanged', domain: { ways, ...filled } });
    await client.setDomain(domain);
    const confirmed = say('issue.domainConfirmed', { domain: displayDomain });
    dispatch({ type: 'domainChanged', domain: { answer: confirmed, summary: confirmed } });
  } catch (error) {
    dispatch({ type: 'domainChanged', domain: { answer: sentence(explained(error)) } });
  }
}

/**
 * Returns the file to publish with the issuer's name, logo and contact, or the reason why certificates would not show them. Entries to add to a file that could not
 * be read stay as they are.
 */
export function fileOf({ ways, organisation, logo, contact, badgeFile }: Domain): { readonly text: string; readonly problem: string } {
  if (ways === null) {
    return { text: '', problem: '' };
  }
  const { file, account } = ways;
  if (!file.isWhole) {
    return { text: file.publish, problem: '' };
  }
  try {
    return { text: issuerFile(badgeFile ?? file.publish, { at: file.at, account, name: organisation, logo, contact }), problem: '' };
  } catch (error) {
    return { text: '', problem: sentence(error) };
  }
}

/** Adds the badge key of this browser to the file to publish, or leaves it out. */
export async function listBadgeKey({ ways }: Domain, isListed: boolean, dispatch: DomainDispatch): Promise<void> {
  if (ways === null || !isListed) {
    dispatch({ type: 'domainChanged', domain: { badgeFile: null } });
    return;
  }
  try {
    const { withBadgeKey } = await part(import('/lib/badges.ts'));
    const { at, publish } = ways.file;
    dispatch({ type: 'domainChanged', domain: { badgeFile: await withBadgeKey(publish, new URL(at).host) } });
  } catch (error) {
    const isOwn = error instanceof Refusal && error.key?.startsWith('openBadge.');
    dispatch({ type: 'domainChanged', domain: { badgeFile: null, answer: isOwn ? (await sayIn('openbadge'))(error.key ?? '') : sentence(error) } });
  }
}
