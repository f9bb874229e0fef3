/** The grammar of `target`: where requests go, and how the target is reached. */
import { checkAbsoluteUrl, checkHostName } from './http-syntax.ts';
import { booleanField, placed, scalarField, textField, valueError, wordField } from './plan-field.ts';
import { quoted } from './problem-list.ts';
import { DIRECT, parseProxySetting, PROXY_WORDS } from './proxy-setting.ts';
import { optional, optionalSection, recordField, type ValueOf } from './record-field.ts';

/** Keys of `target.tls`. */
export const tlsKeys = {
  serverName: optional(
    scalarField('a host name', { type: 'string' }, checkHostName),
    'Name for SNI and for checking the certificate.',
    null,
    "the URL's host",
  ),
  insecure: optional(booleanField(), 'Accept any certificate. Printed in the report.', false, 'false'),
};

/** Keys of `target`. */
export const targetKeys = {
  url: optional(
    placed(scalarField('a URL such as http://127.0.0.1:8080', { type: 'string' }, checkAbsoluteUrl)),
    'Scheme, host, port and perhaps a path prefix. Request URLs that start with / are put behind it unchanged. Needed unless `reference` is given.',
    null,
    'none',
  ),
  reference: optional(
    textField({ max: 100, what: 'a service law' }),
    'Starts the reference target on this machine for the run, with this service law: `instant`, `constant:5ms` or `exponential:5ms`. Instead of `url`; only for an embedded fleet.',
    null,
    'none',
  ),
  client: optional(
    wordField(['auto', 'undici', 'wire']),
    'Which client sends; `auto` picks the fastest that can. With `http: 2` it is `wire`, and `undici` is refused.',
    'auto',
    'auto',
  ),
  identify: optional(
    booleanField(),
    'Send the identity of each arrival as header `loadfleet-id`. Off, the bytes are exactly those of the plan.',
    false,
    'false',
  ),
  http: optional(
    wordField(['auto', '1.1', '2']),
    'HTTP version. `auto` is 1.1: HTTP/2 changes what is measured, so it is asked for by `2`, over TLS by ALPN or in clear.',
    'auto',
    'auto',
  ),
  tls: optionalSection(recordField(tlsKeys, 'a mapping'), 'TLS settings.'),
  connectTo: optional(
    scalarField('HOST:PORT, [IPV6]:PORT or unix:PATH', { type: 'string' }, parseConnectTo),
    "Address to dial instead of the URL's. The Host header and TLS name stay those of the URL. A link-local address has its scope: `[fe80::1%eth0]:8080`.",
    null,
    "the URL's host and port",
  ),
  proxy: optional(
    scalarField(PROXY_WORDS, { type: 'string' }, parseProxySetting),
    'Forward proxy for all requests: none, the one that the environment of the command names (http_proxy, https_proxy, all_proxy, no_proxy), or this one. Only the wire client over HTTP/1.1 speaks to proxies.',
    DIRECT,
    'direct',
  ),
};

/** `target` as written. */
export type TargetText = ValueOf<typeof targetKeys>;

function parseConnectTo(text: string): string {
  if (/^unix:./.test(text)) return text;
  const [, address, host, port] = /^(?:\[([^\]]*)\]|([^\s:/[\]@?#]+)):([0-9]{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535 || (address !== undefined && !isIpv6(address)))
    throw valueError(`${quoted(text)} is not HOST:PORT, [IPV6]:PORT or unix:PATH`);
  if (host !== undefined) checkHostName(host);
  return text;
}

/** An address with or without the scope that a link-local one needs, such as `fe80::1%eth0` (RFC 4007 §11). */
function isIpv6(text: string): boolean {
  const [, address = ''] = /^([^%]*)(?:%[0-9A-Za-z._~-]+)?$/.exec(text) ?? [];
  return URL.canParse(`http://[${address}]/`);
}
