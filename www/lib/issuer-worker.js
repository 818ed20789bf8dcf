// Checks outside the page whether a domain confirms an account: the policy of this worker allows requests to other hosts, and the page's does not.
import { checkIssuer } from './issuer.js';

self.addEventListener('message', async ({ data }) => {
  self.postMessage(await checkIssuer(data));
});
