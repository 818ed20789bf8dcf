// Uses the package in each host and returns the results. The module runs in the project's own folder, so it has no imports: its functions take
// the package as the host has loaded it.

/** An asynchronous hasher with the platform's SHA-256. */
async function hasher(value) {
  const bytes = new TextEncoder().encode(value ?? "");
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function story({ Cert, CertError, identify }, { schema, data, paths }) {
  const cert = new Cert({ schema });
  const [imprint, proofs, open] = [await cert.imprint(data), await cert.disclose(data, paths), cert.expose(data, paths)];
  const error = await new Cert({ schema, hasher: () => Promise.reject(new Error("down")) }).imprint(data).catch((error) => error);
  return {
    schemaId: identify(schema),
    imprint,
    open,
    calculated: await cert.calculate(open, proofs),
    verified: (await cert.verify(open, proofs, imprint)).valid,
    forged: await cert.calculate({ ...open, [paths[0][0]]: "forged" }, proofs),
    hashedByCaller: await new Cert({ schema, hasher }).imprint(data),
    error: [error instanceof CertError, error.code, error.cause?.message],
    unusable: await unusable(cert, data),
  };
}

/** Returns the number of a clone's keys, and the error codes of a cloned and of a freed object. Frees `cert`. */
async function unusable(cert, data) {
  const clone = structuredClone(cert);
  const codes = [Object.keys(clone).length, await cert.imprint.call(clone, data).catch(({ code }) => code)];
  cert.free();
  return [...codes, await cert.imprint(data).catch(({ code }) => code)];
}

/** Runs the story under AIH-2, and with the entry that only verifies. */
export async function aih2Story({ Cert, CertError, generateKey }, verifier, { schema, data, key, paths }) {
  const bytes = Uint8Array.from(key.match(/../g), (digits) => parseInt(digits, 16));
  const issuer = new Cert({ schema, key: bytes });
  const [imprint, own] = [await issuer.imprint(data), await issuer.notarize(data)];
  const holder = new Cert({ schema, profile: "AIH-2" });
  const shown = await holder.reduce(data, own, paths);
  const error = await holder.imprint(data).catch((error) => error);
  return {
    imprint,
    proof: shown.proof,
    calculated: await holder.calculate(shown),
    verified: (await new verifier.Cert({ schema }).verify(shown, imprint)).valid,
    forged: (await new verifier.Cert({ schema }).verify({ ...shown, values: [] }, imprint)).errors.length,
    key: generateKey().length,
    error: [error instanceof CertError, error.code],
    unusable: await unusable(issuer, data),
  };
}
