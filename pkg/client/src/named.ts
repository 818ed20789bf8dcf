// Named options. Misspelt names are errors, because ignoring them would go unnoticed.
import { ClientError, ClientErrorCode } from "./errors.js";

/** Returns the error for an invalid option. */
export function notAnOption(message: string, original: unknown = null): ClientError {
  return new ClientError(ClientErrorCode.OPTION_NOT_VALID, original, message);
}

/** Returns the options, and throws for names that are not in `names`. For nested options, `of` is the name of the option that contains them. */
export function named(options: unknown, names: readonly string[], of?: string): Record<string, unknown> {
  const list = names.map((name) => `\`${name}\``).join(", ");
  const whose = of === undefined ? "options are" : `\`${of}\` is`;
  if (typeof (options ?? {}) !== "object" || Array.isArray(options)) throw notAnOption(`${whose} an object with any of ${list}`);
  const given = (options ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw notAnOption(`there is no option \`${unknown}\` ${of === undefined ? "here" : `in \`${of}\``}: there are ${list}`);
  return given;
}
