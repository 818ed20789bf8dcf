// Finds or installs Debian's programs for PDF. Test files run in parallel and share the machine's programs, so run this file before them.
import { existsSync } from "node:fs";
import path from "node:path";
import { install } from "../support/apt.mjs";

const has = (program) => (process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));
const isThere = () => ["qpdf", "pdffonts", "pdfdetach", "pdftotext", "pdftoppm"].every(has);

if (!isThere()) install("qpdf", "poppler-utils");
if (!isThere() && process.env.CI === "true") throw new Error("there is no qpdf or poppler, and it could not be installed");

/** False if tests of PDFs can run, otherwise the reason why they cannot. */
export const skip = isThere() ? false : "did not run: there is no qpdf or poppler, and it could not be installed";
