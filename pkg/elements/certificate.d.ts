/**
 * `<assay-certificate ledger="0x…" asset="1" service="https://…">`: a certificate, checked in the visitor's browser. Importing the module
 * defines the element. Its attributes, parts and states for CSS are in the README.
 */
export class AssayCertificate extends HTMLElement {}

declare global {
  interface HTMLElementTagNameMap {
    'assay-certificate': AssayCertificate;
  }
}
