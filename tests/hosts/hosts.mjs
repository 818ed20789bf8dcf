// The packed packages in the hosts of the table "Hosts" in pkg/cert/README.md. `cargo xtask test hosts` runs this file.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { COMMON, PAGE, SHOWN, STORY, TOLD, html, tested } from "./apps.mjs";
import { startBrowser } from "./pages.mjs";
import { install, project } from "./project.mjs";

let browser;
before(async () => {
  await install();
  browser = await startBrowser();
});
after(() => browser?.stop());

const SERVER = `${STORY}console.log(await story(false));\n`;
const COMMON_SERVER = `${COMMON}story(false).then(console.log);\n`;
const shows = async (app, folder, name) => assert.equal(await browser.told(app.file(folder), name), TOLD + SHOWN);

// Servers

test("Node.js", async () => {
  const app = await project("node", { "a.mjs": SERVER, "a.cjs": COMMON_SERVER });
  for (const name of ["a.mjs", "a.cjs"]) assert.equal(await app.node(name), TOLD);
});

test("esbuild for Node", async () => {
  const app = await project("esbuild-node", { "a.mjs": SERVER, "a.cjs": COMMON_SERVER });
  for (const [name, format, out] of [
    ["a.mjs", "esm", "out.mjs"],
    ["a.cjs", "cjs", "out.cjs"],
  ]) {
    await app.tool("esbuild/bin/esbuild", name, "--bundle", "--platform=node", `--format=${format}`, `--outfile=${out}`, "--log-level=warning");
    assert.equal(await app.alone(out), TOLD);
  }
});

for (const [name, options] of [
  ["default conditions", "{}"],
  ["the condition `node`", "{ exportConditions: ['node'] }"],
]) {
  test(`Rollup for Node, with ${name}`, async () => {
    const app = await project("rollup-node", {
      // The elements load a module when a certificate is checked. Rollup refuses that for `output.file`.
      "a.mjs": `${STORY.replace('import * as elements from "@assay/elements";', "const elements = { AssayBadge() {} };")}story(false).then(console.log);\n`,
      "rollup.config.mjs": `import resolve from '@rollup/plugin-node-resolve';\nexport default { input: 'a.mjs', plugins: [resolve(${options})], output: [{ file: 'out.mjs', format: 'es' }, { file: 'out.cjs', format: 'cjs' }] };`,
    });
    await app.tool("rollup/dist/bin/rollup", "-c");
    for (const out of ["out.mjs", "out.cjs"]) assert.equal(await app.alone(out), TOLD);
  });
}

test("Rspack and webpack for Node", async () => {
  for (const [name, load] of [
    ["rspack", "@rspack/core"],
    ["webpack", "webpack"],
  ]) {
    const build = (target, entry) => `
      import { createRequire } from 'node:module';
      const { ${name === "rspack" ? "rspack" : "webpack"}: bundle } = createRequire(import.meta.url)('${load}');
      const compiler = bundle({ mode: 'production', context: import.meta.dirname, target: '${target}', entry: './${entry}', output: { path: import.meta.dirname + '/dist', filename: 'out.cjs' }, performance: false });
      compiler.run((error, stats) => { if (error) throw error; const { errors, warnings } = stats.toJson(); if (errors.length + warnings.length > 0) { console.error(errors, warnings); process.exitCode = 1; } });`;
    const app = await project(`${name}-node`, { "a.mjs": `${STORY}story(false).then(console.log);\n`, "build.mjs": build("node", "a.mjs") });
    await app.node("build.mjs");
    assert.equal(await app.alone("dist/out.cjs"), TOLD);
  }
});

test("Bun, and `bun build --compile`", async () => {
  const app = await project("bun", { "a.mjs": SERVER, "a.cjs": COMMON_SERVER });
  const bun = `@oven/bun-${process.platform}-${process.arch}/bin/bun`;
  for (const name of ["a.mjs", "a.cjs"]) assert.equal(await app.program(bun, "run", name), TOLD);
  for (const target of ["bun", "node"]) {
    await app.program(bun, "build", `--target=${target}`, "a.mjs", "--outfile=out.mjs");
    assert.equal(await app.alone("out.mjs", ...(target === "bun" ? [bun, "run"] : [])), TOLD);
  }
  await app.program(bun, "build", "--compile", "a.mjs", "--outfile=program");
  assert.equal(await app.program("../bun/program"), TOLD);
});

test("Deno", async () => {
  const app = await project("deno", { "a.mjs": SERVER });
  const glibc = process.platform === "linux" ? "-glibc" : "";
  assert.equal(await app.program(`@deno/${process.platform}-${process.arch}${glibc}/deno`, "run", "--allow-all", "--node-modules-dir=manual", "a.mjs"), TOLD);
});

// Frameworks

const COMPONENT = `"use client";
import { useEffect, useState } from "react";
import { story } from "../story.mjs";
export function Client() {
  const [text, setText] = useState();
  useEffect(() => void story(true).then(setText, (error) => setText(String(error))), []);
  return <p data-told={text}><assay-badge service="https://assay.example" ledger="0x" asset="1"></assay-badge></p>;
}\n`;
for (const bundler of ["--turbopack", "--webpack"]) {
  test(`Next.js, ${bundler}`, async () => {
    const app = await project("next", {
      // The folder is inside of another project, which has a lock file of its own.
      "next.config.mjs": "export default { turbopack: { root: import.meta.dirname + '/..' }, outputFileTracingRoot: import.meta.dirname + '/..' };\n",
      "story.mjs": STORY,
      "app/layout.jsx": "export default function Layout({ children }) { return <html><body>{children}</body></html>; }\n",
      "app/client.jsx": COMPONENT,
      "app/page.jsx": `import { story } from "../story.mjs";\nimport { Client } from "./client.jsx";\nexport const dynamic = "force-dynamic";\nexport default async function Page() { return <main><b>{await story(false)}</b><Client /></main>; }\n`,
      "app/fixed/page.jsx": `import { story } from "../../story.mjs";\nexport default async function Page() { return <b>{await story(false)}</b>; }\n`,
      // With webpack, Next.js 16.4 does not build any edge function.
      ...(bundler === "--turbopack"
        ? { "app/edge/route.js": `import { story } from "../../story.mjs";\nexport const runtime = "edge";\nexport const GET = async () => new Response(await story(false));\n` }
        : {}),
      "app/told/route.js": `import { story } from "../../story.mjs";\nexport const GET = async () => new Response(await story(false));\n`,
    });
    const next = "next/dist/bin/next";
    await app.tool(next, "build", bundler);
    await app.served(next, ["start", "--port", "0"], async (address) => {
      assert.equal(await (await fetch(`${address}/told`)).text(), TOLD);
      if (bundler === "--turbopack") assert.equal(await (await fetch(`${address}/edge`)).text(), TOLD);
      for (const page of ["/", "/fixed"]) assert.ok((await (await fetch(address + page)).text()).includes(`<b>${TOLD}</b>`), page);
      assert.equal(await browser.at(address), TOLD + SHOWN);
    });
    await app.served(next, ["dev", bundler, "--port", "0"], async (address) => {
      assert.equal(await (await fetch(`${address}/told`)).text(), TOLD);
      assert.equal(await browser.at(address), TOLD + SHOWN);
    });
  });
}

test("Astro", async () => {
  const app = await project("astro", {
    "astro.config.mjs": "export default { base: '/', devToolbar: { enabled: false } };\n",
    "src/story.mjs": STORY,
    "src/page.js": PAGE,
    "src/pages/index.astro": `---\nimport { story } from "../story.mjs";\nconst told = await story(false);\n---\n<html><body><b>{told}</b><script src="../page.js"></script></body></html>\n`,
  });
  await app.tool("astro/bin/astro.mjs", "build");
  assert.ok((await readFile(app.file("dist/index.html"), "utf8")).includes(`<b>${TOLD}</b>`));
  await shows(app, "dist");
});

test("SvelteKit", async () => {
  const app = await project("sveltekit", {
    "vite.config.js": "import { sveltekit } from '@sveltejs/kit/vite';\nimport adapter from '@sveltejs/adapter-node';\nexport default { plugins: [sveltekit({ adapter: adapter() })] };\n",
    "src/app.html": "<!doctype html><html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
    "src/story.mjs": STORY,
    "src/routes/+page.server.js": `import { story } from "../story.mjs";\nexport const load = async () => ({ told: await story(false) });\n`,
    "src/routes/+page.svelte": `<script>\n  import { onMount } from "svelte";\n  import { story } from "../story.mjs";\n  let { data } = $props();\n  let text = $state();\n  onMount(async () => { text = await story(true).catch(String); });\n</script>\n<b>{data.told}</b><p data-told={text}></p>\n`,
  });
  await app.tool("vite/bin/vite.js", "build");
  await app.served(
    "../sveltekit/build/index.js",
    [],
    async (address) => {
      assert.ok((await (await fetch(address)).text()).includes(`<b>${TOLD}</b>`));
      assert.equal(await browser.at(address), TOLD + SHOWN);
    },
    { PORT: "38457", HOST: "127.0.0.1" },
  );
});

// Types in templates

test("Svelte's templates know the elements", async () => {
  const place = 'service="https://assay.example" ledger="0x"';
  const app = await project("svelte-types", {
    "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, module: "esnext", moduleResolution: "bundler", target: "es2022", noEmit: true, types: [] }, include: ["*"] }),
    "types.d.ts": "import type {} from '@assay/elements/svelte';\n",
    "Good.svelte": `<script lang="ts">let asset = 1;</script>\n<assay-badge ${place} {asset} lang="de"><a href="/">More</a></assay-badge><assay-certificate ${place} asset="1"></assay-certificate>\n`,
  });
  const check = () => app.tool("svelte-check/bin/svelte-check", "--tsconfig", "tsconfig.json", "--output", "machine");
  await check();
  await app.write({ "Bad.svelte": `<script lang="ts">const asset = true;</script>\n<assay-badge ${place} {asset}></assay-badge>\n` });
  await assert.rejects(check, /Bad\.svelte.*(asset|boolean)/);
});

test("Vue's templates know the elements", async () => {
  const place = 'service="https://assay.example" ledger="0x"';
  const app = await project("vue-types", {
    "tsconfig.json": JSON.stringify({
      compilerOptions: { strict: true, module: "esnext", moduleResolution: "bundler", target: "es2022", lib: ["es2022", "dom"], noEmit: true, skipLibCheck: true, types: [] },
      vueCompilerOptions: { strictTemplates: true },
      include: ["*"],
    }),
    "types.d.ts": "import type {} from '@assay/elements/vue';\n",
    "Good.vue": `<script setup lang="ts">const asset = 1;</script>\n<template><assay-badge ${place} :asset="asset" lang="de"><a href="/">More</a></assay-badge><assay-certificate ${place} asset="1" /></template>\n`,
  });
  const check = () => app.tool("vue-tsc/bin/vue-tsc.js", "-p", ".");
  await check();
  // vue-tsc 3.3 does not check a tag with an attribute that contains `//`.
  await app.write({ "Bad.vue": '<script setup lang="ts">const asset = true;</script>\n<template><assay-badge service="" ledger="0x" :asset="asset" /></template>\n' });
  await assert.rejects(check, /Bad\.vue.*boolean/);
});

test("JSX of React 18 and 19 knows the elements", async () => {
  const jsx = (asset) => `import type {} from "@assay/elements/react";\nexport const one = <assay-badge service="https://assay.example" ledger="0x" asset={${asset}} />;\n`;
  for (const [react, types] of [
    ["react18", "types-react18"],
    ["react19", "@types/react"],
  ]) {
    const options = {
      strict: true,
      jsx: "react-jsx",
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2022",
      noEmit: true,
      skipLibCheck: true,
      types: [],
      paths: { react: [`../node_modules/${types}`], "react/*": [`../node_modules/${types}/*`] },
    };
    const app = await project(react, { "tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["*.tsx"] }), "a.tsx": jsx("1") });
    const check = () => app.tool("typescript/bin/tsc", "-p", ".");
    await check();
    await app.write({ "a.tsx": jsx("true") });
    await assert.rejects(check, /a\.tsx/);
  }
});

// Test runners

for (const major of ["30", "29"]) {
  const suffix = major === "30" ? "" : major;
  for (const environment of ["node", "jsdom"]) {
    test(`Jest ${major}, ${environment}, CommonJS and ES modules`, async () => {
      const app = await project("jest", {
        "package.json": "{}",
        "story.cjs": COMMON,
        "story.mjs": STORY,
        "a.test.js": tested('const { story } = require("./story.cjs");'),
        "b.test.mjs": tested('import { story } from "./story.mjs";'),
      });
      const words = ["--config", JSON.stringify({ rootDir: app.folder, testEnvironment: environment === "node" ? "node" : `jest-environment-jsdom${suffix}`, transform: {} }), "--no-cache"];
      await app.tool(`jest${suffix}/bin/jest.js`, ...words, "a.test.js");
      await app.node("--experimental-vm-modules", app.file(`../node_modules/jest${suffix}/bin/jest.js`), ...words, "--testMatch", "**/b.test.mjs");
    });
  }
}

for (const environment of ["node", "jsdom", "happy-dom"]) {
  test(`Vitest, ${environment}`, async () => {
    const app = await project("vitest", { "story.mjs": STORY, "a.test.mjs": `import { expect, test } from "vitest";\n${tested('import { story } from "./story.mjs";')}` });
    await app.tool("vitest/vitest.mjs", "run", "--environment", environment);
  });
}

// Pages

test("esbuild for browsers", async () => {
  const app = await project("esbuild", { "story.mjs": STORY, "page.js": PAGE, "index.html": html('src="out.js"'), "module.html": html('type="module" src="out.mjs"') });
  for (const [format, out, page] of [
    ["iife", "out.js", "index.html"],
    ["esm", "out.mjs", "module.html"],
  ]) {
    const words = ["page.js", "--bundle", "--platform=browser", `--format=${format}`, `--outfile=${out}`, "--log-level=warning"];
    await app.tool("esbuild/bin/esbuild", ...words);
    await shows(app, ".", page);
  }
});

for (const [name, options] of [
  ["`browser: true`", "{ browser: true }"],
  ["default conditions", "{}"],
]) {
  test(`Rollup for browsers, with ${name}`, async () => {
    const app = await project("rollup", {
      "story.mjs": STORY,
      "page.js": PAGE,
      "index.html": html('type="module" src="out/page.js"'),
      "rollup.config.mjs": `import resolve from '@rollup/plugin-node-resolve';\nexport default { input: 'page.js', plugins: [resolve(${options})], output: { dir: 'out', format: 'es' } };`,
      "script.html": html('src="out.js"'),
      "script.config.mjs": `import resolve from '@rollup/plugin-node-resolve';\nexport default { input: 'page.js', plugins: [resolve(${options})], output: { file: 'out.js', format: 'iife', inlineDynamicImports: true } };`,
    });
    await app.tool("rollup/dist/bin/rollup", "-c");
    await shows(app, ".");
    await app.tool("rollup/dist/bin/rollup", "-c", "script.config.mjs");
    await shows(app, ".", "script.html");
  });
}

test("Rspack and webpack for browsers", async () => {
  for (const [name, load] of [
    ["rspack", "@rspack/core"],
    ["webpack", "webpack"],
  ]) {
    for (const mode of ["production", "development"]) {
      const app = await project(name, {
        "story.mjs": STORY,
        "page.js": PAGE,
        "index.html": html('src="dist/main.js"'),
        "build.mjs": `import { createRequire } from 'node:module';
          const { ${name}: bundle } = createRequire(import.meta.url)('${load}');
          const compiler = bundle({ mode: '${mode}', context: import.meta.dirname, entry: './page.js', output: { path: import.meta.dirname + '/dist', publicPath: 'auto' }, performance: false });
          compiler.run((error, stats) => { if (error) throw error; const { errors, warnings } = stats.toJson(); if (errors.length + warnings.length > 0) { console.error(errors, warnings); process.exitCode = 1; } });`,
      });
      await app.node("build.mjs");
      await shows(app, ".");
      // Only a build for production has the WebAssembly as files.
      const files = (await readdir(app.file("dist"))).filter((name) => name.endsWith(".wasm"));
      assert.ok(mode === "production" ? files.length >= 5 : files.length === 0, files.join());
    }
  }
});

test("Vite", async () => {
  const app = await project("vite", { "story.mjs": STORY, "page.js": PAGE, "index.html": html('type="module" src="./page.js"') });
  await app.tool("vite/bin/vite.js", "build");
  await shows(app, "dist");
  const files = await readdir(app.file("dist/assets"));
  assert.ok(files.filter((name) => name.endsWith(".wasm")).length >= 5);
  for (const name of files.filter((name) => name.endsWith(".js"))) assert.ok((await readFile(app.file(`dist/assets/${name}`))).length < 200_000, name);
  await app.served("vite/bin/vite.js", ["--host", "127.0.0.1", "--port", "38456"], async (address) => assert.equal(await browser.at(address), TOLD + SHOWN));
});

for (const exports of [false, true]) {
  test(`Parcel, ${exports ? "with" : "without"} \`packageExports\``, async () => {
    const app = await project("parcel", {
      "package.json": JSON.stringify({ private: true, "@parcel/resolver-default": { packageExports: exports } }),
      ".parcelrc": '{ "extends": "@parcel/config-default" }',
      "story.mjs": STORY,
      "page.js": PAGE,
      "index.html": html('type="module" src="./page.js"'),
    });
    await app.tool("parcel/lib/bin.js", "build", "index.html", "--public-url", "./", "--no-cache");
    await shows(app, "dist");
  });
}

test("Bun for browsers", async () => {
  const app = await project("bun-page", { "story.mjs": STORY, "page.js": PAGE, "index.html": html('type="module" src="out/page.js"') });
  await app.program(`@oven/bun-${process.platform}-${process.arch}/bin/bun`, "build", "--target=browser", "page.js", "--outdir=out");
  await shows(app, ".");
});
