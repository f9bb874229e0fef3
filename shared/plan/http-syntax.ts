/**
 * What may stand in a request: method, URL, header names and values. Checked, never rewritten: the bytes of the plan are the
 * bytes on the wire (R028), so what cannot go onto the wire as it is written is refused here.
 */

import { valueError } from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import { quoted } from './problem-list.ts';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const URL_CHARACTERS = /^[!-~]*$/;
const HEADER_VALUE = /^[\t -~]*$/;

/** Headers that frame the message: the client sets them from the body. */
const FRAMING_HEADERS = ['content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect'];

/** A method token. @throws FleetError 'plan'. */
export function parseMethod(text: string): string {
  if (!TOKEN.test(text)) throw valueError(`${quoted(text)} is not an HTTP method such as GET`);
  if (text.toUpperCase() === 'CONNECT') throw valueError('CONNECT asks for a tunnel, not for an answer');
  if (text !== text.toUpperCase() && COMMON_METHODS.has(text.toUpperCase())) {
    throw valueError(
      `${quoted(text)} is not a method of HTTP: methods are case-sensitive, write ${text.toUpperCase()}`,
    );
  }
  return text;
}

const COMMON_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']);

/**
 * A base or request URL without fragment or user information. @throws FleetError 'plan'.
 * @returns the text unchanged.
 */
export function checkAbsoluteUrl(text: string): string {
  const match = /^(https?):\/\/([^/?#]*)([^#]*)(#.*)?$/i.exec(text);
  if (match === null)
    throw valueError(`${quotedUrl(text)} is not a URL such as http://127.0.0.1:8080 or https://host/path`);
  const [, , authority = '', rest = '', fragment] = match;
  if (fragment !== undefined) throw valueError(`${quotedUrl(text)} has a fragment (#); fragments are never sent`);
  if (authority.includes('@')) {
    throw valueError('the URL holds a user name or password; use an authorization header instead');
  }
  checkUrlCharacters(rest);
  const parsed = URL.parse(`http://${authority}/`);
  if (authority === '' || parsed === null || !URL_CHARACTERS.test(authority)) {
    throw valueError(`${quotedUrl(text)} has no valid host and port`);
  }
  if (authority.endsWith(':') || parsed.port === '0')
    throw valueError(`${quotedUrl(text)} has no valid port (1..65535)`);
  if (text.length > PLAN_COUNTS.urlLengthMax) {
    throw valueError(`the URL has ${text.length} characters, the limit is ${PLAN_COUNTS.urlLengthMax}`);
  }
  return text;
}

/** Path and query as they go onto the wire. @throws FleetError 'plan'. */
function checkUrlCharacters(text: string): string {
  if (URL_CHARACTERS.test(text)) return text;
  const bad = Array.from(text).find((character) => !URL_CHARACTERS.test(character)) ?? '';
  throw valueError(`the URL holds ${quoted(bad)}; URLs are sent as written, so percent-encode it (a space is %20)`);
}

/** The same for the whole of a URL behind its host, which has no fragment. @throws FleetError 'plan'. */
export function checkPathAndQuery(text: string): string {
  if (text.includes('#')) throw valueError('the URL has a fragment (#); fragments are never sent');
  return checkUrlCharacters(text);
}

/** A header name that the plan may set. @throws FleetError 'plan'. */
export function checkHeaderName(name: string): string {
  if (!TOKEN.test(name)) throw valueError(`${quoted(name)} is not a header name`);
  if (FRAMING_HEADERS.includes(name.toLowerCase())) {
    throw valueError(`${name} frames the message and is set by the client from the body`);
  }
  if (name.toLowerCase() === 'loadfleet-id') throw valueError('loadfleet-id is set by target.identify');
  return name;
}

/** A header value: visible ASCII, spaces and tabs, none at the ends. @throws FleetError 'plan' that does not repeat the value. */
export function checkHeaderValue(value: string): string {
  if (!HEADER_VALUE.test(value))
    throw valueError('the header value holds a line break, control or non-ASCII character');
  if (/^[\t ]|[\t ]$/.test(value)) throw valueError('the header value begins or ends with a space');
  return value;
}

/** A URL for a message, without what may be a password or key in it. */
function quotedUrl(text: string): string {
  return quoted(text.replace(/^([^:/?#]*:\/\/)?[^?#]*@/, '$1...@').replace(/\?.*$/s, '?...'));
}

/** Letters, digits, hyphens and underscores in labels of up to 63, between dots (RFC 1123, and what is met in the field). */
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

/** A host name as TLS sends it, at most 253 characters. @throws FleetError 'plan'. */
export function checkHostName(text: string): string {
  if (text.length > 253 || !HOST_NAME.test(text)) {
    throw valueError(`${quoted(text)} is no host name such as api.example.com; other alphabets are written as xn--...`);
  }
  return text;
}
