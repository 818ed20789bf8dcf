// The cause of a problem in the page's language, if it is a usual one. The service's own sentences are English.
import { sentenceKey } from '/lib/signer.ts';
import { hasText, say } from '/lib/texts.ts';

interface Properties {
  /** The service's code, or null. */
  readonly code?: number | null;
  /** The identifier of a reason about a domain, or null. */
  readonly reason?: string | null;
  /** The service's sentence. May be empty. */
  readonly message: string;
}

/** Shows the cause. A view that gives codes or reasons has loaded the texts of `problems` or `organisation`. */
export function Cause({ code = null, reason = null, message }: Properties) {
  const keys = [code === null ? undefined : sentenceKey(code), code === null ? undefined : `problems.causes.${code}`, reason === null ? undefined : `organisation.reasons.${reason}`];
  const known = keys.find((key) => key !== undefined && hasText(key));
  if (known !== undefined) {
    return <p>{say(known)}</p>;
  }
  return message === '' ? null : <p lang="en">{message}</p>;
}
