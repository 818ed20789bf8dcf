// The operator's view, for the accounts that may administer the service: requests for admission, the pause, blocks, stuck work, tokens, personal data, and the audit log.
import { ApiError, ErrorCode } from '/client/index.js';
import { explained } from '/lib/signer.ts';
import { say } from '/lib/texts.ts';
import { busy, refusal } from '/components/answer.ts';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { fragmentOf } from '../address.ts';
import type { ViewProperties } from '../views.ts';
import { Admissions } from './admissions.tsx';
import { noteOperator } from './known.ts';
import { AuditLog, Blocks, PausePart, Stuck, Tokens } from './parts.tsx';
import { Personal } from './personal.tsx';
import { type Action, PARTS, START, type State, partIn, reduce } from './state.ts';

export interface PartProperties extends ViewProperties {
  readonly state: State;
  readonly dispatch: (action: Action) => void;
  /** Sends a change, and reports when it is done. `what` names the change. */
  readonly act: (send: () => Promise<void>, what: string) => Promise<void>;
}

const VIEWS = { admissions: Admissions, pause: PausePart, blocks: Blocks, stuck: Stuck, tokens: Tokens, personal: Personal, audit: AuditLog } as const;

export function View(properties: ViewProperties) {
  const { session, parts, answered } = properties;
  const [state, dispatch] = useReducer(reduce, START);
  const heading = useRef<HTMLHeadingElement>(null);
  const act = async (send: () => Promise<void>, what: string) => {
    dispatch({ type: 'busy', isBusy: true });
    answered(busy(say('operate.sending')));
    let isDone = false;
    try {
      await send();
      isDone = true;
      answered({ kind: 'valid', text: say('operate.done', { what }) });
    } catch (error) {
      answered(refusal(explained(error)));
    } finally {
      dispatch({ type: 'busy', isBusy: false });
    }
    if (isDone) {
      dispatch({ type: 'closed' });
    }
  };
  const given: PartProperties = { ...properties, state, dispatch, act };
  useEffect(() => {
    findAccess(given);
  }, [session]);
  const part = partIn(parts[0]);
  const shown = useRef(part);
  useLayoutEffect(() => {
    if (shown.current !== part) {
      shown.current = part;
      dispatch({ type: 'closed' });
      heading.current?.focus();
    }
  }, [part]);
  if (state.isAllowed === null) {
    return <p role="status">{say('console.loading')}</p>;
  }
  if (!state.isAllowed) {
    return (
      <p class="lead" id="operate-refused">
        {say('operate.refused')}
      </p>
    );
  }
  const Part = VIEWS[part];
  return (
    <div id="operate">
      <nav aria-label={say('operate.navigation')}>
        <ul class="parts">
          {PARTS.map((one) => (
            <li>
              <a href={fragmentOf('operator', one)} aria-current={one === part ? 'page' : undefined}>
                {say(`operate.parts.${one}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <h3 tabIndex={-1} ref={heading}>
        {say(`operate.parts.${part}`)}
      </h3>
      <Part key={part} {...given} />
    </div>
  );
}

/** Asks the service for the pause, which only administrators may read. Notes what it answers. */
export async function findAccess({ session: { client, account }, dispatch, answered }: PartProperties): Promise<void> {
  try {
    const { data } = await client.getAdminPause();
    dispatch({ type: 'allowed', pause: data });
    noteOperator(account, true);
  } catch (error) {
    if (error instanceof ApiError && error.errors.some(({ code }) => code === ErrorCode.NotAnAdministrator)) {
      dispatch({ type: 'refused' });
      noteOperator(account, false);
    } else {
      answered(refusal(explained(error)));
    }
  }
}
