// The common code of both elements: attributes, lifecycle, states for CSS, and the line with the verdict.
import { addressesOf } from './address.js';
import { languageOf, say } from './texts.js';

/** Creates an element with attributes and children. Strings become text, never markup. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** The path of each look's icon, in a square of 24 units. */
const SIGNS = {
  green: 'M5 12.5l4.7 4.7L19 7',
  amber: 'M12 4.5v9M12 18.5v.2',
  red: 'M6 6l12 12M18 6L6 18',
  'grey-red': 'M5 12h14',
  grey: 'M8.2 8.4c.4-5 8.2-4.7 7.8.3-.2 3.3-4 3.5-4 6.3M12 19v.1',
};
const SVG = 'http://www.w3.org/2000/svg';

/** Draws the icon of a look. The shapes alone distinguish the looks, for people who cannot distinguish colours. */
export function signOf(look) {
  const [picture, path] = ['svg', 'path'].map((name) => document.createElementNS(SVG, name));
  picture.setAttribute('viewBox', '0 0 24 24');
  path.setAttribute('d', SIGNS[look]);
  picture.append(path);
  return picture;
}

/** Returns a function that returns a constructed style sheet. A page's policy may block a `<style>`, but not a constructed sheet. jsdom has none. */
export function sheetOf(text) {
  let sheets;
  return () => (sheets ??= globalThis.CSSStyleSheet?.prototype.replaceSync ? [made(text)] : []);
}

function made(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

/** Defines an element, unless the host is a server or the element is defined already. */
export function define(name, Element) {
  globalThis.customElements?.get(name) ?? globalThis.customElements?.define(name, Element);
}

/** A server imports this module to render pages, and has no elements. */
const HostElement = globalThis.HTMLElement ?? class {};

/** Returns the verdict to show if no report could be read. */
export const unreachable = (language) => ({ code: 'unreachable', look: 'grey', headline: say(language, 'headline', 'not-checked') });

export class AssayElement extends HostElement {
  static observedAttributes = ['ledger', 'asset', 'service', 'lang'];

  icon = element('span', { part: 'icon', 'aria-hidden': 'true' });
  // This element stays in the page, because screen readers announce changes only in existing regions. With `role="status"`, its text would not be part of a link's name.
  status = element('span', { 'aria-live': 'polite', 'aria-atomic': 'true' });

  // jsdom has no states.
  #states = this.attachInternals?.().states;
  #turn = new AbortController();
  #content = element('slot', {});
  #box;

  /** Puts `box` into the shadow root, next to the content that the page gave the element. */
  begin(box, sheet) {
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = sheet();
    root.append(box, this.#content);
    this.#box = box;
  }

  connectedCallback() {
    this.#restart();
  }

  disconnectedCallback() {
    this.#turn.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected) {
      this.#restart();
    }
  }

  /** Aborts the current run and starts a new one after a microtask, because scripts set several attributes one after another. */
  #restart() {
    this.#turn.abort();
    const { signal } = (this.#turn = new AbortController());
    queueMicrotask(() => signal.aborted || this.#run(signal));
  }

  #run(signal) {
    const language = languageOf(this);
    let addresses = null;
    try {
      addresses = addressesOf(this);
    } catch (error) {
      console.warn(`<${this.localName}>: ${error.message}`);
    }
    this.show({ addresses, language, signal });
  }

  /** Shows the line of a verdict. Without a verdict, shows the element's own content if it has any. */
  line({ code, look, headline, reason }, language) {
    this.isFallback = (code === 'loading' || code === 'unreachable') && (this.childElementCount > 0 || this.textContent.trim() !== '');
    this.#box.lang = language;
    this.#box.dataset.look = look;
    this.icon.replaceChildren(signOf(look));
    this.status.replaceChildren(
      element('span', { class: 'name' }, say(language, 'badge', 'name'), ' '),
      element('span', { part: 'headline', translate: 'no' }, headline),
      ...(reason ? [' ', element('q', { part: 'reason' }, reason)] : []),
    );
    this.states = [code, look];
  }

  /** Shows the element's own content instead of the box if true. */
  set isFallback(is) {
    this.#box.hidden = is;
    this.#content.hidden = !is;
  }

  /** Replaces the states for CSS. */
  set states(names) {
    this.#states?.clear();
    for (const name of names) {
      this.#states?.add(name);
    }
  }
}
