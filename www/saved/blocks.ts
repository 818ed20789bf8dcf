// The data inside a saved page, in elements that browsers do not run.
import { byId } from '../lib/page.ts';

/** Returns the text of the block with an id. */
export const blockOf = (id: string): string => byId(id).textContent;

/** Returns the bytes of a block, which has them compressed by gzip and in base64. */
export async function bytesOf(id: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(blockOf(id)), (character) => character.charCodeAt(0));
  return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}
