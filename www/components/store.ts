// Keeps a state beyond the life of its component. So a person who leaves a view of the console loses no input and no answer.
import type { SignedIn } from '../lib/sign-in.ts';
import { useLayoutEffect, useReducer } from 'preact/hooks';

export interface Store<State, Action> {
  readonly state: () => State;
  readonly dispatch: (action: Action) => void;
  /** Calls `changed` after each action. Returns a function that ends this. */
  readonly watch: (changed: () => void) => () => void;
}

export function storeOf<State, Action>(reduce: (state: State, action: Action) => State, start: State): Store<State, Action> {
  let state = start;
  const watchers = new Set<() => void>();
  return {
    state: () => state,
    dispatch(action) {
      state = reduce(state, action);
      for (const changed of watchers) {
        changed();
      }
    },
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
  };
}

/** Returns the state of a store and its function `dispatch`, as `useReducer` does. */
export function useStore<State, Action>(store: Store<State, Action>): readonly [State, (action: Action) => void] {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  const drawn = store.state();
  useLayoutEffect(() => {
    // The parts of the component may have dispatched before.
    if (store.state() !== drawn) {
      redraw();
    }
    return store.watch(() => redraw());
  }, [store]);
  return [drawn, store.dispatch];
}

/** Returns a function that makes one store for each session of the console. While `isUnsaved` is true, the browser asks before the page is left. */
export function storesOf<State, Action>(reduce: (state: State, action: Action) => State, startOf: (session: SignedIn) => State, isUnsaved: (state: State) => boolean) {
  const kept = new WeakMap<SignedIn, Store<State, Action>>();
  return (session: SignedIn): Store<State, Action> => {
    const found = kept.get(session);
    if (found !== undefined) {
      return found;
    }
    const made = storeOf(reduce, startOf(session));
    addEventListener('beforeunload', (event) => isUnsaved(made.state()) && event.preventDefault());
    kept.set(session, made);
    return made;
  };
}
