// The program that runs in every host, and the files of small projects around it.

/** The text that the program returns in a server. In a page, `SHOWN` follows it. */
export const TOLD = "925c951b true 1 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 https://assay.example/c/0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa/1";
/** A page has defined the elements. */
export const SHOWN = " assay-badge assay-certificate";

const USED = {
  cert: "@assay/cert",
  aih2: "@assay/cert/aih2",
  verifier: "@assay/cert/verify",
  conventions: "@assay/cert/conventions",
  validation: "@assay/validate",
  client: "@assay/client",
  verdicts: "@assay/client/verdicts",
  elements: "@assay/elements",
};
const list = (line) => Object.entries(USED).map(line).join("\n");

const BODY = `
const schema = { type: "object", properties: { name: { type: "string" } } };
const data = { name: "Nighthawks" };
/** Uses every package. Only a page has to load the WebAssembly first. */
async function story(isPage) {
  if (isPage) await Promise.all([cert, aih2, verifier, validation].map(({ init }) => init()));
  const imprint = await new cert.Cert({ schema }).imprint(data);
  const issuer = new aih2.Cert({ schema, key: new Uint8Array(32) });
  const evidence = await issuer.disclose(data, [["name"]]);
  const { valid } = await new verifier.Cert({ schema }).verify(evidence, await issuer.imprint(data));
  const violations = validation.validate({ type: "integer" }, "1").length;
  const { accountId } = await client.PrivateKeyProvider.from("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
  const reader = new verdicts.Verdicts({ apiUrl: "https://assay.example", fetch: async () => {} });
  const link = reader.certificateUrl("0xF9196F9f176fd2eF9243E8960817d5FbE63D79aa", "1");
  if (conventions.conventions.length !== 10 || typeof elements.AssayBadge !== "function") throw new Error("an export is missing");
  const shown = isPage ? ["assay-badge", "assay-certificate"].filter((name) => customElements.get(name)) : [];
  return [imprint.slice(0, 8), valid, violations, accountId, link, ...shown].join(" ");
}
`;

/** The program as an ES module and in CommonJS. */
export const STORY = `${list(([name, from]) => `import * as ${name} from "${from}";`)}${BODY}export { story };\n`;
export const COMMON = `${list(([name, from]) => `const ${name} = require("${from}");`)}${BODY}module.exports = { story };\n`;

/** A script of a page, which writes the text into the page. */
export const PAGE = `import { story } from "./story.mjs";
story(true).then((text) => (document.body.dataset.told = text), (error) => (document.body.dataset.told = String(error?.stack ?? error)));\n`;
export const html = (script) => `<!doctype html>\n<meta charset="utf-8">\n<title>Hosts</title>\n<body></body>\n<script ${script}></script>\n`;

/** A test of Jest or Vitest. */
export const tested = (load) => `${load}
test("the packages work", async () => {
  expect(await story(false)).toBe("${TOLD}");
});
test("bytes of Node are accepted", async () => {
  const { verifyWebhook } = ${load.startsWith("import") ? 'await import("@assay/client")' : 'require("@assay/client")'};
  const body = Buffer.from('{"id":"1"}');
  await expect(verifyWebhook(body, { "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AA==" }, "whsec_" + btoa("0123456789abcdef"), { now: 1000 })).rejects.toThrow("no signature of the webhook is valid");
});\n`;
