// The Python environment of openapi-python-client and of the code that it generates, with the versions in requirements.txt.
import { environment } from "../support/python.mjs";

export const { folder, bin, skip } = environment("openapi", new URL("requirements.txt", import.meta.url));
