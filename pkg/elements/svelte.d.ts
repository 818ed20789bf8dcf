// The elements in Svelte's templates: `import type {} from '@assay/elements/svelte'`.
import type { HTMLAttributes } from 'svelte/elements';
import type { AssayAttributes } from './attributes.js';
import type { AssayBadge } from './badge.js';
import type { AssayCertificate } from './certificate.js';

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'assay-badge': Omit<HTMLAttributes<AssayBadge>, keyof AssayAttributes> & AssayAttributes;
    'assay-certificate': Omit<HTMLAttributes<AssayCertificate>, keyof AssayAttributes> & AssayAttributes;
  }
}
