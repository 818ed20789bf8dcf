// The elements in JSX of React 18 and 19: `import type {} from '@assay/elements/react'`.
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type { AssayAttributes } from './attributes.js';
import type { AssayBadge } from './badge.js';
import type { AssayCertificate } from './certificate.js';

/** React 18 passes `class` to custom elements, but not `className`. */
type Props<Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element> & AssayAttributes & { class?: string | undefined };

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'assay-badge': Props<AssayBadge>;
      'assay-certificate': Props<AssayCertificate>;
    }
  }
}
