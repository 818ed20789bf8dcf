// Checks whether a domain confirms an account. This runs in a worker, because the worker's policy
// allows requests to other hosts, and the page's policy does not.
import { checkIssuer } from './issuer.js';

self.addEventListener('message', async ({ data }) => {
  self.postMessage(await checkIssuer(data));
});
