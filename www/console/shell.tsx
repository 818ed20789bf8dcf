// What a person who is signed in sees: the navigation, the current view, and what is missing before the first certificate. This part is loaded with the session.
import { hideAtHome, regionOf } from '/lib/answers.ts';
import { part } from '/lib/part.ts';
import { addTexts, say } from '/lib/texts.ts';
import { refusal } from '/components/answer.ts';
import { Paused } from '/components/paused.tsx';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { fragmentOf } from './address.ts';
import { endDrafts } from './drafts.tsx';
import { hasEarly } from './early.ts';
import { type Dispatch, findRegisters, findStanding } from './knowing.ts';
import { FirstSteps, Strangers } from './leading.tsx';
import { isNoted } from './operator/known.ts';
import { HEADING, type State } from './state.ts';
import { LISTED, VIEWS, type ViewName, type ViewProperties } from './views.ts';

interface Properties {
  readonly state: State;
  readonly dispatch: Dispatch;
}

export function Shell({ state, session, dispatch }: Properties & { readonly session: NonNullable<State['session']> }) {
  const { registers, isConfirmed, address } = state;
  const view = viewOf(address.view);
  useEffect(() => () => endDrafts(session), [session]);
  // An effect after the paint would begin the requests a frame later, also in the two places below that lead to the first rows.
  useLayoutEffect(() => {
    findStanding(session, dispatch);
  }, [session]);
  useEffect(() => {
    // While the registers are read. A failure is reported when the view is opened, which tries again.
    loadEarly(view.name);
  }, [view]);
  return (
    <>
      <Views state={state} session={session} dispatch={dispatch} />
      {/* After the requests for the first rows. */}
      {registers !== null && <Paused />}
      <section class="view" id="view-place" aria-labelledby={HEADING}>
        <h2 id={HEADING} tabIndex={-1}>
          {say(`console.views.${view.name}`)}
        </h2>
        {registers === null && <p role="status">{say('console.loading')}</p>}
        {registers !== null && registers.length === 0 && view.needsRegister && <FirstSteps session={session} isConfirmed={isConfirmed === true} dispatch={dispatch} />}
        {registers !== null && (registers.length > 0 || !view.needsRegister) && (
          // Another account begins anew.
          <Opened
            key={`${view.name} ${session.account}`}
            name={view.name}
            session={session}
            registers={registers}
            parts={address.parts}
            answered={(answer) => dispatch({ type: 'answered', answer })}
            lookAgain={() => findRegisters(session, dispatch)}
            confirmationFound={(isConfirmed) => dispatch({ type: 'standingFound', session, isConfirmed })}
          />
        )}
      </section>
      {isConfirmed === false && view === VIEWS[0] && address.parts.length === 0 && <Strangers key={session.account} state={state} session={session} dispatch={dispatch} />}
    </>
  );
}

/** The navigation between the views. A small screen shows the current view only, until the person unfolds the others. */
function Views({ state: { address, isMenuOpen }, session, dispatch }: Properties & { readonly session: NonNullable<State['session']> }) {
  const listed = LISTED.filter((view) => !('isForOperators' in view) || view.name === address.view || isNoted(session.account));
  return (
    <nav class="views" aria-label={say('console.navigation')}>
      <button type="button" id="views-button" aria-expanded={isMenuOpen} aria-controls="views" onClick={() => dispatch({ type: 'menuToggled' })}>
        {say('console.menu', { view: say(`console.views.${address.view}`) })}
      </button>
      <ul id="views" class={isMenuOpen ? 'open' : undefined}>
        {listed.map(({ name }) => (
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

/** The views that are loaded or being loaded. */
const loading = new Map<ViewName, Promise<Component>>();

/** Loads the module and the texts of a view, once. After a failure, the next call tries again. */
function load({ name, load, texts }: (typeof VIEWS)[number]): Promise<Component> {
  const all = async () => {
    const [module] = await Promise.all([
      part<{ readonly View: Component }>(load()),
      ...texts
        .split(' ')
        .filter((group) => !hasEarly(group))
        .map(addTexts),
    ]);
    return module.View;
  };
  const found =
    loading.get(name) ??
    all().catch((error) => {
      loading.delete(name);
      throw error;
    });
  loading.set(name, found);
  return found;
}

/** Loads a view early, before the session and the registers are known. */
export function loadEarly(name: ViewName): void {
  load(viewOf(name)).catch(() => {});
}

const viewOf = (name: ViewName) => VIEWS.find((view) => view.name === name) ?? VIEWS[0];

/** A view, once its module and texts are loaded. */
function Opened({ name, ...properties }: ViewProperties & { readonly name: ViewName }) {
  const [View, setView] = useState<Component | null>(null);
  // The answer is below a control of the view, and the next view needs it.
  useLayoutEffect(() => () => hideAtHome(regionOf('answer')), []);
  useLayoutEffect(() => {
    load(viewOf(name)).then(
      (View) => setView(() => View),
      (error) => properties.answered(refusal(error)),
    );
  }, []);
  return View === null ? <p role="status">{say('console.loading')}</p> : <View {...properties} />;
}
