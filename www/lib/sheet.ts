// Draws a certificate as a document, and the verdict above it as a seal. The content comes from `certificateOf` of pkg/view/src/model.ts.
import type { Issuer } from '/client/index.js';
import type { Difference } from '../../pkg/view/src/alike.ts';
import type { Display } from '../../pkg/view/src/display.ts';
import { isOwnHost } from './hosts.ts';
import { emphasis } from '../../pkg/view/src/issuer.ts';
import type { Certificate, Leaf, TreeNode } from '../../pkg/view/src/model.ts';
import { certified, element, restElement } from './page.ts';
import type { Attributes, Child } from './page.ts';
import { dayText, hasText, listText, say } from './texts.ts';
import type { Verdict } from '../../pkg/view/src/verdict.ts';
import { split } from '../../pkg/view/src/visible.ts';

/** The number of UTF-16 code units of a title whose schema is not proven. The visitor can open the rest. */
const MAX_TITLE = 80;
/** Values with more UTF-16 code units get the whole width, and may be split between pages of paper. */
const LONG = 200;
/** A longer heading, in UTF-16 code units, is set smaller. */
const LONG_HEADING = 100;

/** The icon in the seal for each look, in a square of 24 units. */
const SIGNS = {
  green: 'M6.5 12.5l3.7 3.7 7.3-8',
  amber: 'M12 6v7.5M12 16.9v.2',
  red: 'M7.5 7.5l9 9M16.5 7.5l-9 9',
  'grey-red': 'M6 12h12',
  grey: 'M9.2 9.4c.3-3.4 5.8-3.3 5.7.2-.1 2.3-2.9 2.5-2.9 4.7M12 17v.1',
};
const CLOCK = 'M12 7v5.2l3.3 2.3';
const TURNED = 'M7 10a5.3 5.3 0 0 1 9.7-1M17 14a5.3 5.3 0 0 1-9.7 1M17 5.5v3.7h-3.7M7 18.5v-3.7h3.7';
const SIGN_OF: Partial<Record<Verdict['code'], string>> = { expired: CLOCK, replaced: TURNED };

/** The state of each part of a verdict. */
const PART_STATE: Partial<Record<string, string>> = {
  unchanged: 'good',
  changed: 'bad',
  otherAsset: 'bad',
  notCovered: 'bad',
  notChecked: 'unsure',
  inForce: 'good',
  withdrawn: 'gone',
  neverIssued: 'bad',
  unknownLedger: 'bad',
  expired: 'warn',
  replaced: 'warn',
  unknown: 'unsure',
  confirmed: 'good',
  operator: 'good',
  wasConfirmed: 'warn',
  disowned: 'bad',
  disownedByOne: 'bad',
  notConfirmed: 'warn',
};

/** Shows the verdict: the seal, the headline, a sentence about it, and its three parts. The headline is the page's heading if there is no sheet. */
export function showVerdict(place: HTMLElement, verdict: Verdict, explanation = '', { isHeading = false } = {}) {
  place.dataset.look = verdict.look;
  place.dataset.code = verdict.code;
  const heading = element(isHeading ? 'h1' : 'p', { class: 'headline' }, ...(verdict.text === undefined ? sentence(`headline.${verdict.code}`, words(verdict)) : [verdict.text]));
  const why = explanation || (hasText(`explain.${verdict.code}`) ? say(`explain.${verdict.code}`, words(verdict)) : '');
  const said = verdict.code === 'withdrawn' && verdict.values.reason ? [quoted(verdict)] : [];
  place.replaceChildren(seal(verdict), element('div', { class: 'ruling' }, heading, ...said, element('p', { class: 'why' }, why)), parts(verdict));
}

/** Returns the headline in the page's language. */
export function headlineText(verdict: Verdict): string {
  return verdict.text ?? say(`headline.${verdict.code}`, words(verdict));
}

function words({ values }: Verdict) {
  return { date: values.date ? dayText(values.date) : say('badge.unknownDate'), domain: values.domain ?? '', name: values.name ?? '' };
}

/** The values for the places in a text about a verdict. */
interface NamedValues {
  name: string;
  domain: string;
  other?: string;
  date?: string;
  from?: string;
  to?: string;
}

/** Returns a text with its names and domains as elements that the browser does not translate. */
function sentence(key: string, { name, domain, other = '', ...values }: NamedValues) {
  return sayWith(key, { ...values, name: certified(name), domain: certified(domain), other: certified(other) });
}

/** Returns the parts of a text, with strings or elements at the places of its values. */
function sayWith(key: string, values: Record<string, Child | Child[]>): Child[] {
  const marked = say(key, Object.fromEntries(Object.keys(values).map((name) => [name, `\0${name}\0`])));
  return marked.split('\0').flatMap((part, index) => (index % 2 === 0 ? part : (values[part] ?? '')));
}

/** The reason for a withdrawal, in quotation marks, because an account wrote it. */
function quoted({ values, status }: Verdict) {
  const by = status.reasonBy?.role ?? 'issuer';
  return element('blockquote', { class: 'reason' }, element('p', {}, certified(values.reason ?? '')), element('footer', {}, say(`reasonBy.${by}`)));
}

const SVG = 'http://www.w3.org/2000/svg';

function drawing(name: string, attributes: Attributes, ...children: Node[]) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** The edge of the seal: a circle of 24 teeth, in a square of 100 units. */
const EDGE = Array.from({ length: 48 }, (_, index) => {
  const [angle, radius] = [(index * Math.PI) / 24, index % 2 === 0 ? 48 : 43.5];
  return `${(50 + radius * Math.sin(angle)).toFixed(2)},${(50 - radius * Math.cos(angle)).toFixed(2)}`;
}).join(' ');

function seal({ look, code }: Verdict) {
  const sign = SIGN_OF[code] ?? SIGNS[look] ?? SIGNS.grey;
  const picture = drawing(
    'svg',
    { viewBox: '0 0 100 100', 'aria-hidden': 'true' },
    drawing('polygon', { points: EDGE, class: 'seal-edge' }),
    drawing('circle', { cx: 50, cy: 50, r: 38, class: 'seal-ring' }),
    drawing('path', { d: sign, class: 'seal-sign', transform: 'translate(17 17) scale(2.75)' }),
  );
  return element('div', { class: 'seal' }, picture);
}

function parts(verdict: Verdict) {
  const { integrity, status, issuer } = verdict;
  const rows: [part: string, kind: string, values: NamedValues][] = [
    ['integrity', integrity, { name: '', domain: '' }],
    ['status', status.kind, { name: '', domain: '', date: status.since ? dayText(status.since) : '' }],
    [
      'issuer',
      issuerKind(verdict),
      {
        domain: issuer?.domain ?? '',
        other: issuer?.otherDomain ?? '',
        name: issuer?.name ?? '',
        from: issuer?.firstSeen ? dayText(issuer.firstSeen) : '',
        to: issuer?.lastSeen ? dayText(issuer.lastSeen) : '',
      },
    ],
  ];
  const items = rows.map(([part, kind, values]) => {
    const text = hasText(`part.${part}.${kind}`) ? sentence(`part.${part}.${kind}`, values) : [kind];
    return element('li', { 'data-part': part, 'data-state': PART_STATE[kind] ?? 'unsure' }, element('span', { class: 'part-name' }, say(`part.${part}.name`)), ' ', element('span', {}, ...text));
  });
  return element('ul', { class: 'parts' }, ...items);
}

/**
 * Returns the kind of the issuer's line. A certificate that was never issued has no issuer, so the line names the confirmed owner of the ledger. Changed or
 * copied content is not the issuer's, so the line names the owner of the certificate's number.
 */
function issuerKind({ integrity, status, issuer }: Verdict): string {
  const kind = issuer?.kind ?? 'unknown';
  if (kind === 'disowned') {
    return issuer?.otherDomain ? 'disownedByOne' : kind;
  }
  const owner = status.kind === 'neverIssued' ? 'ledger' : integrity === 'changed' || integrity === 'otherAsset' ? 'number' : null;
  const of: Partial<Record<string, string | undefined>> = { confirmed: 'OfDomain', operator: 'OfName', wasConfirmed: owner === 'number' ? 'OfFormerDomain' : undefined };
  const end = of[kind];
  return owner !== null && end !== undefined ? owner + end : kind;
}

export interface PaperOptions {
  /** The verdict's issuer. */
  issuer?: Issuer | null;
  /** The time of issue. */
  issuedAt?: string | null;
  /** The names of the fields that are not shown. */
  hidden?: string[];
  /** The level of the heading. */
  level?: 1 | 2 | 3;
  /** A picture in place of the issuer's logo, a `data:` address. */
  logo?: string | null;
  /** The field that is set large below the heading. */
  holder?: Leaf | null;
}

/** Draws the certificate in `place`. */
export function showPaper(place: HTMLElement, certificate: Certificate, { issuer = null, issuedAt = null, hidden = [], level = 1, logo = null, holder = null }: PaperOptions = {}) {
  const { kind, isNamed, title, description, image, nodes, more } = certificate;
  const most = isNamed ? Infinity : MAX_TITLE;
  const heading = title ?? null;
  const named: Child[] = kind === undefined ? [say('certificate.untitled')] : titleElements(kind, most);
  const kicker = heading === null ? [] : [element('div', { class: sized('kicker', kind) }, ...named)];
  // A heading cannot contain the part of a text that the visitor opens.
  const [main = '', ...rest] = heading === null ? named : textElements(heading.value);
  place.replaceChildren(
    ...issuerElements(issuer, logo),
    ...kicker,
    element(`h${level}`, { class: sized('name', heading?.value.text ?? kind) }, main),
    ...rest,
    ...(heading?.mark ? [markElement(heading)] : []),
    ...(holder === null ? [] : [holderElement(holder, most)]),
    ...(description === null ? [] : [element('div', { class: 'description' }, ...textElements(description.value)), ...(description.mark ? [markElement(description)] : [])]),
    ...(image?.value.kind === 'picture' ? [pictureElement(image.value)] : []),
    ...(nodes.length === 0 ? [] : [list(nodes, most)]),
    ...(more > 0 ? [element('p', { class: 'kept' }, say('certificate.moreFields', { count: more }))] : []),
    ...(issuedAt === null ? [] : [element('p', { class: 'issued' }, say('certificate.issuedOn', { date: dayText(issuedAt) }))]),
    ...hiddenElements(hidden),
  );
}

/** Returns the class of a heading. A long one is set smaller, so it does not fill pages. */
const sized = (name: string, text = '') => (text.length > LONG_HEADING ? `${name} long` : name);

/** Shows the issuer. Name and logo come from the confirming domain and are shown next to the domain. Without a confirming domain, only the account is shown. */
function issuerElements(issuer: Issuer | null, ownLogo: string | null) {
  const own = ownLogo === null ? [] : [logoElement(ownLogo)];
  if (issuer === null) {
    return own.length === 0 ? [] : [element('p', { class: 'issuer' }, ...own)];
  }
  if (!issuer.confirmed || !issuer.domain) {
    return [
      element('p', { class: 'issuer' }, ...own, element('span', { class: 'issuer-name' }, say('certificate.unnamedIssuer')), element('span', { class: 'account', translate: 'no' }, issuer.account)),
    ];
  }
  const logo = own.length === 0 && issuer.logo && isOwnHost(issuer.logo, issuer.domain) ? [logoElement(issuer.logo)] : own;
  const name = issuer.name ? [element('span', { class: 'issuer-name' }, certified(issuer.name))] : [];
  return [element('p', { class: 'issuer' }, ...logo, element('span', {}, ...name, domainElement(issuer.domain)))];
}

function holderElement({ label, value }: Leaf, most: number) {
  return element('div', { class: 'holder' }, element('p', { class: 'kicker' }, ...titleElements(label ?? '', most)), element('p', {}, ...textElements(value)));
}

/** Shows a domain with its registrable name emphasised. */
export function domainElement(domain: string): HTMLElement {
  const { before, registrable } = emphasis(domain);
  return element('span', { class: 'domain', translate: 'no' }, before, element('b', {}, registrable));
}

function hiddenElements(names: string[]) {
  if (names.length === 0) {
    return [];
  }
  const shown = names.slice(0, 8).map((name) => `\u2068${name}\u2069`);
  const more = names.length - shown.length;
  const items = more > 0 ? [...shown, say('certificate.more', { count: more })] : shown;
  return [element('p', { class: 'kept' }, say('certificate.hidden', { fields: listText(items) }))];
}

function list(nodes: TreeNode[], most: number): HTMLElement {
  return element('dl', { class: 'fields' }, ...nodes.map((node) => entry(node, most)));
}

function entry(node: TreeNode, most: number) {
  const label = node.label === undefined ? [say('certificate.item')] : titleElements(node.label, most);
  const isLong = (node.value?.text.length ?? 0) > LONG;
  const isWide = isLong || node.group !== undefined || node.list !== undefined || node.table !== undefined;
  return element(
    'div',
    { class: `${isWide ? 'wide' : ''} ${isLong ? 'long' : ''}`.trim() || undefined, 'data-mark': node.mark ?? undefined },
    element('dt', {}, ...label),
    element('dd', {}, ...content(node, most)),
  );
}

function content(node: TreeNode, most: number): Child[] {
  if (node.group !== undefined) {
    return [list(node.group, most)];
  }
  if (node.table !== undefined) {
    return [table(node.table, node, most)];
  }
  if (node.list !== undefined) {
    return [element('ul', {}, ...node.list.map((item) => element('li', {}, ...content(item, most))))];
  }
  return node.value === undefined ? [] : [...valueElements(node.value), ...(node.mark === null ? [] : [markElement(node)])];
}

function table(rows: (Leaf | null)[][], { columns = [], label }: { columns?: (string | undefined)[]; label: string | undefined }, most: number) {
  const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, ...titleElements(column ?? '', most))));
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell) => element('td', { class: cell?.value.kind === 'number' ? 'number' : undefined }, ...(cell === null ? [] : valueElements(cell.value))))),
  );
  return element('table', { 'aria-label': label ?? say('certificate.item') }, element('thead', {}, head), element('tbody', {}, ...body));
}

/** Shows the certified value of a field that differs, or otherwise the field's problem. For texts that look alike, also shows their different characters. */
export function markElement({ mark, certified: value, alike = null }: Pick<Leaf, 'mark' | 'certified' | 'alike'>): HTMLElement {
  const text = value === undefined ? [say(`mark.${mark}`)] : [say('mark.certified'), ' ', ...valueElements(value)];
  return element('div', { class: 'mark', 'data-mark': mark ?? undefined }, ...text, ...(alike === null ? [] : alikeElements(alike)));
}

function alikeElements(alike: Difference[]) {
  const items = alike.map(({ text, points, otherText, otherPoints }) =>
    element('li', {}, ...sayWith('mark.points', { here: [certified(text), ` (${points})`], certified: [certified(otherText), ` (${otherPoints})`] })),
  );
  return [element('p', {}, say('mark.alike')), element('ul', {}, ...items)];
}

const bdi = (text: string) => element('bdi', {}, text);

/** Shows a title of the schema, at most `most` code units of it at first. */
function titleElements(title: string, most: number): HTMLElement[] {
  const [start, rest] = split(title, most);
  return rest === '' ? [bdi(title)] : [bdi(`${start}…`), restElement(rest, say('certificate.rest', { count: rest.length }))];
}

/** Shows a text, and its rest if the text is long and not proven. */
function textElements({ kind, text, rest }: Display): HTMLElement[] {
  const start = certified(rest === '' ? text : `${text}…`, kind === 'json' ? 'value' : 'said');
  return rest === '' ? [start] : [start, restElement(rest, say('certificate.rest', { count: rest.length }))];
}

function valueElements(display: Display): HTMLElement[] {
  const { text } = display;
  switch (display.kind) {
    case 'date':
      return [element('time', { datetime: display.exact, translate: 'no' }, text)];
    case 'number':
      return [element('data', { value: display.exact, translate: 'no' }, text)];
    case 'boolean':
      return [element('span', {}, say(display.value ? 'common.yes' : 'common.no'))];
    case 'link':
      return [element('a', { href: display.address, target: '_blank', rel: 'noopener noreferrer nofollow' }, certified(text))];
    case 'picture':
      return [pictureElement(display)];
    default:
      return textElements(display);
  }
}

/**
 * Shows a picture. A picture inside the document or on this service is shown immediately. A picture of another host is loaded
 * only at the visitor's request, because the other host would see who looks at which certificate.
 */
function pictureElement({ address, host }: { address: string; host?: string }) {
  if (host === undefined || host === location.host) {
    return picture(address, say('certificate.picture'), 'picture');
  }
  const note = element('span', { class: 'hint', role: 'status' });
  const button = element('button', { type: 'button' }, say('certificate.showPicture', { host }));
  button.addEventListener('click', () => {
    const shown = picture(address, say('certificate.picture'), 'picture');
    shown.addEventListener('error', () => {
      shown.replaceWith(button);
      note.textContent = say('certificate.noPicture');
    });
    button.replaceWith(shown);
  });
  return element('span', { class: 'picture-place' }, button, note);
}

/** Shows a logo. A logo that does not load is left out. */
function logoElement(address: string) {
  const shown = picture(address, '', 'logo');
  shown.addEventListener('error', () => shown.remove());
  return shown;
}

const picture = (address: string, alt: string, kind: string) => element('img', { class: kind, src: address, alt, referrerpolicy: 'no-referrer' });
