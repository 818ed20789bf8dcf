/**
 * `<assay-badge ledger="0x…" asset="1" service="https://…">`: the verdict on a certificate in one line, with a link to its page. Importing the
 * module in a browser defines the element. Its attributes, parts and states for CSS are in the README.
 */
export interface AssayBadge extends HTMLElement {}
export const AssayBadge: { new (): AssayBadge; readonly prototype: AssayBadge };

declare global {
  /** Empty in projects without TypeScript's library `dom`, such as servers that render pages. */
  interface HTMLElement {}
  interface HTMLElementTagNameMap {
    'assay-badge': AssayBadge;
  }
}
