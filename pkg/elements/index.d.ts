export type { AssayAttributes } from './attributes.js';
export * from './badge.js';
export * from './certificate.js';
