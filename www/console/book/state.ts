// The state of the view of the register book, and its reducer. Does not use the DOM, workers or the clock.
export interface State {
  /** The number of entries, and of those with a holder. Null until the book is read. */
  readonly size: { readonly entries: number; readonly named: number } | null;
  /** The files in progress. Null if there are none. */
  readonly reading: readonly File[] | null;
  readonly note: string;
}

export type Action =
  | { readonly type: 'sized'; readonly size: State['size'] }
  | { readonly type: 'reading'; readonly files: readonly File[] }
  | { readonly type: 'progressed'; readonly files: readonly File[]; readonly text: string }
  | { readonly type: 'ended'; readonly files: readonly File[]; readonly text: string }
  | { readonly type: 'noted'; readonly text: string };

export const START: State = { size: null, reading: null, note: '' };

/** Returns the state after an action. Progress of earlier files changes nothing. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'sized':
      return { ...state, size: action.size };
    case 'reading':
      return state.reading === null ? { ...state, reading: action.files, note: '' } : state;
    case 'progressed':
      return action.files === state.reading ? { ...state, note: action.text } : state;
    case 'ended':
      return action.files === state.reading ? { ...state, reading: null, note: action.text } : state;
    case 'noted':
      return { ...state, note: action.text };
  }
}
