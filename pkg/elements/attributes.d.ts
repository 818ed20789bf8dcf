/** The attributes of both elements, as templates of frameworks take them. */
export interface AssayAttributes {
  /** The address of the service that has the ledger: https, or http on this machine. */
  service: string;
  /** The ledger's address, `0x` and 40 hexadecimal digits. */
  ledger: string;
  /** The asset's id, in decimal digits, or in hexadecimal digits after `0x`. Long ids are strings. */
  asset: string | number;
  /** `en`, `de`, `fr` or `es`. By default the page's language. */
  lang?: string | undefined;
}
