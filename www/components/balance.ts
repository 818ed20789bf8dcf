// The costs and the balance of a session as a hook.
import { BALANCE_CHANGED, refreshBalance } from '/lib/balance.ts';
import type { Costs, SignedIn } from '/lib/sign-in.ts';
import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';

/** Returns the costs, and draws again when the balance has changed. With `isFresh`, reads the balance when the component is shown. */
export function useCosts(session: SignedIn | null, isFresh = false): Costs | null {
  const [, redraw] = useReducer<number, void>((count) => count + 1, 0);
  useLayoutEffect(() => {
    const draw = () => redraw();
    addEventListener(BALANCE_CHANGED, draw);
    return () => removeEventListener(BALANCE_CHANGED, draw);
  }, []);
  const costs = session?.costs ?? null;
  useEffect(() => {
    if (isFresh && session !== null) {
      refreshBalance(session);
    }
  }, [session]);
  return costs;
}
