export * from './badge.js';
export * from './certificate.js';
