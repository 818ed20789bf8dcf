// The view of problems: what failed or is stuck, why, and what can be done about it.
import { type Entry, factOf, idOf, readEntries } from '/lib/book.ts';
import { MAX_NAME, readNames } from '/lib/contacts.ts';
import { explained } from '/lib/signer.ts';
import { hasText, listText, momentText, say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { visible } from '/view/json.ts';
import { Certified } from '/components/text.tsx';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Cause } from '../causes.tsx';
import type { ViewProperties } from '../views.ts';
import { MAX_CERTIFICATES, MAX_RECORDS, problemsOf, tryAgain } from './source.ts';
import { type Action, type Problem, type Proposed, SOURCES, START, type Source, type State, keyOf, reduce } from './state.ts';

/** The sources that are read at once. */
const FIRST = SOURCES.filter((source) => source !== 'files');

interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  readonly book: ReadonlyMap<string, Entry>;
}

/** The maximum number of certificates of an order that are named. */
const MAX_NAMED = 5;

export function View(properties: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, START);
  const [book, setBook] = useState<ReadonlyMap<string, Entry>>(new Map());
  const given = { ...properties, state, dispatch, book };
  useEffect(() => {
    // The list is useful without the book.
    readEntries().then(setBook, () => {});
    for (const source of FIRST) {
      read(given, source);
    }
  }, []);
  const { sources, problems } = state;
  const isReading = [...sources.values()].includes('reading');
  const isWhole = FIRST.every((source) => sources.get(source) === 'read');
  return (
    <div id="problems">
      <p class="lead" id="problems-count" role="status">
        {isReading ? say('console.loading') : isWhole && say('problems.count', { count: problems.length })}
      </p>
      <p class="hint">{say('problems.bounds', { most: MAX_RECORDS })}</p>
      <ul class="entries" id="problems-list">
        {problems.map((problem) => (
          <li key={keyOf(problem)}>
            <OneProblem {...given} problem={problem} />
          </li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" id="problems-again" disabled={isReading} onClick={() => FIRST.forEach((source) => read(given, source))}>
          {say('problems.reload')}
        </button>{' '}
        <button type="button" id="problems-files" disabled={isReading || properties.registers.length === 0} onClick={() => read(given, 'files')}>
          {say('problems.files', { most: MAX_CERTIFICATES })}
        </button>
        <span class="note" role="status">
          {sources.get('files') === 'read' && !problems.some(({ source }) => source === 'files') && say('problems.filesFine')}
        </span>
      </p>
    </div>
  );
}

async function read({ session, registers, dispatch, answered }: PartProperties, source: Source): Promise<void> {
  dispatch({ type: 'reading', source });
  try {
    dispatch({ type: 'read', source, problems: await problemsOf(source, session, registers, Date.now()) });
  } catch (error) {
    dispatch({ type: 'failed', source });
    answered(refusal(explained(error)));
  }
}

/** Asks the service to try again, and then reads the problems of the same source again. */
async function remedied(properties: PartProperties, problem: Problem): Promise<void> {
  const { session, dispatch, answered } = properties;
  if (problem.remedy === null) {
    return;
  }
  dispatch({ type: 'trying', key: keyOf(problem) });
  answered(busy(say('problems.trying')));
  try {
    await tryAgain(session, problem.remedy);
    answered({ kind: 'valid', text: say(`problems.tried.${problem.remedy.kind}`) });
    await read(properties, problem.source);
  } catch (error) {
    answered(refusal(explained(error)));
  } finally {
    dispatch({ type: 'trying', key: null });
  }
}

function OneProblem({ problem, ...properties }: PartProperties & { readonly problem: Problem }) {
  const { what, name, signer, proposed, actions, at, code, reason, message, remedy, certificate } = problem;
  const shownName = signer === null ? name : (readNames().get(signer.toLowerCase()) ?? signer);
  return (
    <>
      <h3>
        {say(`problems.what.${what}`, { count: Math.max(1, proposed.length) })} <Certified text={shownName.slice(0, MAX_NAME)} />
      </h3>
      {proposed.length > 0 && (
        <ul class="named">
          {proposed.slice(0, MAX_NAMED).map((one) => (
            <li>
              <Certified text={describedIn(properties.book, one)} />
            </li>
          ))}
          {proposed.length > MAX_NAMED && <li>{say('problems.proposedMore', { count: proposed.length - MAX_NAMED })}</li>}
        </ul>
      )}
      {actions.length > 0 && <p>{listText(actions.map(([kind, count]) => say(`problems.actions.${kind}`, { count })))}</p>}
      {certificate !== null && (
        <p>
          <a href={fragmentOf('certificates', certificate.ledgerId, certificate.id)}>
            <code class="long">{certificate.id}</code>
          </a>
          : {hasText(`headline.${certificate.headline}`) ? say(`headline.${certificate.headline}`) : certificate.headline}
        </p>
      )}
      <Cause code={code} reason={reason} message={message} />
      <p class="hint">
        {at !== null && momentText(new Date(at))}
        {code !== null && (
          <>
            {' · '}
            <a href={`/docs/#${code}`}>{say('problems.code', { code })}</a>
          </>
        )}
      </p>
      <p class="actions">
        {remedy !== null && (
          <button type="button" disabled={properties.state.trying !== null} onClick={() => remedied(properties, problem)}>
            {say(`problems.remedies.${remedy.kind}`)}
          </button>
        )}{' '}
        <Advice problem={problem} />
      </p>
    </>
  );
}

/** Returns what the list or the book of this browser says about a certificate, and the end of its number. */
function describedIn(book: PartProperties['book'], { ledgerId, id, holder, title }: Proposed): string {
  const entry = book.get(idOf({ ledger: ledgerId, asset: id }));
  const facts = [holder ?? factOf(entry, 'holder'), title ?? factOf(entry, 'title')].map((fact) => fact.slice(0, MAX_NAME));
  return visible([...facts, say('problems.number', { number: id.slice(-4) })].filter((text) => text !== '').join(', '));
}

/** Where to go on, if the service cannot try again itself. If the certificates of an order are not known, it may be for one certificate or for a list. */
function Advice({ problem: { what, proposed } }: { readonly problem: Problem }) {
  switch (what) {
    case 'orderDeclined':
    case 'orderLapsed': {
      const count = Math.max(1, proposed.length);
      return (
        <>
          {/* The certificates of a list are kept with the list. */}
          <a href={fragmentOf(count > 1 ? 'many' : 'issue')}>{say('problems.issueAgain', { count })}</a> {proposed.length === 0 && <a href={fragmentOf('many')}>{say('problems.continueList')}</a>}{' '}
          <span class="hint">{say(`problems.advice.${what}`, { count })}</span>
        </>
      );
    }
    case 'orderFailed':
    case 'orderStuck':
    case 'orderUnsigned':
    case 'deploymentFailed':
    case 'deploymentStuck':
    case 'deliveryLate':
      return <span class="hint">{say(`problems.advice.${what}`)}</span>;
    case 'webhookSilent':
      return <a href={fragmentOf('developers')}>{say('problems.webhook')}</a>;
    case 'domainFailing':
    case 'domainUnconfirmed':
      return <a href={fragmentOf('organisation')}>{say('problems.domain')}</a>;
    default:
      return null;
  }
}
