// The README's pages work unchanged, except for the address of the service.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { skip } from "../pages/browser.mjs";
import { reaches, startSite } from "./host.mjs";
import { HEADLINES, answerWith, fakeService, reportOf } from "./reports.mjs";

const readme = await readFile(new URL("../../pkg/elements/README.md", import.meta.url), "utf8");
const pageOf = (name) => new RegExp(`^\`\`\`html\n<!-- ${name} -->\n(.*?)^\`\`\`$`, "ms").exec(readme)[1];

let site;
let service;
before(async () => {
  if (skip) return;
  [site, service] = await Promise.all([startSite(), fakeService(new Map([["1", answerWith(reportOf("valid"))]]))]);
  for (const name of ["badge", "certificate"]) {
    const body = await readFile(new URL(`../../pkg/elements/dist/plain/${name}.js`, import.meta.url));
    service.answers.set(`/elements/${name}.js`, { headers: { "content-type": "text/javascript" }, body });
  }
});
after(async () => {
  await site?.stop();
  await service?.stop();
});

for (const name of ["badge", "certificate"]) {
  test(`the page ${name}.html shows the verdict`, { skip }, () =>
    site.visit(
      pageOf(`${name}.html`).replaceAll("https://assay.example", service.origin),
      async (page) => {
        const element = page.locator(`assay-${name}`);
        await reaches(element, "valid");
        assert.equal(await element.locator("[part=headline]").innerText(), "Valid. Issued by uni.example");
        assert.equal(await page.getByText("Our certificate").isVisible(), false);
      },
      { module: `${service.origin}/elements/${name}.js` },
    ),
  );
}

test("the badge takes three lines", () => assert.equal(pageOf("badge.html").trim().split("\n").length, 3));

test("the table of states has every headline with its look", () => {
  for (const [code, look] of HEADLINES) assert.match(readme, new RegExp(`^\\| \`${code}\` \\|.*\\| \`${look}\` \\|$`, "m"));
});
