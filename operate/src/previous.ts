// Adds files of the deployed release to a build. After the deployment, open tabs of that release still find their files.
//
// `release.json` lists the files of a release whose names have a hash of the content. The list of the build stays unchanged, so the next
// deployment does not keep these files again.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** The names that a list may have. The service at the address could be another one, whose names must not lead out of these folders. */
const NAME = /^\/(chunks|workers\/\w+)\/\w[\w.-]*$/;
/** The maximum number of files and of bytes in all files. A release has about 400 files with 13 MB, most of them parts of fonts that seldom change. */
const MOST = 1000;
const MOST_BYTES = 100_000_000;
/** Timeout of a request in milliseconds. */
const TIMEOUT = 20_000;

/** Downloads the missing files of the release at an address into a folder of assets, and returns their names. A release without a list has none. */
export async function keepPrevious(address: string, assets: string): Promise<string[]> {
  const listed = await ask(address, "/release.json");
  if (listed.status === 404) return [];
  const { files }: { files?: unknown } = JSON.parse((await bodyOf(listed)).toString());
  if (!isList(files)) throw new Error(`${listed.url} is not the list of a release`);
  const kept: string[] = [];
  let bytes = 0;
  for (const name of files) {
    const target = path.join(assets, name);
    if (existsSync(target)) continue;
    const content = await bodyOf(await ask(address, name));
    bytes += content.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`the release at ${address} has more than ${MOST_BYTES} bytes`);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, content);
    kept.push(name);
  }
  return kept;
}

const isList = (files: unknown): files is string[] => Array.isArray(files) && files.length <= MOST && files.every((name) => typeof name === "string" && NAME.test(name));

const ask = (address: string, name: string) => fetch(new URL(name, address), { redirect: "error", signal: AbortSignal.timeout(TIMEOUT) });

async function bodyOf(answer: Response): Promise<Buffer> {
  if (answer.status !== 200) throw new Error(`${answer.url} answered ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}
