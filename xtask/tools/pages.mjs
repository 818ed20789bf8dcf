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
import { gzipSync } from "node:zlib";
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
  if (!addresses.has(file)) addresses.set(file, write(file));
  return addresses.get(file);
}

function write(file) {
  if (file === SAVED) return writeSaved();
  return file.startsWith(WORKERS) ? writeWorker(file) : writeCopy(file);
}

async function writeWorker(file) {
  // A worker is one file, so the policy of its folder holds for its whole code.
  const { metafile } = await build({ ...common, entryPoints: [file], entryNames: "[dir]/[name]-[hash]", plugins: [addressed] });
  return addressIn(path.join(ROOT, Object.keys(metafile.outputs)[0]));
}

async function writeCopy(file) {
  return writeHashed(file, await readFile(file));
}

async function writeHashed(file, content, hash = hashOf(content)) {
  const { name, ext } = path.parse(file);
  const address = `/chunks/${name}-${hash}${ext}`;
  await mkdir(path.join(out, "chunks"), { recursive: true });
  await writeFile(path.join(out, address), content);
  return address;
}

/** The page that is saved with a certificate inside. Everything that it needs is in it, because nothing can be loaded later. */
const SAVED = path.join(WWW, "parts/saved.html");
/** The modules that take the place of others in a saved page. */
const SAVED_MODULES = new Map([
  ["www/lib/text-source.ts", "www/saved/text-source.ts"],
  ["pkg/view/src/load.ts", "www/saved/load.ts"],
]);
/** The verifiers in a saved page, by the ids of their elements. */
const VERIFIERS = { verifier: "pkg/cert/verify/dist/verify_bg.wasm", "aih-1": "pkg/cert/dist/cert_bg.wasm" };
/** The groups of texts that a saved page shows, by the ends of their files. A test opens the page in each language. */
const SAVED_TEXTS = { "": ["nav", "common", "headline", "explain", "part", "mark", "badge", "paper", "certificate", "file", "refusal", "foreign"], ".holder": ["saved"] };

/** Writes the template of saved pages. The certificate, its record and the title are filled in when a page is saved. */
async function writeSaved() {
  const [script, style] = await Promise.all(["saved.ts", "saved.css"].map(inlined));
  // These would end the element, or change how a browser reads it.
  if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error("the script or the style of a saved page would end its element");
  const sources = [script, style].map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  const parts = {
    policy: `default-src 'none'; script-src ${sources[0]} 'wasm-unsafe-eval'; style-src ${sources[1]}; img-src data:; base-uri 'none'; form-action 'none'`,
    style,
    script,
    texts: JSON.stringify(await textsOfSaved()).replaceAll("<", "\\u003c"),
  };
  for (const [id, wasm] of Object.entries(VERIFIERS)) parts[id] = gzipSync(await readFile(path.join(ROOT, wasm)), { level: 9 }).toString("base64");
  const languages = await readFile(path.join(WWW, "parts/languages.html"), "utf8");
  const page = (await readFile(SAVED, "utf8")).replace("<!-- part: languages -->", languages.trim()).replace(/@@([a-z\d-]+)@@/g, (place, name) => parts[name] ?? place);
  // Served as text, so a browser does not open the template itself.
  return writeHashed("saved.txt", page);
}

/** Returns the bundle of a file in `www/saved`. */
async function inlined(name) {
  const standIn = {
    name: "stand-ins",
    setup({ onResolve }) {
      onResolve({ filter: /\/(text-source|load)\.ts$/ }, ({ path: named, resolveDir }) => {
        const module = SAVED_MODULES.get(path.relative(ROOT, path.resolve(resolveDir, named)).replaceAll(path.sep, "/"));
        return module && { path: path.join(ROOT, module) };
      });
    },
  };
  const { outputFiles } = await build({ ...common, entryPoints: [path.join(WWW, "saved", name)], plugins: [standIn], write: false });
  return outputFiles[0].text;
}

/** Returns the texts of a saved page by the names of their files, without `.json`. */
async function textsOfSaved() {
  const folder = path.join(ROOT, "pkg/view/texts");
  const languages = (await readdir(folder)).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
  const files = languages.flatMap((language) => Object.entries(SAVED_TEXTS).map(([end, groups]) => [language + end, groups]));
  const read = async ([name, groups]) => {
    const texts = JSON.parse(await readFile(path.join(folder, `${name}.json`), "utf8"));
    return [name, Object.fromEntries(groups.map((group) => [group, texts[group]]))];
  };
  return Object.fromEntries(await Promise.all(files.map(read)));
}

/** Writes all files of a folder whose names end alike, and returns their common hash. With a hash for each, a script would contain all of them. */
function hashOfAll(folder, end) {
  const key = folder + end;
  if (!addresses.has(key)) addresses.set(key, writeAll(folder, end));
  return addresses.get(key);
}

async function writeAll(folder, end) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(end)).sort();
  const files = await Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))]));
  const hash = hashOf(files.map(([name, content]) => `${name} ${hashOf(content)}`).join("\n"));
  await Promise.all(files.map(([name, content]) => writeHashed(name, content, hash)));
  return hash;
}

const hashOf = (content) => createHash("sha256").update(content).digest("hex").slice(0, 16);

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
        const hash = await hashOfAll(path.join(folder, start), end);
        contents = contents.replace(whole, urlOf(`\`/chunks/\${${variable}}-${hash}${end}\``));
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

/** The mark of a page whose modules are named in the page, with the sources of parts that the page may need early. */
const EARLY = /<!-- early: ([^>]+) -->/;

/**
 * Writes a page with links to all modules that its script imports, so the browser does not find them one round trip after another. A meta element has
 * the modules and WebAssembly of the early parts, which the page itself asks for (www/console/early.ts).
 */
async function writeEarly(page, entryPoints, { outputs }) {
  const text = await readFile(page, "utf8");
  const [mark, named] = EARLY.exec(text) ?? [];
  if (mark === undefined) return;
  const ofSources = new Map(Object.entries(outputs).map(([file, { entryPoint }]) => [path.join(ROOT, entryPoint ?? "/"), file]));
  const imported = (found, file) => {
    if (found.has(file)) return found;
    found.add(file);
    for (const { path: other, kind } of outputs[file].imports) if (kind === "import-statement" && outputs[other]) imported(found, other);
    return found;
  };
  const first = entryPoints.filter((source) => !source.endsWith(".css")).reduce((found, source) => imported(found, ofSources.get(source)), new Set());
  const early = named.split(" ").reduce((found, source) => imported(found, ofSources.get(path.join(WWW, source))), new Set(first));
  const address = (file) => addressIn(path.join(ROOT, file));
  const wasm = (await Promise.all([...first].map((file) => readFile(path.join(ROOT, file), "utf8")))).flatMap((code) => code.match(/\/chunks\/[\w-]+\.wasm/g) ?? []);
  const links = [...first].map((file) => `<link rel="modulepreload" href="${address(file)}">`);
  const later = [...[...early].filter((file) => !first.has(file)).map(address), ...new Set(wasm)];
  await writeFile(path.join(out, path.relative(WWW, page)), text.replace(mark, [...links, `<meta name="early" content="${later.join(" ")}">`].join("\n    ")));
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
    if (entryPoints.length === 0) return;
    const { metafile } = await build({ ...common, entryPoints, splitting: true, chunkNames: "chunks/[name]-[hash]", plugins: [addressed] });
    await writeEarly(page, entryPoints, metafile);
  }),
);
const written = (await readdir(out, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
const hashed = written.map((entry) => addressIn(path.join(entry.parentPath, entry.name))).filter((name) => /^\/(chunks|workers)\//.test(name));
await writeFile(path.join(out, "release.json"), JSON.stringify({ files: hashed.sort() }));
