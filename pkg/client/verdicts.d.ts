export * from "./dist/types/verdicts.js";
