// Replaces one certificate, with the form of the page of issued certificates. It names the certificate and asks for the last digits of its number first.
import { useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { say } from '/lib/texts.ts';
import type { OwnLedger } from '/lib/issuing.ts';
import type { Asset } from '/client/index.js';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { START, type State, reduce } from '../../issued/state.ts';
import { LastDigits, NamedCertificates } from './last-digits.tsx';
import { readBook, refusal } from './listing.ts';
import { lookUp } from './source.ts';
import { type Certificate, isConfirmedBy, keyOf } from './state.ts';
import type { PartProperties } from './view.tsx';

interface Properties extends PartProperties {
  readonly certificate: Certificate;
  readonly asset: Asset;
  readonly register: OwnLedger;
  readonly holder: string;
  readonly title: string;
  readonly ended: () => void;
}

export function Replace({ session, state, dispatch, answered, certificate, asset, register, holder, title, ended }: Properties) {
  const begin = (start: State): State => {
    const record = state.details.get(keyOf(certificate))?.record ?? null;
    const item = { asset, known: holder === '' ? null : holder, record, name: title, isTicked: true, reason: null };
    const known = [
      { type: 'signedIn', session },
      { type: 'ledgersFound', session, ledgers: [register], keys: new Map() },
      { type: 'replacing', item, ledger: register },
    ] as const;
    return known.reduce<State>(reduce, start);
  };
  const [replacing, act] = useReducer(reduce, START, begin);
  const [typed, setTyped] = useState('');
  const isConfirmed = isConfirmedBy(typed, certificate);
  const form = usePart(
    isConfirmed,
    () => import('../../issued/content.tsx'),
    (error) => answered(refusal(error)),
  );
  useFocus(replacing.focus);
  useAnswer(replacing.answer);
  const isOver = replacing.replacement === null;
  useEffect(() => {
    if (isOver) {
      dispatch({ type: 'replaced', id: certificate });
      lookUp(session, [register], [certificate]).then(
        (found) => dispatch({ type: 'lookedUp', found }),
        (error) => answered(refusal(error)),
      );
      // The new content may have another holder, which the list, its search and printed sheets show.
      readBook(dispatch).catch((error) => answered(refusal(error)));
      answered(replacing.answer);
      ended();
    }
  }, [isOver]);
  const named = { ...certificate, holder, title };
  return (
    <section class="field" id="replacing" aria-labelledby="replacing-title">
      <h3 id="replacing-title" tabIndex={-1}>
        {say('issued.replaceTitle')}
      </h3>
      <p>{say('issued.replaceHint')}</p>
      <NamedCertificates certificates={[named]} />
      <LastDigits certificate={named} typed={typed} problem={typed.length === 4 && !isConfirmed ? say('certificates.digitsWrong') : ''} entered={setTyped} />
      {isConfirmed && form !== null && <form.Content state={replacing} dispatch={act} />}
      <p class="actions">
        <button type="button" id="replace-cancel" onClick={ended}>
          {say('signIn.cancel')}
        </button>
      </p>
    </section>
  );
}
