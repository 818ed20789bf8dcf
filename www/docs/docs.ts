// The API reference. Swagger UI shows /openapi.json. This script adds the error codes, and a sign-in for Swagger UI's "try it out".
import { PrivateKeyProvider } from '/client/index.js';
import type { Provider } from '/client/index.js';
import { isObject, own, valueAt } from '/view/json.ts';
import { byId, element } from '/lib/page.ts';
import { showOperator } from '/lib/operator.ts';
import { serviceOf } from '/lib/service.ts';
import { watchWallets } from '/lib/signer.ts';
import type { Wallet } from '/lib/signer.ts';

/** The parts of React that the layout uses, as Swagger UI provides it. */
interface React {
  createElement(type: unknown, attributes: object, children?: unknown[]): unknown;
}

/** The functions of Swagger UI that this page uses. It has no types of its own. */
interface SwaggerUi {
  layoutActions: { show(path: string[], isShown: boolean): void };
  preauthorizeApiKey(scheme: string, key: string): void;
}

declare global {
  interface Window {
    SwaggerUIBundle(options: object): SwaggerUi;
  }
}

/** An operation that answers with an error code. */
interface Answering {
  status: string;
  tag: string;
  id: string;
  title: string;
}

let ui: SwaggerUi | undefined;

/** Converts text with `code` in backticks to elements. */
function prose(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** A layout that has only these parts of Swagger UI: routes, webhooks and types. This page has its own versions of the other parts. */
const OwnLayout = ({ React }: { React: React }) => ({
  components: {
    OwnLayout({ getComponent }: { getComponent(name: string, isContainer: boolean): unknown }) {
      const parts = ['SvgAssets', 'operations', 'Models', 'Webhooks'].map((name) => React.createElement(getComponent(name, true), { key: name }));
      return React.createElement('div', { className: 'swagger-ui' }, parts);
    },
  },
});

/** Draws the routes. */
function showReference(spec: unknown) {
  // Follows the system's color scheme, like the rest of this page.
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
  return new Promise<void>((resolve) => {
    ui = window.SwaggerUIBundle({
      spec,
      domNode: byId('reference'),
      plugins: [OwnLayout],
      layout: 'OwnLayout',
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      persistAuthorization: false,
      onComplete: resolve,
    });
  });
}

/** Signs the service's text. Swagger UI then sends the signature. */
async function signIn(connect: () => Promise<Provider>) {
  const said = byId('signed');
  try {
    const { authorizationText } = await serviceOf();
    const provider = await connect();
    const signature = await provider.sign(authorizationText);
    ui?.preauthorizeApiKey('authorization', `${provider.signMethod}:${signature}`);
    said.textContent = `Requests are signed by ${provider.accountId}.`;
  } catch (error) {
    said.textContent = `Not signed: ${error instanceof Error ? error.message : (own(error, 'message') ?? error)}`;
  }
}

function walletButton({ name, connect }: Wallet) {
  const button = element('button', { type: 'button', class: 'primary' }, `Sign with ${name ?? 'a wallet'}`);
  button.addEventListener('click', () => signIn(async () => (await connect()).provider));
  return button;
}

function acceptSigning() {
  byId('sign').hidden = false;
  watchWallets((wallets) => byId('wallets').replaceChildren(...wallets.map(walletButton)));
  byId('paste').addEventListener('click', () => {
    const key = byId('key', HTMLInputElement).value.trim();
    byId('key', HTMLInputElement).value = '';
    return signIn(() => PrivateKeyProvider.from(key));
  });
}

const entriesOf = (value: unknown) => (isObject(value) ? Object.entries(value) : []);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns the operations that answer with each code. */
function answeredBy(spec: unknown) {
  const found = new Map<unknown, Answering[]>();
  for (const [path, methods] of entriesOf(own(spec, 'paths'))) {
    for (const [method, operation] of entriesOf(methods)) {
      const [tag, id] = [String(listOf(own(operation, 'tags'))[0]), String(own(operation, 'operationId'))];
      for (const [status, response] of entriesOf(own(operation, 'responses'))) {
        for (const code of listOf(own(response, 'x-error-codes'))) {
          const title = `${method.toUpperCase()} ${path}`;
          found.set(code, [...(found.get(code) ?? []), { status, tag, id, title }]);
        }
      }
    }
  }
  return found;
}

function drawCode(code: unknown, meaning: unknown, where: Answering[]) {
  const title = [element('code', {}, String(code)), ' ', element('span', { class: 'about' }, String(meaning))];
  const items = where.map(({ status, tag, id, title: name }) => element('li', {}, element('a', { href: `#/${tag}/${id}` }, element('code', {}, name)), ` (status ${status})`));
  const list = items.length > 0 ? [element('p', {}, 'Answered by:'), element('ul', { class: 'codes' }, ...items)] : [element('p', {}, 'Any path can return it.')];
  const made = element('details', { class: 'code', id: String(code) }, element('summary', {}, ...title), element('div', {}, ...list));
  made.dataset.words = `${code} ${meaning}`.toLowerCase();
  return made;
}

function drawCodes(spec: unknown) {
  const codes = valueAt(spec, ['components', 'schemas', 'Code']);
  const meanings = listOf(own(codes, 'x-enum-descriptions'));
  const where = answeredBy(spec);
  byId('codes').replaceChildren(...listOf(own(codes, 'enum')).map((code, index) => drawCode(code, meanings[index], where.get(code) ?? [])));
  byId('search').hidden = false;
  byId('filter').addEventListener('input', filter);
}

/** Opens the error code (`#422076`) or the route (`#/orders/createOrder`) in the URL's fragment. */
function follow() {
  const name = decodeURIComponent(location.hash.slice(1));
  const [, tag, id] = /^\/([^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (tag && id) {
    ui?.layoutActions.show(['operations-tag', tag], true);
    ui?.layoutActions.show(['operations', tag, id], true);
    // Waits until Swagger UI has drawn the route.
    setTimeout(() => document.getElementById(`operations-${tag}-${id}`)?.scrollIntoView());
    return;
  }
  const code = document.getElementById(name);
  if (code instanceof HTMLDetailsElement) {
    byId('filter', HTMLInputElement).value = '';
    filter();
    code.open = true;
    code.scrollIntoView();
    code.querySelector('summary')?.focus({ preventScroll: true });
  }
}

function filter() {
  const words = byId('filter', HTMLInputElement).value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const code of byId('codes').querySelectorAll<HTMLElement>(':scope > *')) {
    code.hidden = !words.every((word) => code.dataset.words?.includes(word));
    count += code.hidden ? 0 : 1;
  }
  byId('found').textContent = words.length > 0 ? `${count} found` : '';
}

showOperator(byId('operator'));
try {
  const spec: unknown = await (await fetch('/openapi.json')).json();
  const about = String(valueAt(spec, ['info', 'description'])).split('\n\n');
  byId('about').replaceChildren(...about.map((text) => element('p', {}, ...prose(text))));
  drawCodes(spec);
  await showReference(spec);
  acceptSigning();
  addEventListener('hashchange', follow);
  follow();
} catch (error) {
  console.error(error);
  byId('answer').hidden = false;
  byId('answer').dataset.kind = 'unchecked';
  byId('answer').textContent = 'The description of the API could not be loaded. Reload the page.';
}
