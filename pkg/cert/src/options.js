import { failure } from './error.js';

/**
 * Options, of which all are known: a misspelt one would quietly leave nonces public, and `identify(true)` ask for another id. `listed` are
 * their names. Gives an object in any case, which has the options' own properties and inherits none: a `noncer` that other code put on
 * `Object.prototype` is no option.
 */
export function known(options, listed) {
  const own = Object.create(null);
  if (options === undefined || options === null) {
    return own;
  }
  if (typeof options !== 'object') {
    throw wrong(`options have to be an object with ${listed}, not a ${typeof options}`);
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

/** The schema in the options of a class that certifies under one profile. */
export function schemaOf({ profile, schema }, own) {
  if (profile !== undefined && profile !== own) {
    throw wrong(`the option \`profile\` can be \`${own}\` alone: \`@assay/cert\` has AIH-1, \`@assay/cert/aih2\` AIH-2`);
  }
  if (schema === undefined) {
    throw wrong('the option `schema` is required');
  }
  return schema;
}

/** An option that is true or false, which is the default. */
export function flag(options, name) {
  const { [name]: value = false } = options;
  if (typeof value !== 'boolean') {
    throw wrong(`the option \`${name}\` has to be true or false`);
  }
  return value;
}

/** The error of a wrong option. */
export const wrong = (message) => failure('option-invalid', message, []);
