// Schemathesis, in the versions of requirements.txt.
import path from "node:path";
import { environment } from "../support/python.mjs";

const { folder, bin, skip } = environment("conformance", new URL("requirements.txt", import.meta.url));

export const FOLDER = folder;
export const schemathesis = path.join(bin, "schemathesis");
/** The reason why the conformance test does not run; false if it does. */
export { skip };
