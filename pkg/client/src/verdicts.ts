// The verdicts on certificates, without the code that signs. A page that only shows verdicts does not load the client's WebAssembly.
import { connection } from "./connection.js";
import type { ConnectionOptions } from "./connection.js";
import type { AbortSignal } from "./host.js";
import { Transport, path } from "./http.js";
import type { CallOptions } from "./http.js";
import { named } from "./named.js";
import type { Envelope, Validity } from "./types.js";

export { DEFAULT_API_URL } from "./connection.js";
export type { ConnectionOptions } from "./connection.js";
export { ApiError, ClientError, ClientErrorCode, ConnectionError } from "./errors.js";
export type * from "./types.js";

/** The addresses of images that take the place of the service's own. */
export interface BadgeImages {
  validImg?: string | undefined;
  invalidImg?: string | undefined;
}

/** Fetches the verdict on an asset. */
export function validity(transport: Transport, ledgerId: string, assetId: string, call: CallOptions): Promise<Envelope<Validity>> {
  return transport.send({ method: "GET", path: "/badge.json", query: Object.entries({ ledgerId, assetId }), open: true }, call);
}

/** Returns the address of an asset's certificate. */
export function certificateAddress(transport: Transport, ledgerId: string, assetId: string): string {
  return transport.url({ path: path`/c/${ledgerId}/${assetId}` });
}

/** Returns the address of an asset's badge. */
export function badgeAddress(transport: Transport, ledgerId: string, assetId: string, images: BadgeImages | undefined): string {
  const given = Object.entries(named(images, ["validImg", "invalidImg"])).filter(([, url]) => url !== undefined);
  const query = [...Object.entries({ ledgerId, assetId }), ...given.map(([name, url]): [string, string] => [name, String(url)])];
  return transport.url({ path: "/badge", query });
}

/** Reads verdicts from a service. Needs no account. `Client` has the same functions. */
export class Verdicts {
  readonly #transport: Transport;

  constructor(options?: ConnectionOptions) {
    this.#transport = new Transport(connection(named(options, ["apiUrl", "allowHttp", "retries", "timeout", "fetch"])));
  }

  /** Returns the verdict on an asset, with reasons. */
  async getValidity(ledgerId: string, assetId: string, call?: { signal?: AbortSignal | undefined }): Promise<Envelope<Validity>> {
    return validity(this.#transport, ledgerId, assetId, named(call, ["signal"]));
  }

  /** Returns the address of an asset's certificate, a page for people. */
  certificateUrl(ledgerId: string, assetId: string): string {
    return certificateAddress(this.#transport, ledgerId, assetId);
  }

  /** Returns the address of an asset's badge, for an `<img>`. */
  badgeUrl(ledgerId: string, assetId: string, images?: BadgeImages): string {
    return badgeAddress(this.#transport, ledgerId, assetId, images);
  }
}
