import { failure } from './error.js';

/**
 * Options, of which all are known: a misspelt one would quietly leave nonces public, and `identify(true)` ask for another id. `listed` are
 * their names. Gives an object in any case.
 */
export function known(options, listed) {
  if (options === undefined || options === null) {
    return {};
  }
  if (typeof options !== 'object') {
    throw wrong(`options have to be an object with ${listed}, not a ${typeof options}`);
  }
  const other = Object.keys(options).find((key) => !listed.split(', ').includes(key));
  if (other !== undefined) {
    throw wrong(`there is no option \`${other}\`, only ${listed}`);
  }
  return options;
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
