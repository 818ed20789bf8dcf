// Packs the operator's tool with both builds of the Worker into one npm package, which needs Node.js alone:
//
//   node operate/pack.mjs OUT
//
// Writes OUT/assay-operate-<version>.tgz, and prints its path. Both builds of the Worker must exist (`cargo xtask build worker`, with and without
// `--evm`). The program lies two folders below the package, as the sources lie two folders below the repository. It therefore finds `edge-api` and
// `package.json` by the same relative addresses.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The program in the package. */
const PROGRAM = "tool/bin/operate.js";
/** Files and folders that the package has at the same place as the repository. The build for a chain has the pages of the other build. */
const COPIED = [
  "LICENSE-APACHE",
  "LICENSE-MIT",
  "docs/chain.md",
  "docs/monitoring",
  "docs/operating.md",
  "docs/runbook.md",
  "docs/scale.md",
  "edge-api/README.md",
  "edge-api/dist",
  "edge-api/dist-evm/worker.js",
  "edge-api/dist-evm/worker_bg.wasm",
  "edge-api/migrations",
  "edge-api/wrangler.jsonc",
];

/** Replaces the links of the package's documents to files that only the repository has by their texts. */
async function cutLinks(folder) {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith(".md")) continue;
    const file = path.join(folder, name);
    const text = await readFile(file, "utf8");
    const isHere = (target) => /^(https?:|#)/.test(target) || existsSync(path.resolve(path.dirname(file), target.split("#")[0]));
    await writeFile(
      file,
      text.replace(/\[([^\]]*)\]\(([^)\s]+)\)/g, (link, shown, target) => (isHere(target) ? link : shown)),
    );
  }
}

/** Packs the tool into a folder, and returns the path of the packed file. */
export async function pack(out) {
  const manifest = JSON.parse(await readFile(path.join(ROOT, "operate/package.json"), "utf8"));
  // npm expects the folder `package` in a packed file.
  const folder = path.join(out, "package");
  await rm(folder, { recursive: true, force: true });
  for (const name of COPIED) await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  await mkdir(path.join(folder, "edge-api/host"));
  for (const file of await readdir(path.join(ROOT, "edge-api/host"))) {
    // `worker.mjs` is a part of the builds, and the folder `test` is for developers.
    if (/\.(mjs|sh)$/.test(file) && file !== "worker.mjs") await cp(path.join(ROOT, "edge-api/host", file), path.join(folder, "edge-api/host", file));
  }
  await cp(path.join(ROOT, "operate/README.md"), path.join(folder, "README.md"));
  await cutLinks(folder);
  const { "@assay/client": _bundled, ...dependencies } = manifest.dependencies;
  await build({
    entryPoints: [path.join(ROOT, "operate/src/cli.ts")],
    outfile: path.join(folder, PROGRAM),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node22",
    external: Object.keys(dependencies),
    banner: { js: "#!/usr/bin/env node" },
    logLevel: "warning",
  });
  await chmod(path.join(folder, PROGRAM), 0o755);
  const { name, version, description, license, engines } = manifest;
  const own = { name, version, description, license, type: "module", bin: { "assay-operate": PROGRAM }, engines, dependencies };
  await writeFile(path.join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
  const file = path.join(out, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  // The order, times and owners of the files are fixed, so that equal contents give equal archives.
  const words = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--create", "--gzip", "--file", file, "package"];
  await promisify(execFile)("tar", words, { cwd: out });
  await rm(folder, { recursive: true });
  return file;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...more] = process.argv.slice(2);
  if (out === undefined || more.length > 0) throw new Error("usage: node operate/pack.mjs OUT");
  await mkdir(out, { recursive: true });
  process.stdout.write(`${await pack(path.resolve(out))}\n`);
}
