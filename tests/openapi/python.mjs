// openapi-python-client, and the packages that its generated code needs, in the versions of requirements.txt.
import { environment } from "../support/python.mjs";

export const { folder, bin, skip } = environment("openapi", new URL("requirements.txt", import.meta.url));
