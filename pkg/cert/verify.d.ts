export * from './verify/dist/index.js';
