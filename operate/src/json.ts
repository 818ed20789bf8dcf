// JSON values of files and of other programs' answers.
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** Parses JSON whose comments are on lines of their own. */
export function parseJson(text: string): Json {
  const lines = text.split("\n").filter((line) => !line.trimStart().startsWith("//"));
  return JSON.parse(lines.join("\n"));
}

export const isObject = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value at a path of keys and indexes, or undefined. */
export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let found = value;
  for (const step of path) {
    if (typeof step === "number") found = Array.isArray(found) ? found[step] : undefined;
    else found = isObject(found) && Object.hasOwn(found, step) ? found[step] : undefined;
  }
  return found;
}

/** Returns the string at a path without white space around it. Empty if there is no string. */
export function textAt(value: Json | undefined, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found.trim() : "";
}

/** Returns the items of the list at a path. Empty if there is no list. */
export function itemsAt(value: Json | undefined, ...path: (string | number)[]): Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
