// Reads the file of a domain. This runs in a worker, because the worker's policy allows requests to other hosts, and the page's policy does not.
import { fetchFile } from '/view/issuer.ts';
import { serve } from '/lib/serve.ts';

export type Tasks = typeof TASKS;

const TASKS = {
  /** Returns the text of `did.json`, or null if this browser cannot read it. */
  async read({ domain, protocol }: { domain: string; protocol: string }): Promise<string | null> {
    const found = await fetchFile({ domain, protocol });
    return 'text' in found ? found.text : null;
  },
};

serve(TASKS);
