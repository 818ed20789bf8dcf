// The API reference finds what somebody looks for who has an error code in hand.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { skip, start } from "./browser.mjs";

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

test("an error code is found by its number, and by words of its meaning", { skip }, () =>
  host.visit("/docs/", async (page) => {
    const shown = () => page.locator("#reference details.operation:visible > summary > code").allInnerTexts();
    await page.fill("#filter", "422076");
    assert.deepEqual([await shown(), await page.locator("#found").innerText()], [["422076"], "1 found"]);
    await page.fill("#filter", "value proxy approval");
    assert.ok((await shown()).includes("422076"));
  }));

test("the address of an error code opens it, and says which routes answer it", { skip }, () =>
  host.visit("/docs/#422076", async (page) => {
    const code = page.locator("[id='422076']");
    await code.locator(":scope[open]").waitFor();
    assert.match(await code.innerText(), /cannot be transferred/);
    await code.getByRole("link", { name: "POST /orders" }).click();
    await page.locator("details[open] > summary", { hasText: "POST /orders" }).waitFor();
  }));

test("every error code that the service knows has an address", { skip }, () =>
  host.visit("/docs/", async (page) => {
    const { components } = await (await page.request.get(new URL("/openapi.json", host.url).href)).json();
    const codes = components.schemas.Code.enum.map(String);
    await page.locator("[id='500000']").waitFor({ state: "attached" });
    const drawn = await page.locator("#reference details.operation[id]").evaluateAll((all) => all.map(({ id }) => id));
    assert.ok(codes.length > 100);
    assert.deepEqual(codes.filter((code) => !drawn.includes(code)), []);
    const everywhere = await page.locator("details > div > p", { hasText: "Any path" }).evaluateAll((all) => all.map((one) => one.closest("details").id));
    assert.deepEqual(everywhere, ["405000"]);
  }));
