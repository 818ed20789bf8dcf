export { Cert, init } from '@assay/cert/verify';
