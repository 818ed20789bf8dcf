// The view for developers: API keys, sessions, the webhook, and the log of requests.
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { useEffect, useReducer } from 'preact/hooks';
import type { ViewProperties } from '../views.ts';
import { Keys } from './keys.tsx';
import { Requests } from './requests.tsx';
import { Sessions } from './sessions.tsx';
import { type Action, START, type State, reduce } from './state.ts';
import { WebhookPart } from './webhook.tsx';

/** The maximum number of keys, sessions and deliveries that are shown, and of requests that one step of the log reads. */
export const MOST = 50;

export interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  /** Runs an operation, and reports the sentence with this key when it has ended. Refuses with the reason of a failure. */
  readonly act: (operation: () => Promise<void>, done?: string) => Promise<void>;
}

export function View(properties: ViewProperties) {
  const { session, answered } = properties;
  const [state, dispatch] = useReducer(reduce, START);
  const act = async (operation: () => Promise<void>, done?: string) => {
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say('developers.working')));
    try {
      await operation();
      answered(done === undefined ? null : { kind: 'valid', text: say(done) });
    } catch (error) {
      answered(refusal(explained(error)));
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
  };
  const given: PartProperties = { ...properties, state, dispatch, act };
  useEffect(() => {
    const reads = [readKeys, readSessions, readWebhook, readRequests].map((read) => read(given));
    Promise.all(reads).catch((error) => answered(refusal(explained(error))));
  }, [session]);
  return (
    <div id="developers">
      <p class="lead">
        {say('developers.lead')} <a href="/docs/">{say('developers.docs')}</a>
      </p>
      <Keys {...given} />
      <Sessions {...given} />
      <WebhookPart {...given} />
      <Requests {...given} />
    </div>
  );
}

async function readKeys({ session: { client }, dispatch }: PartProperties) {
  dispatch({ type: 'keysRead', keys: (await client.getApiKeys({ limit: MOST })).data });
}

async function readSessions({ session: { client }, dispatch }: PartProperties) {
  dispatch({ type: 'sessionsRead', sessions: (await client.getSessions({ limit: MOST })).data });
}

/** Reads the webhook and its newest deliveries. */
export async function readWebhook({ session: { client }, dispatch }: PartProperties) {
  const [webhook, deliveries] = [(await client.getAccountWebhook()).data, (await client.getAccountWebhookDeliveries({ limit: MOST })).data];
  dispatch({ type: 'webhookRead', webhook, deliveries });
}

/** Reads the newest requests, or those after a cursor. */
export async function readRequests({ session: { client }, dispatch }: PartProperties, after?: string) {
  const { data, meta } = await client.getRequests({ limit: MOST, ...(after === undefined ? {} : { after }) });
  dispatch({ type: 'requestsRead', requests: data, isMore: after !== undefined, next: meta.next ?? null });
}
