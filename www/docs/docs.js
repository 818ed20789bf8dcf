// The API reference. Swagger UI shows /openapi.json. This script adds the error codes, and a sign-in for Swagger UI's "try it out".
import { PrivateKeyProvider } from '/client/index.js';
import { byId, element } from '/lib/page.js';
import { watchWallets } from '/lib/signer.js';

/** Converts text with `code` in backticks to elements. */
function prose(text) {
  return String(text)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

/** A layout that has only these parts of Swagger UI: routes, webhooks and types. This page has its own versions of the other parts. */
const OwnLayout = ({ React }) => ({
  components: {
    OwnLayout({ getComponent }) {
      const parts = ['SvgAssets', 'operations', 'Models', 'Webhooks'].map((name) => React.createElement(getComponent(name, true), { key: name }));
      return React.createElement('div', { className: 'swagger-ui' }, parts);
    },
  },
});

/** Draws the routes. */
function showReference(spec) {
  // Follows the system's color scheme, like the rest of this page.
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
  return new Promise((resolve) => {
    window.ui = window.SwaggerUIBundle({
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
async function signIn(connect) {
  const said = byId('signed');
  try {
    const { data } = await (await fetch('/health')).json();
    const provider = await connect();
    const signature = await provider.sign(data.authorizationText);
    window.ui.preauthorizeApiKey('authorization', `${provider.signMethod}:${signature}`);
    said.textContent = `Requests are signed by ${provider.accountId}.`;
  } catch (error) {
    said.textContent = `Not signed: ${error instanceof Error ? error.message : (error?.message ?? error)}`;
  }
}

function walletButton({ name, connect }) {
  const button = element('button', { type: 'button', class: 'primary' }, `Sign with ${name ?? 'a wallet'}`);
  button.addEventListener('click', () => signIn(async () => (await connect()).provider));
  return button;
}

function acceptSigning() {
  byId('sign').hidden = false;
  watchWallets((wallets) => byId('wallets').replaceChildren(...wallets.map(walletButton)));
  byId('paste').addEventListener('click', () => {
    const key = byId('key').value.trim();
    byId('key').value = '';
    return signIn(() => PrivateKeyProvider.from(key));
  });
}

/** Returns the operations that answer with each code, and the HTTP status of the answer: `code → [{ status, tag, id, title }]`. */
function answeredBy(spec) {
  const found = new Map();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const [status, response] of Object.entries(operation.responses)) {
        for (const code of response['x-error-codes'] ?? []) {
          const title = `${method.toUpperCase()} ${path}`;
          found.set(code, [...(found.get(code) ?? []), { status, tag: operation.tags[0], id: operation.operationId, title }]);
        }
      }
    }
  }
  return found;
}

function drawCode(code, meaning, where) {
  const title = [element('code', {}, String(code)), ' ', element('span', { class: 'about' }, meaning)];
  const items = where.map(({ status, tag, id, title: name }) =>
    element('li', {}, element('a', { href: `#/${tag}/${id}` }, element('code', {}, name)), ` (status ${status})`),
  );
  const list = items.length > 0 ? [element('p', {}, 'Answered by:'), element('ul', { class: 'codes' }, ...items)] : [element('p', {}, 'Any path can return it.')];
  const made = element('details', { class: 'code', id: String(code) }, element('summary', {}, ...title), element('div', {}, ...list));
  made.dataset.words = `${code} ${meaning}`.toLowerCase();
  return made;
}

function drawCodes(spec) {
  const codes = spec.components.schemas.Code;
  const where = answeredBy(spec);
  byId('codes').replaceChildren(...codes.enum.map((code, index) => drawCode(code, codes['x-enum-descriptions'][index], where.get(code) ?? [])));
  byId('search').hidden = false;
  byId('filter').addEventListener('input', filter);
}

/** Opens the error code (`#422076`) or the route (`#/orders/createOrder`) in the URL's fragment. */
function follow() {
  const name = decodeURIComponent(location.hash.slice(1));
  const [, tag, id] = /^\/([^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (id) {
    window.ui.layoutActions.show(['operations-tag', tag], true);
    window.ui.layoutActions.show(['operations', tag, id], true);
    // Waits until Swagger UI has drawn the route.
    setTimeout(() => byId(`operations-${tag}-${id}`)?.scrollIntoView());
    return;
  }
  const code = document.getElementById(name);
  if (code instanceof HTMLDetailsElement) {
    byId('filter').value = '';
    filter();
    code.open = true;
    code.scrollIntoView();
    code.querySelector('summary').focus({ preventScroll: true });
  }
}

function filter() {
  const words = byId('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const code of byId('codes').children) {
    code.hidden = !words.every((word) => code.dataset.words.includes(word));
    count += code.hidden ? 0 : 1;
  }
  byId('found').textContent = words.length > 0 ? `${count} found` : '';
}

try {
  const spec = await (await fetch('/openapi.json')).json();
  byId('about').replaceChildren(...spec.info.description.split('\n\n').map((text) => element('p', {}, ...prose(text))));
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
