// Names a certificate before something about it changes for good, and asks for the last digits of its number.
import { say } from '/lib/texts.ts';
import { Certified } from '/components/text.tsx';
import type { Id } from './state.ts';

/** The number of certificates above which their list may have to be scrolled. */
const MANY = 4;

export interface Named extends Id {
  readonly holder: string;
  readonly title: string;
}

export function NamedCertificates({ certificates }: { readonly certificates: readonly Named[] }) {
  return (
    // Keyboards scroll a long list only if it takes the focus.
    <ul class="named" tabIndex={certificates.length > MANY ? 0 : undefined} aria-label={say('certificates.affected')}>
      {certificates.map(({ holder, title, id }) => (
        <li>
          <b>
            <Certified text={holder === '' ? say('certificates.noHolder') : holder} />
          </b>
          , <Certified text={title} />, <code class="long">{id}</code>
        </li>
      ))}
    </ul>
  );
}

interface Properties {
  readonly certificate: Named;
  readonly typed: string;
  readonly problem: string;
  readonly entered: (typed: string) => void;
}

export function LastDigits({ certificate: { holder, title }, typed, problem, entered }: Properties) {
  return (
    <p>
      <label for="last-digits">{say('certificates.lastDigits', { name: holder === '' ? title : holder })}</label>
      <input
        id="last-digits"
        inputMode="numeric"
        autocomplete="off"
        maxLength={4}
        aria-describedby="last-digits-problem"
        aria-invalid={problem === '' ? undefined : 'true'}
        value={typed}
        onInput={({ currentTarget }) => entered(currentTarget.value)}
      />
      <span class="problem" id="last-digits-problem" role="status">
        {problem}
      </span>
    </p>
  );
}
