export * from './aih2/dist/index.js';
