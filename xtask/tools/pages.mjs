// Bundles the scripts and styles of the pages in `www` with esbuild (decision 0057).
//
//   node xtask/tools/pages.mjs --out DIR [--minify]
//
// An HTML file names its script and style, which keep their names. The browser revalidates them. All other files have names with a hash of
// their content, so browsers may keep them: `/chunks/` has shared modules, texts and WebAssembly, and `/workers/` has workers. A folder below
// `/workers/` has one content policy (www/_headers). Writes the names with a hash into `release.json`, from which the next deployment keeps
// these files.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const WWW = path.join(ROOT, "www");
const WORKERS = path.join(WWW, "workers");

const { values } = parseArgs({ options: { out: { type: "string" }, minify: { type: "boolean", default: false } } });
const out = path.resolve(values.out);

const common = {
  absWorkingDir: ROOT,
  bundle: true,
  charset: "utf8",
  format: "esm",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  minify: values.minify,
  outbase: WWW,
  outdir: out,
  target: "es2022",
};

/** The addresses of files that scripts name by `new URL('…', import.meta.url)`, by path. */
const addresses = new Map();

/** Returns the address at which a written file is served. */
const addressIn = (file) => `/${path.relative(out, file).replaceAll(path.sep, "/")}`;

/** Returns the address of a worker or of a file such as WebAssembly, after it was written with a hash in its name. Each file is written once. */
function addressOf(file) {
  if (!addresses.has(file)) addresses.set(file, file.startsWith(WORKERS) ? writeWorker(file) : writeCopy(file));
  return addresses.get(file);
}

async function writeWorker(file) {
  // A worker is one file, so the policy of its folder holds for its whole code.
  const { metafile } = await build({ ...common, entryPoints: [file], entryNames: "[dir]/[name]-[hash]", plugins: [addressed] });
  return addressIn(path.join(ROOT, Object.keys(metafile.outputs)[0]));
}

async function writeCopy(file) {
  const content = await readFile(file);
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const { name, ext } = path.parse(file);
  const address = `/chunks/${name}-${hash}${ext}`;
  await mkdir(path.join(out, "chunks"), { recursive: true });
  await writeFile(path.join(out, address), content);
  return address;
}

/** The forms in which scripts name another file, and all files whose names begin and end alike. */
const FILE = /new URL\((['"])(\.[^'"]+)\1, import\.meta\.url\)/g;
const FILES = /new URL\(`(\.[^`$]+\/)\$\{(\w+)\}([^`$]*)`, import\.meta\.url\)/g;

/** Replaces the files that scripts name by their addresses. */
const addressed = {
  name: "addresses",
  setup({ onLoad }) {
    onLoad({ filter: /[/\\](www|pkg)[/\\].*\.(js|tsx?)$/ }, async ({ path: file }) => {
      const folder = path.dirname(file);
      let contents = await readFile(file, "utf8");
      for (const [whole, , relative] of [...contents.matchAll(FILE)]) {
        contents = contents.replace(whole, urlOf(JSON.stringify(await addressOf(path.join(folder, relative)))));
      }
      for (const [whole, start, variable, end] of [...contents.matchAll(FILES)]) {
        const names = (await readdir(path.join(folder, start))).filter((name) => name.endsWith(end));
        const all = names.map(async (name) => [name.slice(0, -end.length), await addressOf(path.join(folder, start, name))]);
        contents = contents.replace(whole, urlOf(`${JSON.stringify(Object.fromEntries(await Promise.all(all)))}[${variable}]`));
      }
      return { contents, loader: path.extname(file).slice(1) };
    });
  },
};

const urlOf = (address) => `new URL(${address}, import.meta.url)`;

/** Returns the sources in `www` of the scripts and styles that an HTML file names. The source of a script is TypeScript, with JSX or without. */
async function entriesOf(html) {
  const text = await readFile(html, "utf8");
  const named = [...text.matchAll(/<script type="module" src="([^"]+)"|<link rel="stylesheet" href="([^"]+)"/g)].map(([, script, style]) => script ?? style);
  const sources = named.flatMap((address) => (address.endsWith(".js") ? [".ts", ".tsx"].map((end) => address.replace(/\.js$/, end)) : [address]));
  return sources.map((address) => path.join(WWW, address)).filter((file) => known.has(file));
}

await rm(out, { recursive: true, force: true });
const files = (await readdir(WWW, { recursive: true })).map((name) => path.join(WWW, name));
const own = ["certificate.html", "link.html", "page.html"].map((name) => path.join(ROOT, "edge-api/assets", name));
const pages = [...files.filter((file) => file.endsWith(".html")), ...own];
const known = new Set(files);
// Each page is bundled alone: with a common run, a module that two pages share would be a file of its own, and so a request.
await Promise.all(
  pages.map(async (page) => {
    const entryPoints = await entriesOf(page);
    if (entryPoints.length > 0) await build({ ...common, entryPoints, splitting: true, chunkNames: "chunks/[name]-[hash]", plugins: [addressed] });
  }),
);
const written = (await readdir(out, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
const hashed = written.map((entry) => addressIn(path.join(entry.parentPath, entry.name))).filter((name) => /^\/(chunks|workers)\//.test(name));
await writeFile(path.join(out, "release.json"), JSON.stringify({ files: hashed.sort() }));
