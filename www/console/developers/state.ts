// The state of the view for developers, and its reducer. Does not use the DOM, workers or the clock.
import type { ApiKey, Delivery, NewApiKey, Request, Session, Webhook } from '/client/index.js';

export interface State {
  /** Null until they are read. */
  readonly keys: readonly ApiKey[] | null;
  /** The new key with its secret, until the person hides it. */
  readonly fresh: NewApiKey | null;
  readonly sessions: readonly Session[] | null;
  readonly webhook: Webhook | null;
  readonly deliveries: readonly Delivery[];
  readonly requests: readonly Request[] | null;
  /** The cursor of the next requests. Null at the end. */
  readonly next: string | null;
  readonly isBusy: boolean;
}

export type Action =
  | { readonly type: 'keysRead'; readonly keys: readonly ApiKey[] }
  | { readonly type: 'keyMade'; readonly key: NewApiKey }
  | { readonly type: 'keyHidden' }
  | { readonly type: 'keyRevoked'; readonly ref: string }
  | { readonly type: 'sessionsRead'; readonly sessions: readonly Session[] }
  | { readonly type: 'sessionEnded'; readonly ref: string }
  | { readonly type: 'webhookRead'; readonly webhook: Webhook; readonly deliveries: readonly Delivery[] }
  | { readonly type: 'requestsRead'; readonly requests: readonly Request[]; readonly isMore: boolean; readonly next: string | null }
  | { readonly type: 'busy'; readonly isBusy: boolean };

export const START: State = { keys: null, fresh: null, sessions: null, webhook: null, deliveries: [], requests: null, next: null, isBusy: false };

/** Returns the state after an action. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'keysRead':
      return { ...state, keys: action.keys };
    case 'keyMade': {
      // The secret is in `fresh` only, so that hiding it forgets it.
      const { key: _, ...key } = action.key;
      return { ...state, fresh: action.key, keys: [{ ...key, usedAt: null }, ...(state.keys ?? [])] };
    }
    case 'keyHidden':
      return { ...state, fresh: null };
    case 'keyRevoked':
      return { ...state, keys: state.keys?.filter(({ ref }) => ref !== action.ref) ?? null, fresh: state.fresh?.ref === action.ref ? null : state.fresh };
    case 'sessionsRead':
      return { ...state, sessions: action.sessions };
    case 'sessionEnded':
      return { ...state, sessions: state.sessions?.filter(({ ref }) => ref !== action.ref) ?? null };
    case 'webhookRead':
      return { ...state, webhook: action.webhook, deliveries: action.deliveries };
    case 'requestsRead':
      return { ...state, requests: action.isMore ? [...(state.requests ?? []), ...action.requests] : action.requests, next: action.next };
    case 'busy':
      return { ...state, isBusy: action.isBusy };
  }
}

/** Returns the sessions that "end all others" ends. */
export const othersOf = (sessions: readonly Session[]): Session[] => sessions.filter(({ isCurrent }) => !isCurrent);

/** Returns a text as one word of a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns a request as a command of a POSIX shell. The log has neither the body nor the credential, so the command reads the credential from the environment, and
 * a request with a body names a file.
 */
export function curlOf({ method, url }: Pick<Request, 'method' | 'url'>): string {
  const body = method === 'POST' || method === 'PUT' ? " -H 'content-type: application/json' -d @body.json" : '';
  const chosen = method === 'GET' ? '' : ` -X ${quoted(method)}`;
  return `curl${chosen} -H "authorization: Bearer $ASSAY_API_KEY"${body} ${quoted(url)}`;
}

/** The form of a reference, and of the `id` in an answer. */
const REF = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the reference in a search, or null. */
export function refIn(text: string): string | null {
  const ref = text.trim().toLowerCase();
  return REF.test(ref) ? ref : null;
}
