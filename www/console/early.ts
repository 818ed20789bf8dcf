// Begins, before the page has its texts, what a kept session needs for its first rows: modules, texts, and what the service knows of the account. Each would
// otherwise be one more round trip. The entry imports this module first, because the texts hold up the modules after them.
import { keptSession } from '/lib/kept-session.ts';

/** The requests of a session and its registers, as the client sends them. A test finds a request that is sent twice. */
const PATHS = ['/account', '/deployments?statuses=7&skip=0&limit=100', '/ledgers?skip=0&limit=100', '/account/abilities?skip=0&limit=100'];
/** The groups of texts of the shell, and of the view that is shown if the address names none. */
const TEXTS = ['issue', 'certificates'];

const answers = new Map<string, Promise<Response>>();
const texts = document.documentElement.dataset;

if (keptSession() !== null) {
  for (const path of PATHS) {
    const answer = fetch(path, { headers: { accept: 'application/json' }, redirect: 'manual' });
    // The client asks again.
    answer.catch(() => {});
    answers.set(location.origin + path, answer);
  }
  texts.texts = [texts.texts, ...TEXTS].join(' ');
  // The build names the modules' addresses.
  for (const address of document.querySelector<HTMLMetaElement>('meta[name=early]')?.content.split(' ') ?? []) {
    const link = document.createElement('link');
    Object.assign(link, address.endsWith('.js') ? { rel: 'modulepreload' } : { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous' });
    link.href = address;
    document.head.append(link);
  }
}

/** As `fetch` for the client, but the first request of each early path gets the answer that is already on its way. */
export function fetchEarly(address: URL | RequestInfo, request?: RequestInit): Promise<Response> {
  const early = request?.method === 'GET' ? answers.get(String(address)) : undefined;
  answers.delete(String(address));
  return early ?? fetch(address, request);
}

/** Returns true if the texts of a group are loaded with the page. */
export const hasEarly = (group: string): boolean => texts.texts?.split(' ').includes(group) ?? false;
