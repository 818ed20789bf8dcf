// `<assay-badge>`: the verdict on a certificate in one line, from the service's `/badge.json`.
import { AssayElement, define, element, sheetOf, unreachable } from './element.js';
import { reportOf } from './reports.js';
import { say } from './texts.js';
import { verdictFrom } from './verdict.js';
import style from './badge.css';
import looks from './looks.css';

const sheet = sheetOf(looks + style);

export class AssayBadge extends AssayElement {
  #link = element('a', { part: 'badge' }, this.icon, this.status);

  constructor() {
    super();
    this.begin(this.#link, sheet);
  }

  async show({ addresses, language, signal }) {
    if (addresses === null) {
      this.#link.removeAttribute('href');
      this.line(unreachable(language), language);
      return;
    }
    this.#link.href = addresses.page;
    this.line({ code: 'loading', look: 'grey', headline: say(language, 'badge', 'loading') }, language);
    let verdict;
    try {
      verdict = verdictFrom(await reportOf(addresses.report, signal), addresses, language);
    } catch {
      verdict = unreachable(language);
    }
    if (!signal.aborted) {
      this.line(verdict, language);
    }
  }
}

define('assay-badge', AssayBadge);
