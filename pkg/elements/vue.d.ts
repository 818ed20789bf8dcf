// The elements in Vue's templates: `import type {} from '@assay/elements/vue'`. Vue's compiler needs `isCustomElement`, too.
import type { HTMLAttributes } from 'vue';
import type { AssayAttributes } from './attributes.js';
import type { AssayBadge } from './badge.js';
import type { AssayCertificate } from './certificate.js';

/** An element as Vue describes components. */
type Component<Element> = new () => Element & { $props: HTMLAttributes & AssayAttributes };

declare module 'vue' {
  interface GlobalComponents {
    'assay-badge': Component<AssayBadge>;
    'assay-certificate': Component<AssayCertificate>;
  }
}
