// The address of a view: `/console/#<view>/<part>/…`. Browsers do not send the fragment, so no log of the service has a certificate's number.
import { VIEWS, type ViewName } from './views.ts';

export interface Address {
  readonly view: ViewName;
  readonly parts: readonly string[];
}

export const START: Address = { view: VIEWS[0].name, parts: [] };

/** Returns the address in a fragment. Returns null for a fragment that names no view, such as `#main`, the target of the link to the content. */
export function addressIn(fragment: string): Address | null {
  if (fragment === '' || fragment === '#') {
    return START;
  }
  const [name, ...parts] = fragment.slice(1).split('/').map(decoded);
  const view = VIEWS.find((one) => one.name === name);
  return view === undefined ? null : { view: view.name, parts };
}

/** Returns the fragment of a view. */
export const fragmentOf = (view: ViewName, ...parts: string[]): string => `#${[view, ...parts].map(encodeURIComponent).join('/')}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
