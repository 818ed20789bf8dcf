// openapi-python-client, of the versions in requirements.txt, which also run what it generates.
import { environment } from "../support/python.mjs";

export const { folder, bin, skip } = environment("openapi", new URL("requirements.txt", import.meta.url));
