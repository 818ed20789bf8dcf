// Checks whether a domain confirms an account. This runs in a worker, because the worker's policy
// allows requests to other hosts, and the page's policy does not.
import { checkIssuer } from '/view/issuer.ts';
import type { IssuerQuestion } from '/view/issuer.ts';

self.addEventListener('message', async ({ data }: MessageEvent<IssuerQuestion>) => {
  self.postMessage(await checkIssuer(data));
});
