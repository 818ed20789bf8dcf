import "@assay/elements/badge";

/** Replaces the button with the certificate. The modules of the certificate and the verifier are loaded at the first click. */
async function show({ currentTarget: button }) {
  await import("@assay/elements/certificate");
  const badge = button.parentElement.querySelector("assay-badge");
  const certificate = document.createElement("assay-certificate");
  for (const name of ["service", "ledger", "asset"]) certificate.setAttribute(name, badge.getAttribute(name));
  button.replaceWith(certificate);
}

for (const button of document.querySelectorAll("article button")) button.addEventListener("click", show);
