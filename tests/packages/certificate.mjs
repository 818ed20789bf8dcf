// Two certificates, one of the original implementation and one of AIH-2. Each has the result that `story.mjs` must return in every host.
import { readFileSync } from "node:fs";

const { cases } = JSON.parse(readFileSync(new URL("../vectors/cert/reference.json", import.meta.url), "utf8"));
const { schema, data, imprint, schemaId, disclose } = cases.find(({ name }) => name === "random-7-80");
const { paths, expose } = disclose.find(({ paths }) => paths.length > 1);

export const certificate = { schema, data, paths };
export const expected = {
  schemaId: `0x${schemaId.literal}`,
  imprint,
  open: expose,
  calculated: imprint,
  verified: true,
  forged: null,
  hashedByCaller: imprint,
  error: [true, "hasher-failed", "down"],
  unusable: [0, "option-invalid", "cert-freed"],
};

const vectors = JSON.parse(readFileSync(new URL("../vectors/aih2/vectors.json", import.meta.url), "utf8"));
const one = vectors.cases.find((one) => one.reduce && one.key && one.values.length > 1 && !JSON.stringify(one).includes("__proto__"));
export const aih2Certificate = { schema: one.schema, data: one.data, key: one.key, paths: one.paths };
export const aih2Expected = {
  imprint: one.imprint,
  proof: one.evidence.proof,
  calculated: one.imprint,
  verified: true,
  forged: 1,
  key: 32,
  error: [true, "option-invalid"],
  unusable: [0, "option-invalid", "cert-freed"],
};
