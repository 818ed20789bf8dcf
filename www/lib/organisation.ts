// The name, logo and contact of the organisation, kept in this browser so that nobody enters them twice. Does not use the DOM.
import { own } from '../../pkg/view/src/json.ts';

const KEY = 'assay.organisation';
/** The maximum length of a value, in UTF-16 code units. */
const MAX = 300;

/** Empty texts are not known. */
export interface Organisation {
  readonly organisation: string;
  readonly logo: string;
  readonly contact: string;
}

/** Returns what a stored text says. All that another version or program has stored in another form is empty. */
export function organisationIn(text: string | null): Organisation {
  let value: unknown = null;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    // Another program has stored it.
  }
  const [organisation = '', logo = '', contact = ''] = ['organisation', 'logo', 'contact'].map((name) => {
    const given = own(value, name);
    return typeof given === 'string' ? given.slice(0, MAX) : '';
  });
  return { organisation, logo, contact };
}

export function readOrganisation(): Organisation {
  try {
    return organisationIn(localStorage.getItem(KEY));
  } catch {
    return organisationIn(null);
  }
}

export function keepOrganisation({ organisation, logo, contact }: Organisation): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ organisation, logo, contact }));
  } catch {
    // Without storage, the person enters them again.
  }
}
