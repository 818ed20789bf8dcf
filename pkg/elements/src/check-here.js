// Checks a certificate in the visitor's browser, and draws it. `<assay-certificate>` loads this module when it has a report with documents.
import { checkCopy } from '../../view/src/copy.ts';
import { nameOf } from '../../view/src/display.ts';
import { checkIssuer } from '../../view/src/issuer.ts';
import { certificateOf } from '../../view/src/model.ts';
import { inLanguage } from '../../view/src/templates.ts';
import { unconfirmed, worse } from '../../view/src/verdict.ts';
import { element } from './element.js';
import { localeOf } from './texts.js';
import { TITLES, phrase, yesOrNo } from './phrases.js';

/**
 * Verifies the documents of a report under the imprints of its asset. Returns `own`, which has this browser's `integrity` if only the service
 * found the documents unchanged. Otherwise `own` is empty. Also returns `draw(language)`, which returns the nodes of the document. It returns no
 * nodes unless service and browser both found the documents unchanged.
 */
export async function checkHere(report) {
  const { metadata, evidence, schema, ledger, asset, status } = report;
  const found = await checkCopy({ schema, document: metadata, evidence, record: { ledger, asset, status } });
  const isProven = report.integrity === 'unchanged' && found.integrity === 'unchanged';
  return { own: worse(report, found), draw: (language) => (isProven ? [drawn(schema, found, language)] : []) };
}

/**
 * Reads the confirmation from the issuer's domain, over TLS unless service and domain are on this machine (`isLocal`). Returns `own`, which has
 * the issuer if this browser's finding differs from the report, and `isRead`: true if the browser could read the domain's file.
 */
export async function confirmHere({ issuer, ledger }, isLocal) {
  if (issuer?.kind !== 'confirmed' || issuer.checkedBy !== 'didJson') {
    return { own: {}, isRead: false };
  }
  const { domain, account } = issuer;
  const protocol = isLocal && /^(localhost|127\.\d+\.\d+\.\d+)(:|$)/.test(domain) ? 'http:' : 'https:';
  const { result } = await checkIssuer({ domain, account, ledger: ledger.id, protocol });
  if (result === 'confirmed' || result === 'unreadable') {
    return { own: {}, isRead: result === 'confirmed' };
  }
  return { own: { issuer: unconfirmed(issuer, result) }, isRead: true };
}

/** Draws a proven document: its title, and its fields in the schema's order with the schema's titles. The titles of templates are in the element's language. */
function drawn(given, { fields, hidden }, language) {
  const schema = inLanguage(given, language, TITLES);
  const proven = fields.filter(({ status }) => status === 'proven');
  const { kind, title, description, nodes } = certificateOf({ schema, fields: proven, locale: localeOf(language) });
  const named = hidden.filter(([first]) => !['ledgerId', 'assetId'].includes(first) && !String(first).startsWith('$'));
  const names = [...new Set(named.map((path) => nameOf(schema, path)).filter((name) => name !== undefined))].slice(0, 8);
  const list = new Intl.ListFormat(localeOf(language)).format(names.map((name) => `\u2068${name}\u2069`));
  return element(
    'div',
    { part: 'sheet', lang: language },
    ...(title === null ? [] : [element('p', { part: 'kind' }, kind ?? phrase(language, 'untitled'))]),
    element('p', { part: 'title', role: 'heading', 'aria-level': '2' }, ...(title === null ? [kind ?? phrase(language, 'untitled')] : [certified(title.value.text)])),
    ...(description === null ? [] : [element('p', { part: 'description' }, certified(description.value.text))]),
    ...listed(nodes, language),
    ...(names.length === 0 ? [] : [element('p', { part: 'hidden' }, phrase(language, 'hidden', { fields: list }))]),
  );
}

function listed(nodes, language) {
  const rows = nodes.flatMap((node) => rowOf(node, language));
  return rows.length === 0 ? [] : [element('dl', { part: 'fields' }, ...rows)];
}

function rowOf(node, language) {
  const content = contentOf(node, language);
  return content.length === 0 ? [] : [element('div', {}, element('dt', {}, element('bdi', {}, node.label ?? phrase(language, 'item'))), element('dd', {}, ...content))];
}

function contentOf({ group, list, table, columns, value }, language) {
  if (group !== undefined) {
    return listed(group, language);
  }
  if (list !== undefined) {
    return [element('ul', {}, ...list.map((item) => element('li', {}, ...contentOf(item, language))))];
  }
  if (table !== undefined) {
    const cells = (row) => row.map((cell) => element('td', {}, ...(cell === null ? [] : contentOf(cell, language))));
    const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, element('bdi', {}, column))));
    return [element('table', {}, element('thead', {}, head), element('tbody', {}, ...table.map((row) => element('tr', {}, ...cells(row)))))];
  }
  return valueOf(value, language);
}

/** Draws a value. Pictures are left out: the page's policy would block them, and their hosts would see the visitor. */
function valueOf({ kind, text, exact, address, value }, language) {
  switch (kind) {
    case 'picture':
      return [];
    case 'date':
      return [element('time', { datetime: exact, translate: 'no' }, text)];
    case 'boolean':
      return [yesOrNo(language, value)];
    case 'link':
      return [element('a', { href: address, target: '_blank', rel: 'noopener noreferrer nofollow' }, certified(text))];
    default:
      return [certified(text)];
  }
}

/** Returns a certified text, which browsers do not translate. */
const certified = (text) => element('bdi', { translate: 'no' }, text);
