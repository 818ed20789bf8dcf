// The worker that certifies documents for the list of issued certificates.
import { beside } from '/lib/beside.ts';
import type { Tasks } from '../workers/documents/batch.ts';

export const { ask } = beside<Tasks>(new URL('../workers/documents/batch.ts', import.meta.url));
