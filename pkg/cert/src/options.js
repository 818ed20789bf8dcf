import { failure } from './error.js';

/**
 * Returns the options as an object without a prototype. Refuses unknown options: if they were ignored, a misspelt `noncer` would silently leave
 * nonces public. Refuses options that are not an object, such as `true` in `identify(true)`: if they were accepted, they would silently have no
 * effect. `listed` has the allowed names. Only own properties count: a `noncer` that other code has set on `Object.prototype` is not an option.
 */
export function known(options, listed) {
  const own = Object.create(null);
  if (options === undefined || options === null) {
    return own;
  }
  if (typeof options !== 'object') {
    throw wrong(`options must be an object with ${listed}, not a ${typeof options}`);
  }
  const names = listed.split(', ');
  const other = Object.keys(options).find((key) => !names.includes(key));
  if (other !== undefined) {
    throw wrong(`there is no option \`${other}\`, only ${listed}`);
  }
  for (const name of names) {
    if (Object.hasOwn(options, name)) {
      own[name] = options[name];
    }
  }
  return own;
}

/** Returns the schema in the options of a class. Throws if the options name a profile other than `own`, or have no schema. */
export function schemaOf({ profile, schema }, own) {
  if (profile !== undefined && profile !== own) {
    throw wrong(`the option \`profile\` can only be \`${own}\` here: import AIH-1 from \`@assay/cert\`, and AIH-2 from \`@assay/cert/aih2\``);
  }
  if (schema === undefined) {
    throw wrong('the option `schema` is required');
  }
  return schema;
}

/** Returns a boolean option, which defaults to false. */
export function flag(options, name) {
  const { [name]: value = false } = options;
  if (typeof value !== 'boolean') {
    throw wrong(`the option \`${name}\` has to be true or false`);
  }
  return value;
}

/** Returns the error for a wrong option. */
export const wrong = (message) => failure('option-invalid', message, []);
