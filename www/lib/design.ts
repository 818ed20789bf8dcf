// How the certificates of a template are printed. The choice is kept in this browser. Does not use the DOM.
import { own } from '../../pkg/view/src/json.ts';

export const LAYOUTS = ['portrait', 'landscape'] as const;

export interface Design {
  layout: (typeof LAYOUTS)[number];
  /** The colour of frame, lines and seal: `#` and 6 hexadecimal digits. */
  colour: string;
  /** Pictures as `data:` addresses, or null. */
  logo: string | null;
  signature: string | null;
  /** The name below the signature, and the signer's role. */
  signer: string;
}

export const DEFAULT: Design = { layout: 'portrait', colour: '#8a6d1f', logo: null, signature: null, signer: '' };

/** The maximum length of the name below the signature, in UTF-16 code units. */
export const MAX_SIGNER = 120;

/** The key of a template's design in the browser's storage. `template` is the id of the template's schema. */
const keyOf = (template: string) => `assay.design.${template}`;

/** Returns the design of a template. Anything that another version or program has stored in another form gets its default. */
export function designOf(template: string): Design {
  try {
    return parsed(JSON.parse(localStorage.getItem(keyOf(template)) ?? 'null'));
  } catch {
    return DEFAULT;
  }
}

/** Keeps the design of a template. Returns false if the browser cannot store it. */
export function keepDesign(template: string, design: Design): boolean {
  try {
    localStorage.setItem(keyOf(template), JSON.stringify(design));
    return true;
  } catch {
    return false;
  }
}

export function parsed(value: unknown): Design {
  const [layout, colour, logo, signature, signer] = ['layout', 'colour', 'logo', 'signature', 'signer'].map((name) => own(value, name));
  const pictureOf = (address: unknown) => (typeof address === 'string' && /^data:image\/jpeg;base64,[\w+/=]+$/.test(address) ? address : null);
  return {
    layout: LAYOUTS.find((one) => one === layout) ?? DEFAULT.layout,
    colour: typeof colour === 'string' && /^#[0-9a-f]{6}$/i.test(colour) ? colour : DEFAULT.colour,
    logo: pictureOf(logo),
    signature: pictureOf(signature),
    signer: typeof signer === 'string' ? signer.slice(0, MAX_SIGNER) : DEFAULT.signer,
  };
}
