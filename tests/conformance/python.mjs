// The Python environment of Schemathesis, with the versions in requirements.txt.
import path from "node:path";
import { environment } from "../support/python.mjs";

const { folder, bin, skip } = environment("conformance", new URL("requirements.txt", import.meta.url));

export const FOLDER = folder;
export const schemathesis = path.join(bin, "schemathesis");
/** The reason to skip the conformance test, or false if it runs. */
export { skip };
