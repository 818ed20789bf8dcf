// Keeps what a person has begun in a view as a draft, and offers it when the page is opened again.
import { type Draft, keepDraft, keepDraftFile, readDraft, removeDraft, removeDrafts } from '/lib/drafts.ts';
import type { SignedIn } from '/lib/sign-in.ts';
import { momentText, say } from '/lib/texts.ts';
import { type Store, storeOf, useStore } from '/components/store.ts';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { HEADING } from './state.ts';

/** What a view keeps of its state. */
export interface Kept<Content extends object> {
  readonly content: Content;
  readonly file?: Uint8Array | null;
}

/** How a view keeps drafts. */
export interface Drafts<State, Action, Content extends object> {
  /** The name of the view. */
  readonly view: string;
  /** Returns the store of a session, which outlives the view. */
  readonly store: (session: SignedIn) => Store<State, Action>;
  /** Returns what is to be kept, or null if nothing is unfinished. */
  readonly keptOf: (state: State) => Kept<Content> | null;
  /** Returns true for content of this version of the page. */
  readonly isContent: (value: unknown, file: Uint8Array | null) => value is Content;
  /** Continues a draft. */
  readonly restore: (content: Content, file: Uint8Array<ArrayBuffer> | null, dispatch: (action: Action) => void) => Promise<unknown>;
}

/** What is known about the draft: it is looked for, offered, or decided on. `large` says that the draft is too large for this browser. */
type Offer = 'looking' | 'decided' | 'large' | Draft;

interface Keeper {
  readonly offer: Store<Offer, Offer>;
  readonly goOn: () => void;
  readonly startAgain: () => void;
}

/** The sessions that have ended. A late answer must not write a draft that the end has removed. */
const ended = new WeakSet<SignedIn>();

/** Removes the drafts of a session that ends, unless the person stays signed in on this device, or the service ended the session. */
export function endDrafts(session: SignedIn): void {
  ended.add(session);
  if (!session.isStaying && !session.hasExpired) {
    removeDrafts(session.account).catch(() => {});
  }
}

function keeperOf<State, Action, Content extends object>({ view, store, keptOf, isContent, restore }: Drafts<State, Action, Content>, session: SignedIn): Keeper {
  const { account } = session;
  const { state, dispatch, watch } = store(session);
  const offer = storeOf<Offer, Offer>((_, next) => next, 'looking');
  let [saved, savedFile]: [string | null, Uint8Array | null] = [null, null];
  let isWaiting = false;
  const save = async () => {
    isWaiting = false;
    const kept = keptOf(state());
    const text = kept === null ? null : JSON.stringify(kept.content);
    const file = kept?.file ?? null;
    if (ended.has(session) || (text === saved && file === savedFile)) {
      return;
    }
    const isOtherFile = file !== savedFile;
    [saved, savedFile] = [text, file];
    if (kept === null) {
      await removeDraft(account, view);
      return;
    }
    // A draft without its file would be a list without rows.
    const isFileKept = file === null || !isOtherFile || (await keepDraftFile(account, view, file));
    const isKept = isFileKept && !ended.has(session) && (await keepDraft(account, view, kept.content));
    offer.dispatch(isKept || ended.has(session) ? 'decided' : 'large');
  };
  let saving = Promise.resolve();
  const begin = () => {
    offer.dispatch('decided');
    watch(() => {
      if (!isWaiting) {
        isWaiting = true;
        // One write at a time. A browser that stores nothing loses the draft only.
        saving = saving.then(save).catch(() => offer.dispatch('large'));
      }
    });
  };
  readDraft(account, view)
    .then((found) => (found === null || !isContent(found.content, found.file) ? begin() : offer.dispatch(found)))
    .catch(begin);
  return {
    offer,
    goOn() {
      const found = offer.state();
      if (typeof found === 'object' && isContent(found.content, found.file)) {
        offer.dispatch('looking');
        restore(found.content, found.file, dispatch).then(begin, begin);
      }
    },
    startAgain() {
      begin();
      removeDraft(account, view).catch(() => {});
    },
  };
}

/** Returns a component that offers the draft of an earlier visit, and shows the view once the person has decided. */
export function draftsOf<State, Action, Content extends object>(drafts: Drafts<State, Action, Content>) {
  const keepers = new WeakMap<SignedIn, Keeper>();
  return function Drafted({ session, children }: { readonly session: SignedIn; readonly children: ComponentChildren }) {
    const { offer, goOn, startAgain } = useMemo(() => {
      const keeper = keepers.get(session) ?? keeperOf(drafts, session);
      keepers.set(session, keeper);
      return keeper;
    }, [session]);
    const [found] = useStore(offer);
    if (found === 'looking') {
      return <p role="status">{say('console.loading')}</p>;
    }
    if (typeof found === 'object') {
      return <Offered at={found.at} goOn={goOn} startAgain={startAgain} />;
    }
    return (
      <>
        {found === 'large' && (
          <p class="hint" id="draft-large" role="status">
            {say('drafts.large')}
          </p>
        )}
        {children}
      </>
    );
  };
}

function Offered({ at, goOn, startAgain }: { readonly at: number } & Pick<Keeper, 'goOn' | 'startAgain'>) {
  // The buttons disappear with the decision.
  useLayoutEffect(() => () => document.getElementById(HEADING)?.focus(), []);
  return (
    <div class="field" id="draft">
      <p>{say('drafts.found', { date: momentText(new Date(at)) })}</p>
      <p class="actions">
        <button type="button" class="primary" id="draft-go-on" onClick={goOn}>
          {say('drafts.goOn')}
        </button>{' '}
        <button type="button" id="draft-again" onClick={startAgain}>
          {say('drafts.again')}
        </button>
      </p>
      <p class="hint">{say('drafts.hint')}</p>
    </div>
  );
}
