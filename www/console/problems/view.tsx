// The view of problems: what failed or is stuck, why, and what can be done about it.
import { MAX_NAME } from '/lib/contacts.ts';
import { explained } from '/lib/signer.ts';
import { hasText, listText, momentText, say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { Certified } from '/components/text.tsx';
import { useEffect, useReducer } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import { Cause } from '../causes.tsx';
import type { ViewProperties } from '../views.ts';
import { MAX_CERTIFICATES, MAX_RECORDS, problemsOf, tryAgain } from './source.ts';
import { type Action, type Problem, SOURCES, START, type Source, type State, keyOf, reduce } from './state.ts';

/** The sources that are read at once. */
const FIRST = SOURCES.filter((source) => source !== 'files');

interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
}

export function View(properties: ViewProperties) {
  const [state, dispatch] = useReducer(reduce, START);
  const given = { ...properties, state, dispatch };
  useEffect(() => {
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
  const { what, name, actions, at, code, reason, message, remedy, certificate } = problem;
  return (
    <>
      <h3>
        {say(`problems.what.${what}`)} <Certified text={name.slice(0, MAX_NAME)} />
      </h3>
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

/** Where to go on, if the service cannot try again itself. */
function Advice({ problem: { what } }: { readonly problem: Problem }) {
  switch (what) {
    case 'orderFailed':
    case 'orderStuck':
    case 'orderUnsigned':
    case 'deploymentFailed':
    case 'deploymentStuck':
    case 'deliveryLate':
      return <span class="hint">{say(`problems.advice.${what}`)}</span>;
    case 'webhookSilent':
      return <a href={fragmentOf('developers')}>{say('problems.webhook')}</a>;
    case 'domainUnconfirmed':
      return <a href={fragmentOf('organisation')}>{say('problems.domain')}</a>;
    default:
      return null;
  }
}
