export { Cert, identify, init } from '../cert/src/init.js';
