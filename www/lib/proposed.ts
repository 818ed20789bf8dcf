// The certificates of this browser's orders that a colleague has to sign too. The service deletes the content of a declined order, so only the browser can name its certificate. Does
// not use the DOM.
import { noteFirst, readNoted } from './noted.ts';

/** The key of the list in the browser's storage. */
const KEY = 'assay.proposed';
/** The maximum number of orders. The oldest ones are dropped. */
const MAX_ORDERS = 300;

interface Proposed {
  readonly ledgerId: string;
  readonly id: string;
}

/** Notes the certificate that an order issues. */
export function noteProposed(order: string, { ledgerId, id }: Proposed): void {
  noteFirst(KEY, [order, ledgerId.toLowerCase(), id].join('/'), MAX_ORDERS);
}

/** Returns the certificates by the references of their orders. */
export const readProposed = (): Map<string, Proposed> =>
  new Map(
    readNoted(KEY).flatMap((entry): [string, Proposed][] => {
      const [order, ledgerId, id] = entry.split('/');
      return order === undefined || ledgerId === undefined || id === undefined ? [] : [[order, { ledgerId, id }]];
    }),
  );
