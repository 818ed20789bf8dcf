// The settings of this service. Does not use the DOM.
import { isObject, own, visible } from '../../pkg/view/src/json.ts';

/**
 * The settings of this service. `name` begins the texts that accounts sign. `files` is true if it hosts files, and `isOnChain` if its ledger is a chain. `pause` is the
 * operator's message while changes are paused, or null.
 */
export interface Service {
  name: string;
  authorizationText: string;
  files: boolean;
  isOnChain: boolean;
  pause: string | null;
}

let service: Promise<Service> | undefined;

/** Returns the settings of this service, from the data of `/health`. They are read once. */
export function serviceOf(): Promise<Service> {
  service ??= readService().catch((error) => {
    service = undefined;
    throw error;
  });
  return service;
}

async function readService(): Promise<Service> {
  const answer = await fetch('/health', { headers: { accept: 'application/json' } });
  const data = own(await answer.json(), 'data');
  const [name, authorizationText, pause] = [own(data, 'service'), own(data, 'authorizationText'), own(data, 'pause')];
  if (typeof name !== 'string' || typeof authorizationText !== 'string') {
    throw new TypeError('the service has no text to sign');
  }
  return { name, authorizationText, files: isObject(own(data, 'files')), isOnChain: isObject(own(data, 'chain')), pause: typeof pause === 'string' ? visible(pause) : null };
}
