// Uses of the types. `tsc` fails on a `@ts-expect-error` without an error.
import { AssayBadge, AssayCertificate } from '@assay/elements';
import { AssayBadge as OwnBadge } from '@assay/elements/badge';
import { AssayCertificate as OwnCertificate } from '@assay/elements/certificate';

const badge: AssayBadge = document.createElement('assay-badge');
const certificate: AssayCertificate | null = document.querySelector('assay-certificate');
badge.setAttribute('asset', '1');
certificate?.setAttribute('service', 'https://assay.example');
export const same: [OwnBadge, OwnCertificate | null] = [badge, certificate];
// @ts-expect-error: the element has no such method
document.createElement('assay-badge').show();
