// Sessions in Chromium, over plain HTTP on this machine, as with `cargo xtask dev`: sessions with a cookie, and sessions that the pages start.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { Client, PrivateKeyProvider } from "@assay/client";
import { until } from "../support/until.mjs";
import { file, serveSources, skip, start } from "./browser.mjs";

let host;
before(async () => {
  if (!skip) host = await start();
});
after(() => host?.stop());

/** Signs in on a page of the service, so the browser gets a cookie. Returns the session. */
async function signIn(page, key) {
  await serveSources(page);
  return page.evaluate(async (digits) => {
    const { Client, PrivateKeyProvider } = await import("/client/index.js");
    const client = new Client({ provider: await PrivateKeyProvider.from(digits), apiUrl: location.origin });
    return (await client.signIn({ cookie: true })).data;
  }, key);
}

/** Sends a request from a page. Returns the status and the account, or the error of `fetch`. */
const ask = (page, url, options = {}) =>
  page.evaluate(
    async ([address, init]) => {
      try {
        const answer = await fetch(address, init);
        return { status: answer.status, id: (await answer.json()).data?.id };
      } catch (error) {
        return { error: error.name };
      }
    },
    [url, options],
  );

test("a page signs in with a cookie that its scripts cannot read, and signs out", { skip }, async () => {
  const key = randomBytes(32).toString("hex");
  const { accountId } = await PrivateKeyProvider.from(key);
  const expected = [/401/];
  await host.visit(
    "/issue/",
    async (page) => {
      const session = await signIn(page, key);
      assert.deepEqual([session.accountId, session.token], [accountId, null]);
      assert.equal(await page.evaluate(() => document.cookie), "");
      const [cookie] = await page.context().cookies();
      const { name, secure, httpOnly, sameSite, path } = cookie;
      assert.deepEqual({ name, secure, httpOnly, sameSite, path }, { name: "__Host-session", secure: true, httpOnly: true, sameSite: "Strict", path: "/" });
      assert.deepEqual(await ask(page, "/account"), { status: 200, id: accountId });
      assert.equal((await ask(page, "/sessions/current", { method: "DELETE" })).status, 200);
      assert.deepEqual(await page.context().cookies(), []);
      assert.equal((await ask(page, "/account")).status, 401);
    },
    { expected },
  );
});

test("a page of another origin cannot use the cookie", { skip }, async () => {
  const key = randomBytes(32).toString("hex");
  const expected = [/401/, /403/, /CORS/, /Failed to load resource/];
  const routes = { "http://evil.localhost:1/**": { contentType: "text/html", body: "<!doctype html><link rel=icon href=data:,><p>x" } };
  await host.visit(
    "/issue/",
    async (page) => {
      await signIn(page, key);
      // A neighbouring host counts as the same site, so the browser may send the cookie with requests of its pages. The service must refuse these.
      for (const origin of [host.url.replace("127.0.0.1", "localhost"), "http://evil.localhost:1/"]) {
        const other = await page.context().newPage();
        for (const [pattern, answer] of Object.entries(routes)) await other.route(pattern, (route) => route.fulfill(answer));
        await other.goto(origin);
        for (const method of ["GET", "DELETE"]) {
          const target = `${host.url}${method === "GET" ? "/account" : "/sessions/current"}`;
          const read = await ask(other, target, { method, credentials: "include" });
          assert.deepEqual(read, { error: "TypeError" }, `${origin} ${method}`);
          await ask(other, target, { method, credentials: "include", mode: "no-cors" });
        }
        await other.close();
      }
      // The session still exists.
      assert.equal((await ask(page, "/account")).status, 200);
    },
    { expected, routes },
  );
});

/** Opens a key file on the page. Returns the account. */
async function openKeyFile(page, key) {
  await page.getByLabel("Open a key file").setInputFiles(file("uni.key.txt", `${key}\n`));
  const account = page.locator("#sign-in code");
  await account.waitFor({ state: "visible" });
  return account.innerText();
}

/** Returns a set that collects the kinds of the Authorization headers that a page sends: `Bearer`, or the number of a signature's type. */
function kindsOf(page) {
  const kinds = new Set();
  page.on("request", (request) => {
    const [, kind] = /^(\w+)/.exec(request.headers().authorization ?? "") ?? [];
    if (kind) kinds.add(kind);
  });
  return kinds;
}

test("a page starts a session, which ends when the visitor changes the account or leaves", { skip }, async () => {
  const key = randomBytes(32).toString("hex");
  const owner = new Client({ provider: await PrivateKeyProvider.from(key), apiUrl: host.url });
  await owner.init();
  const count = async () => (await owner.getSessions()).data.length;
  // This page moves to the console, which may still be reading when the session ends.
  await host.visit(
    "/issued/",
    async (page) => {
      const kinds = kindsOf(page);
      assert.equal(await openKeyFile(page, key), owner.provider.accountId);
      assert.equal(await count(), 1);
      await page.getByRole("button", { name: "Use another account" }).click();
      assert.equal(await until(count, (sessions) => sessions === 0), 0);
      await openKeyFile(page, key);
      assert.equal(await count(), 1);
      await page.goto("about:blank");
      assert.equal(await until(count, (sessions) => sessions === 0), 0);
      assert.deepEqual([...kinds], ["Bearer"]);
    },
    { expected: [/401/] },
  );
});

test("a page signs the text for the Authorization header if the service cannot start a session", { skip }, async () => {
  const key = randomBytes(32).toString("hex");
  const { accountId } = await PrivateKeyProvider.from(key);
  const paused = { errors: [{ code: 503000, message: "Back at noon", path: "" }], id: "1", status: 503 };
  const routes = { "**/sessions": { status: 503, contentType: "application/json", body: JSON.stringify(paused) } };
  await host.visit(
    "/issued/",
    async (page) => {
      const kinds = kindsOf(page);
      assert.equal(await openKeyFile(page, key), accountId);
      assert.deepEqual([...kinds], ["3"]);
    },
    { routes, expected: [/503/] },
  );
});
