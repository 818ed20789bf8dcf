// SD-JWTs by the rules of docs/spec/badge.md, made without the crate, and forged ones.
import { createHash, createHmac, createPrivateKey, sign } from "node:crypto";

export const b64 = (content) => Buffer.from(typeof content === "string" ? content : JSON.stringify(content)).toString("base64url");
const digestOf = (text) => createHash("sha256").update(text).digest("base64url");

/** Signs a JWT by ES256. */
export function signed(header, payload, privateJwk) {
  const content = `${b64(header)}.${b64(payload)}`;
  const key = createPrivateKey({ key: privateJwk, format: "jwk" });
  return `${content}.${sign("sha256", Buffer.from(content), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/** Returns the disclosures of a document, and the digests of its fields. `key` is the document's key. */
export function disclosed(document, key) {
  const disclosures = [];
  const add = (path, ...rest) => {
    const salt = createHmac("sha256", key).update("assay sd-jwt salt\0").update(JSON.stringify(path)).digest().subarray(0, 16);
    const text = b64([salt.toString("base64url"), ...rest]);
    disclosures.push(text);
    return digestOf(text);
  };
  const fields = (object, path) =>
    Object.entries(object)
      .map(([name, value]) => add([...path, name], name, split(value, [...path, name])))
      .sort();
  const split = (value, path) => {
    if (Array.isArray(value) && value.length > 0) return value.map((item, index) => ({ "...": add([...path, index], split(item, [...path, index])) }));
    return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0 ? { _sd: fields(value, path) } : value;
  };
  const digests = fields(document, []);
  return { digests, disclosures };
}

/** Returns SD-JWTs that readers refuse: `[what, text]`. Their signatures are valid. */
export function forgeries(header, claims, disclosures, privateJwk) {
  const make = (claims, disclosures, more = {}) => [signed({ ...header, ...more }, claims, privateJwk), ...disclosures, ""].join("~");
  const more = (...content) => {
    const text = b64(content);
    return [{ ...claims, _sd: [...claims._sd, digestOf(text)] }, [...disclosures, text]];
  };
  const whole = make(claims, disclosures);
  const [first, ...others] = disclosures;
  const child = disclosures.find((text) => JSON.parse(Buffer.from(text, "base64url"))[1] === "born");
  const { vct: _, ...untyped } = claims;
  return [
    ["a JWT without disclosures' separator", whole.split("~")[0]],
    ["a proof of the holder's key at the end", `${whole}${whole.split("~")[0]}`],
    ["a disclosure that is changed", [whole.split("~")[0], `${first.slice(0, -1)}${first.endsWith("A") ? "B" : "A"}`, ...others, ""].join("~")],
    ["a disclosure that was added", `${whole}${b64(["salt", "honours", true])}~`],
    ["a disclosure twice", `${whole}${first}~`],
    ["an empty disclosure", `${whole}~`],
    ["a part of an object without the object", make(claims, [child])],
    ["a field without a name", make(...more("salt", "honours"))],
    ["a field with a number as name", make(...more("salt", 1, true))],
    ["a salt that is no text", make(...more(1, "honours", true))],
    ["a field with the name of a claim", make(...more("salt", "status", "valid"))],
    ["the asset as a field", make(...more("salt", "assetId", "18"))],
    ["a field with a reserved name", make(...more("salt", "_sd", []))],
    ["a field twice", make(...more("salt", "name", "Medicine"))],
    ["digests inside a value", make(...more("salt", "honours", [{ a: { _sd: [] } }]))],
    ["an item between plain items", make(...more("salt", "honours", [{ "...": "x" }, 1]))],
    ["digests beside a field", make(...more("salt", "honours", { _sd: [], a: 1 }))],
    ["digests that are no list", make({ ...claims, _sd: {} }, [])],
    ["another claim", make({ ...claims, sub: "did:example:ada" }, disclosures)],
    ["another hash", make({ ...claims, _sd_alg: "sha-512" }, disclosures)],
    ["a time that is a text", make({ ...claims, exp: "never" }, disclosures)],
    ["no type", make(untyped, disclosures)],
    ["another type of JWT", make(claims, disclosures, { typ: "JWT" })],
    ["no algorithm", make(claims, disclosures, { alg: "none" })],
    ["another algorithm", make(claims, disclosures, { alg: "HS256" })],
    ["another member of the header", make(claims, disclosures, { jwk: {} })],
    ["a claim twice", make(JSON.stringify(claims).replace("{", '{"iss":"https://other.example",'), disclosures)],
    ["a payload that is no JSON", make("{", disclosures)],
    ["an empty text", ""],
  ];
}
