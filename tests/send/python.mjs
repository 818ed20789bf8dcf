// The Python environment of the mail server, with the versions in requirements.txt.
import path from "node:path";
import { environment } from "../support/python.mjs";

const { bin, skip } = environment("send", new URL("requirements.txt", import.meta.url));

export const python = path.join(bin, "python");
/** The reason to skip the tests of mail, or false if they run. */
export { skip };
