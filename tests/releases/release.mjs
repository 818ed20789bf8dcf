// The previous release, whose Worker is in a folder beside this file.

/** The version, and the last migration that it knew. */
export const RELEASE = { version: "0.1.0", migration: "0020_past_imprints.sql" };

/** The settings that the previous release does not know. The platform stores settings with the code, so a rollback restores the earlier settings. */
const NEW_SETTINGS = ["FILES", "LOG_DATABASE"];

/** Returns the settings without those that the previous release does not know. */
export const knownTo = (vars) => Object.fromEntries(Object.entries(vars).filter(([name]) => !NEW_SETTINGS.includes(name)));
