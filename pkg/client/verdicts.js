// For bundlers that do not read `exports` of package.json, such as Parcel by default.
export * from "./dist/verdicts.js";
