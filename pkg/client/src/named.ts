// Named options: a misspelt name is refused, because leaving it out would go unnoticed.
import { ClientError, ClientErrorCode } from "./errors.js";

/** The error of an option that cannot work. */
export function notAnOption(message: string, original: unknown = null): ClientError {
  return new ClientError(ClientErrorCode.OPTION_NOT_VALID, original, message);
}

/** Options of which each has one of the names. `of` says whose options they are, where they are not the function's own. */
export function named(options: unknown, names: readonly string[], of?: string): Record<string, unknown> {
  const list = names.map((name) => `\`${name}\``).join(", ");
  const whose = of === undefined ? "options are" : `\`${of}\` is`;
  if (typeof (options ?? {}) !== "object" || Array.isArray(options)) throw notAnOption(`${whose} an object with any of ${list}`);
  const given = (options ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) throw notAnOption(`there is no option \`${unknown}\` ${of === undefined ? "here" : `in \`${of}\``}: there are ${list}`);
  return given;
}
