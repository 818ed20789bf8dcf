export { Cert, identify, init } from '@assay/cert';
