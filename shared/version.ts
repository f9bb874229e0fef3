/** The version of loadfleet, as in package.json (a test holds them together): for reports and joins, never for a decision. */
export const LOADFLEET_VERSION = '0.1.0';
