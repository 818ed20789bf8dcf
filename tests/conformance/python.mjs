// Schemathesis, of the versions in requirements.txt.
import path from "node:path";
import { environment } from "../support/python.mjs";

const { folder, bin, skip } = environment("conformance", new URL("requirements.txt", import.meta.url));

export const FOLDER = folder;
export const schemathesis = path.join(bin, "schemathesis");
/** Why the conformance test does not run; false where it does. */
export { skip };
