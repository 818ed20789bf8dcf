// Reads the files of pkg/view/texts from the service. A saved page has them inside itself (www/saved/text-source.ts).
import { part } from './part.ts';

/** Reads the file with this name. The build replaces the address by that of the file with a hash in its name. */
export function readTexts(name: string): Promise<unknown> {
  return part(readJson(new URL(`../../pkg/view/texts/${name}.json`, import.meta.url)));
}

async function readJson(address: URL): Promise<unknown> {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(`${answer.url} answers ${answer.status}`);
  }
  return answer.json();
}
