export { AssayBadge } from './badge.js';
export { AssayCertificate } from './certificate.js';
