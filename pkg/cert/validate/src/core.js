import load, { SchemaValidator, initSync as loadSync } from '../dist/validate.js';
import { loading } from '../../src/loading.js';

export { SchemaValidator };

const url = () => new URL('../dist/validate_bg.wasm', import.meta.url);

export const { init, initSync, ready } = loading(load, loadSync, url);
