// On the page of the API reference, a visitor can find error codes, and try the routes with a signature.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveSources, skip, start } from "./browser.mjs";

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

test("an error code is found by its number, and by words of its meaning", { skip }, () =>
  host.visit("/docs/", async (page) => {
    const shown = () => page.locator("#codes details:visible > summary > code").allInnerTexts();
    await page.fill("#filter", "422076");
    assert.deepEqual([await shown(), await page.locator("#found").innerText()], [["422076"], "1 found"]);
    await page.fill("#filter", "value proxy approval");
    assert.ok((await shown()).includes("422076"));
  }),
);

test("the address of an error code opens the code and shows the routes that return it", { skip }, () =>
  host.visit("/docs/#422076", async (page) => {
    const code = page.locator("[id='422076']");
    await code.locator(":scope[open]").waitFor();
    assert.match(await code.innerText(), /cannot be transferred/);
    await code.getByRole("link", { name: "POST /orders" }).click();
    await page.locator("#operations-orders-createOrder.is-open").waitFor();
  }),
);

test("every error code of the service has an address", { skip }, () =>
  host.visit("/docs/", async (page) => {
    const { components } = await (await page.request.get(new URL("/openapi.json", host.url).href)).json();
    const codes = components.schemas.Code.enum.map(String);
    await page.locator("[id='500000']").waitFor({ state: "attached" });
    const drawn = await page.locator("#codes details[id]").evaluateAll((all) => all.map(({ id }) => id));
    assert.ok(codes.length > 100);
    assert.deepEqual(
      codes.filter((code) => !drawn.includes(code)),
      [],
    );
    const everywhere = await page.locator("details > div > p", { hasText: "Any path" }).evaluateAll((all) => all.map((one) => one.closest("details").id));
    assert.deepEqual(everywhere, ["405000"]);
  }),
);

/** The first account of the development nodes Anvil and Hardhat. */
const ACCOUNT = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** Tries `GET /account` on the page and returns the service's answer. */
async function tried(page) {
  await page.locator("#operations-account-getAccount.is-open").getByRole("button", { name: "Try it out" }).click();
  const [answer] = await Promise.all([page.waitForResponse((response) => new URL(response.url()).pathname === "/account"), page.getByRole("button", { name: "Execute" }).click()]);
  return answer.json();
}

test("a pasted key signs a request, but is neither sent nor stored", { skip }, () =>
  host.visit("/docs/#/account/getAccount", async (page) => {
    const sent = [];
    page.on("request", (request) => sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`));
    // Signing with a key is the second choice, so its field is hidden at first.
    assert.equal(await page.locator("#key").isVisible(), false);
    await page.getByText("Sign with a development key instead").click();
    await page.fill("#key", KEY);
    await page.getByRole("button", { name: "Sign with the key" }).click();
    await page.locator("#signed", { hasText: ACCOUNT }).waitFor();
    assert.equal((await tried(page)).data.id, ACCOUNT);
    assert.ok(sent.length >= 2 && sent.every((request) => !request.includes(KEY.slice(2))));
    assert.equal(await page.inputValue("#key"), "");
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).includes(KEY.slice(2)));
  }),
);

test("a wallet signs a request", { skip }, () =>
  host.visit("/docs/#/account/getAccount", async (page) => {
    await page.getByRole("button", { name: "Sign with a wallet" }).click();
    await page.locator("#signed", { hasText: "there is no wallet" }).waitFor();
    await serveSources(page);
    await page.evaluate(
      async ([account, key]) => {
        const { PrivateKeyProvider } = await import("/client/index.js");
        const signer = await PrivateKeyProvider.from(key);
        window.ethereum = { request: async ({ method, params }) => (method === "eth_requestAccounts" ? [account] : signer.sign(params[0])) };
      },
      [ACCOUNT, KEY],
    );
    await page.getByRole("button", { name: "Sign with a wallet" }).click();
    await page.locator("#signed", { hasText: ACCOUNT }).waitFor();
    assert.equal((await tried(page)).data.id, ACCOUNT);
  }),
);

test("each announced wallet has its own button before the key's field", { skip }, () =>
  host.visit("/docs/#/account/getAccount", async (page) => {
    await page.getByRole("button", { name: "Sign with a wallet" }).waitFor();
    await serveSources(page);
    await page.evaluate(
      async ([account, key]) => {
        const { PrivateKeyProvider } = await import("/client/index.js");
        const signer = await PrivateKeyProvider.from(key);
        const wallet = (answer) => ({ request: async ({ method, params }) => (method === "eth_requestAccounts" ? [answer] : signer.sign(params[0])) });
        const announce = (info, provider) => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
        announce({ uuid: "1", name: "Wallet One", icon: "data:,", rdns: "one.example" }, wallet(account));
        announce({ uuid: "2", name: "<b>Two\u202e", icon: "data:,", rdns: "two.example" }, wallet(account));
        announce({ uuid: "3", name: " " }, wallet(account));
        announce(undefined);
        announce({ uuid: "1", name: "Wallet One" }, wallet(account));
      },
      [ACCOUNT, KEY],
    );
    assert.deepEqual(await page.locator("#wallets button").allInnerTexts(), ["Sign with Wallet One", "Sign with <b>Two\\u{202e}"]);
    const [wallets, key] = await Promise.all(["#wallets", "#by-key"].map((part) => page.locator(part).boundingBox()));
    assert.ok(wallets.y + wallets.height <= key.y);
    await page.getByRole("button", { name: "Sign with Wallet One" }).click();
    await page.locator("#signed", { hasText: ACCOUNT }).waitFor();
    assert.equal((await tried(page)).data.id, ACCOUNT);
  }),
);

test("a wallet that was loaded before the page is asked to announce itself", { skip }, () =>
  host.visit("/docs/", async (page) => {
    await page.addInitScript(() => {
      addEventListener("eip6963:requestProvider", () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: { info: { uuid: "1", name: "Early" }, provider: {} } })));
    });
    await page.reload();
    await page.getByRole("button", { name: "Sign with Early" }).waitFor();
    assert.equal(await page.locator("#wallets button").count(), 1);
  }),
);
