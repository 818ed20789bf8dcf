// The console: one page for the daily work of an issuer. The entry signs in, and everything else is loaded with the session. state.ts has the state that all
// views share, and each view has one of its own.
import { fetchEarly, hasEarly } from './early.ts';
import { byId } from '/lib/page.ts';
import { part } from '/lib/part.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { showOperator } from '/lib/operator.ts';
import { stayingWith } from '/lib/staying.ts';
import { addTexts, offerLanguages, say, translate } from '/lib/texts.ts';
import { visible } from '/view/json.ts';
import { refusal, useAnswer, useFocus } from '/components/answer.ts';
import { usePart } from '/components/part.ts';
import { SignIn } from '/components/sign-in.tsx';
import { render } from 'preact';
import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';
import { type Address, addressIn } from './address.ts';
import { START, reduce } from './state.ts';

const staying = stayingWith(fetchEarly);
/** Whether this browser notes a session, when the page is opened. */
const isKept = staying.isKept();

function Page() {
  const [state, dispatch] = useReducer(reduce, START, (start) => ({ ...start, address: addressIn(location.hash) ?? start.address }));
  const { session, address } = state;
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
  const shell = usePart(
    // A session that this browser keeps comes one round trip later.
    session !== null || isKept,
    () =>
      Promise.all([import('./shell.tsx'), hasEarly('issue') ? null : addTexts('issue')]).then(([shell]) => {
        shell.loadEarly(address.view);
        return shell;
      }),
    (error) => dispatch({ type: 'answered', answer: refusal(error) }),
  );
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
      <SignIn changed={(session) => dispatch({ type: 'signedIn', session })} canDraw staying={staying} leaving={leaving} />
      {session === null ? (
        <p class="lead" id="lead">
          {address.view === 'join' ? say('console.joinLead', { inviter: inviterIn(address) }) : say('console.lead')}
        </p>
      ) : (
        shell !== null && <shell.Shell state={state} session={session} dispatch={dispatch} />
      )}
    </>
  );
}

/** Asks what stays in this browser. A failure keeps nobody signed in. */
const leaving = (session: SignedIn) =>
  part(import('./remaining.ts')).then(
    ({ askWhatStays }) => askWhatStays(session),
    () => true,
  );

/** The maximum length of the name in an invitation, in UTF-16 code units. */
const MAX_NAME = 80;

/** Returns who invites, as the link says: a name, or the address of an account. */
function inviterIn({ parts: [account = '', name = ''] }: Address): string {
  return visible((name.trim() === '' ? account : name.trim()).slice(0, MAX_NAME));
}

translate();
offerLanguages(byId('languages'));
showOperator(byId('operator'));
render(<Page />, byId('page'));
