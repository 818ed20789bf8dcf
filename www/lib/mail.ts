// Messages for the person's mail program. Does not use the DOM.

/** Returns the address that opens a message (RFC 6068). Lines of the body end with CRLF. `to` is an address as it stands in a link. */
export const mailTo = (subject: string, body: string, to = ''): string => `mailto:${to}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
