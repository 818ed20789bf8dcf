/**
 * `<assay-certificate ledger="0x…" asset="1" service="https://…">`: a certificate, checked in the visitor's browser. Importing the module in a
 * browser defines the element. Its attributes, parts and states for CSS are in the README.
 */
export interface AssayCertificate extends HTMLElement {}
export const AssayCertificate: { new (): AssayCertificate; readonly prototype: AssayCertificate };

declare global {
  /** Empty in projects without TypeScript's library `dom`, such as servers that render pages. */
  interface HTMLElement {}
  interface HTMLElementTagNameMap {
    'assay-certificate': AssayCertificate;
  }
}
