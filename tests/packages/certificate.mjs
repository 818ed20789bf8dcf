// A certificate of the original implementation's, and what every host's story has to come to.
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
};
