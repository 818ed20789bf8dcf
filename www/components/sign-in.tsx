// The ways to sign in, as a component.
import { type SignedIn, type Staying, offerSignIn } from '/lib/sign-in.ts';
import { useDrawn } from './drawn.ts';

interface Properties {
  /** Gets each session, and null when the person chooses another account. */
  readonly changed: (session: SignedIn | null) => void;
  /** Whether the person can make a new key. */
  readonly canDraw?: boolean;
  readonly isInert?: boolean;
  /** Keeps sessions after the person leaves the page. */
  readonly staying?: Staying;
  /** Called before the person leaves a session. Returns false to stay. */
  readonly leaving?: (session: SignedIn) => Promise<boolean>;
}

export function SignIn({ changed, canDraw = false, isInert = false, staying, leaving }: Properties) {
  const place = useDrawn<HTMLDivElement>((place) => offerSignIn(place, changed, { canDraw, ...(staying && { staying }), ...(leaving && { leaving }) }), []);
  return <div id="sign-in" inert={isInert} ref={place} />;
}
