export { Cert, init } from '../cert/verify/src/init.js';
