// `<assay-certificate>`: a certificate, checked in the visitor's browser. If the page's policy forbids the check, the element shows the service's
// own page in a frame, or a link to that page.
import { AssayElement, define, element, sheetOf, unreachable } from './element.js';
import { reportOf } from './reports.js';
import { filled, localeOf, say } from './texts.js';
import { verdictFrom } from './verdict.js';
import { element as de } from '../../view/texts/de.json';
import { element as en } from '../../view/texts/en.json';
import { element as es } from '../../view/texts/es.json';
import { element as fr } from '../../view/texts/fr.json';
import style from './certificate.css';
import looks from './looks.css';

const sheet = sheetOf(looks + style);
/** The maximum length of the documents that are checked on this page, as JSON, in characters. The frame's page checks longer documents in a worker. */
const MAX_LENGTH = 512 * 1024;
/** The frame's page fetches from its own service, and opens links in new tabs. */
const SANDBOX = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';

const TEXTS = { de, en, es, fr };
const tell = (language, key, values) => filled(TEXTS[language][key], values);

export class AssayCertificate extends AssayElement {
  #verdict = element('div', { part: 'verdict' }, this.icon, this.status);
  #body = element('div', { part: 'body' });
  #note = element('p', { part: 'note' });
  #box = element('article', { part: 'certificate' }, this.#verdict, this.#body, this.#note);

  constructor() {
    super();
    this.begin(this.#box, sheet);
  }

  async show({ addresses, language, signal }) {
    const turn = { addresses, language, signal, verdict: null };
    this.#body.replaceChildren();
    if (addresses === null) {
      this.#set(turn, unreachable(language));
      return;
    }
    this.#box.ariaLabel = tell(language, 'title');
    this.#set(turn, { code: 'loading', look: 'grey', headline: say(language, 'badge', 'loading') });
    this.#watch(turn);
    let report;
    try {
      report = await reportOf(addresses.report, signal);
      turn.verdict = verdictFrom(report, addresses, language);
    } catch {
      if (!signal.aborted && !this.#isFramed) {
        this.#set(turn, unreachable(language), this.#open(turn));
      }
      return;
    }
    if (!signal.aborted) {
      this.#set(turn, turn.verdict, this.#checkedThere(turn));
      await this.#check(turn, report);
    }
  }

  /** Listens for requests that the page's content security policy blocks. Without these events, a blocked request looks like a service that is down. */
  #watch(turn) {
    const { addresses, signal } = turn;
    const blocked = ({ blockedURI, effectiveDirective }) => {
      if (effectiveDirective === 'connect-src' && addresses.report.startsWith(blockedURI)) {
        this.#frame(turn);
      } else if (effectiveDirective === 'frame-src' && addresses.page.startsWith(blockedURI)) {
        this.#body.replaceChildren();
        const { verdict } = turn;
        this.#set(turn, verdict ?? unreachable(turn.language), verdict === null ? this.#open(turn) : this.#checkedThere(turn));
      }
    };
    document.addEventListener('securitypolicyviolation', blocked, { signal });
  }

  /** Checks the documents of a report in this browser, if there are any. */
  async #check(turn, report) {
    const { addresses, language, signal } = turn;
    const documents = [report.metadata, report.evidence, report.schema];
    if (documents.includes(null) || typeof report.asset?.imprint !== 'string') {
      return;
    }
    try {
      if (JSON.stringify(documents).length > MAX_LENGTH) {
        throw new Error('the documents are too long');
      }
      const { checkHere, confirmHere } = await import('./check-here.js');
      const { own, draw } = await checkHere(report);
      if (signal.aborted) {
        return;
      }
      const date = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short' }).format(new Date());
      const note = [tell(language, 'checkedHere', { date, host: addresses.host }), ' ', ...this.#open(turn)];
      this.#body.replaceChildren(...draw(language));
      this.#set(turn, verdictFrom(report, addresses, language, own), note);
      const issuer = await confirmHere(report, addresses.page.startsWith('http:'));
      if (!signal.aborted && issuer.isRead) {
        const read = tell(language, 'issuerHere', { domain: report.issuer.domain });
        this.#set(turn, verdictFrom(report, addresses, language, { ...own, ...issuer.own }), [read, ' ', ...note]);
      }
    } catch {
      // The page's policy refuses the module, the WebAssembly or its request. Or the documents are too long, or of a kind that is not checked here.
      if (!signal.aborted) {
        this.#frame(turn);
      }
    }
  }

  /** Shows the service's own page, which checks the certificate under its own content security policy. */
  #frame(turn) {
    const { addresses, language, verdict } = turn;
    if (this.#isFramed) {
      return;
    }
    this.#set(turn, verdict ?? unreachable(language), [tell(language, 'framed', { host: addresses.host }), ' ', ...this.#open(turn)]);
    const frame = { part: 'frame', sandbox: SANDBOX, referrerpolicy: 'no-referrer', title: tell(language, 'title'), src: `${addresses.page}?embed&lang=${language}` };
    this.isFallback = false;
    this.#verdict.hidden = true;
    this.states = ['framed', ...(verdict === null ? [] : [verdict.code, verdict.look])];
    this.#body.replaceChildren(element('iframe', frame));
  }

  get #isFramed() {
    return this.#body.querySelector('iframe') !== null;
  }

  #set({ language }, verdict, note = []) {
    this.#verdict.hidden = false;
    this.line(verdict, language);
    this.#note.replaceChildren(...note);
  }

  #checkedThere(turn) {
    return [tell(turn.language, 'checkedThere', { host: turn.addresses.host }), ' ', ...this.#open(turn)];
  }

  /** Returns a link to the page of the certificate. */
  #open({ addresses, language }) {
    return [element('a', { part: 'link', href: addresses.page }, tell(language, 'open', { host: addresses.host }))];
  }
}

define('assay-certificate', AssayCertificate);
