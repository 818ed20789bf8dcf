// Opens the SD-JWT of a certificate: compares both, and opens the certificate. This part of the page is loaded with the first SD-JWT.
import { comparedSdJwt } from '/lib/badges.ts';
import { comparedWith, readSdJwt } from '/lib/sd-jwt.ts';
import { sayIn } from '/lib/texts.ts';
import { validityOf } from '/lib/validity.ts';
import { Refusal, own, shorten, valueText, visible } from '/view/json.ts';
import type { OpenedBadge } from './badge.ts';

/** The maximum number of shown fields that are not public, and the maximum length of a value in characters. */
const MAX_FIELDS = 20;
const MAX_VALUE = 120;

/** Opens an SD-JWT. Refuses other texts, and SD-JWTs of other services. */
export async function openSdJwt(text: string): Promise<OpenedBadge> {
  const say = await sayIn('openbadge');
  const opened = await readSdJwt(text).catch(() => {
    throw new Refusal(say('openBadge.foreignUnnamed'));
  });
  const { service, issuer, ledger, asset, disclosed } = opened;
  const { host } = new URL(service);
  if (host !== location.host) {
    throw Refusal.of('verify.foreignService', { host: visible(host) });
  }
  const record = await validityOf({ ledger, asset }, 'reload');
  const found = await comparedSdJwt(opened, record);
  // `visible` leaves no NUL in a name.
  const named = (name: string) => `\0${visible(shorten(name, MAX_VALUE))}\0`;
  const sentence = say(`openBadge.sdJwt.${found}`, { issuer: named(issuer) });
  const hidden = disclosed.filter((field) => comparedWith(field, own(record.metadata, field.path.at(-1) ?? '')) === 'notPublic');
  const isShown = found === 'same' && hidden.length > 0;
  const fields = hidden.slice(0, MAX_FIELDS).map(({ path, value }) => `${named(String(path.at(-1)))}: ${named(typeof value === 'string' ? value : valueText(value))}`);
  const shown = isShown ? ` ${say('openBadge.sdJwt.shows', { fields: fields.join('; ') })}` : '';
  return { ledger, asset, copy: null, sentence: `${sentence}${shown}`.split('\0'), isWarning: found !== 'same' && found !== 'unreadable' };
}
