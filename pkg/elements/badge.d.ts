/**
 * `<assay-badge ledger="0x…" asset="1" service="https://…">`: the verdict on a certificate in one line, with a link to its page. Importing the
 * module defines the element. Its attributes, parts and states for CSS are in the README.
 */
export class AssayBadge extends HTMLElement {}

declare global {
  interface HTMLElementTagNameMap {
    'assay-badge': AssayBadge;
  }
}
