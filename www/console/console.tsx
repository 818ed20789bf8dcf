// The console: one page for the daily work of an issuer. Its views are loaded when they are opened. state.ts has the state that all views share, and each
// view one of its own.
import { part } from '/lib/part.ts';
import { byId } from '/lib/page.ts';
import { showOperator } from '/lib/operator.ts';
import { staying } from '/lib/staying.ts';
import { addTexts, offerLanguages, say, translate } from '/lib/texts.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { SignIn } from '/components/sign-in.tsx';
import { type ComponentChild, render } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';
import { addressIn, fragmentOf } from './address.ts';
import { type Dispatch, findStanding } from './knowing.ts';
import { FirstSteps, Strangers } from './leading.tsx';
import { HEADING, START, type State, reduce } from './state.ts';
import { VIEWS, type ViewName, type ViewProperties } from './views.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

function Page() {
  const [state, dispatch] = useReducer(reduce, START, (start) => ({ ...start, address: addressIn(location.hash) ?? start.address }));
  const { session } = state;
  useEffect(() => {
    const move = () => {
      const address = addressIn(location.hash);
      if (address !== null) {
        dispatch({ type: 'moved', address });
      }
      // Their links keep the fragment.
      offerLanguages(byId('languages'));
    };
    addEventListener('hashchange', move);
    return () => removeEventListener('hashchange', move);
  }, []);
  useEffect(() => {
    findStanding(session, dispatch);
  }, [session]);
  useLayoutEffect(() => {
    // Until a new key is saved, it exists only on this page.
    const stay = (event: Event) => session?.isUnsaved && event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [session]);
  useFocus(state.focus);
  useAnswer(state.answer);
  return (
    <>
      <SignIn changed={(session) => dispatch({ type: 'signedIn', session })} canDraw staying={staying} />
      {session === null ? (
        <p class="lead" id="lead">
          {say('console.lead')}
        </p>
      ) : (
        <Console state={state} session={session} dispatch={dispatch} />
      )}
    </>
  );
}

function Console({ state, session, dispatch }: Properties & { readonly session: NonNullable<State['session']> }) {
  const { registers, isConfirmed, address } = state;
  const view = VIEWS.find(({ name }) => name === address.view) ?? VIEWS[0];
  return (
    <>
      <Views state={state} dispatch={dispatch} />
      <section class="view" id="view-place" aria-labelledby={HEADING}>
        <h2 id={HEADING} tabIndex={-1}>
          {say(`console.views.${view.name}`)}
        </h2>
        {registers === null && <p role="status">{say('console.loading')}</p>}
        {registers !== null && registers.length === 0 && view.needsRegister && <FirstSteps session={session} isConfirmed={isConfirmed === true} />}
        {registers !== null && (registers.length > 0 || !view.needsRegister) && (
          // Another account begins anew.
          <Opened
            key={`${view.name} ${session.account}`}
            name={view.name}
            session={session}
            registers={registers}
            parts={address.parts}
            answered={(answer) => dispatch({ type: 'answered', answer })}
          />
        )}
      </section>
      {isConfirmed === false && <Strangers state={state} dispatch={dispatch} />}
    </>
  );
}

/** The navigation between the views. A small screen shows the current view only, until the person unfolds the others. */
function Views({ state: { address, isMenuOpen }, dispatch }: Properties) {
  return (
    <nav class="views" aria-label={say('console.navigation')}>
      <button type="button" id="views-button" aria-expanded={isMenuOpen} aria-controls="views" onClick={() => dispatch({ type: 'menuToggled' })}>
        {say('console.menu', { view: say(`console.views.${address.view}`) })}
      </button>
      <ul id="views" class={isMenuOpen ? 'open' : undefined}>
        {VIEWS.map(({ name }) => (
          <li>
            <a href={fragmentOf(name)} aria-current={name === address.view ? 'page' : undefined}>
              {say(`console.views.${name}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

type Component = (properties: ViewProperties) => ComponentChild;

/** A view, once its module and texts are loaded. */
function Opened({ name, ...properties }: ViewProperties & { readonly name: ViewName }) {
  const [View, setView] = useState<Component | null>(null);
  useEffect(() => {
    const view = VIEWS.find((one) => one.name === name) ?? VIEWS[0];
    Promise.all([part<{ readonly View: Component }>(view.load()), addTexts(view.texts)]).then(
      ([module]) => setView(() => module.View),
      (error) => properties.answered(refusal(error)),
    );
  }, []);
  return View === null ? <p role="status">{say('console.loading')}</p> : <View {...properties} />;
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
render(<Page />, byId('page'));
