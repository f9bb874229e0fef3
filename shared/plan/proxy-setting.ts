/**
 * `target.proxy`: which forward proxy the requests go through. Variables of the environment count only where the plan says `env` (R035): in
 * a pod they divert load that is meant for the next pod.
 */
import { valueError } from './plan-field.ts';
import { quoted } from './problem-list.ts';

/** No proxy. */
export const DIRECT = 'direct';
/** As the environment says. */
const BY_ENVIRONMENT = 'env';

/** How a value of `target.proxy` is named. */
export const PROXY_WORDS = 'direct, env or a proxy such as http://127.0.0.1:3128';

/** Checks a value of `target.proxy`; a proxy's URL is given in its short form. @throws FleetError 'plan'. */
export function parseProxySetting(text: string): string {
  return text === DIRECT || text === BY_ENVIRONMENT ? text : parseProxyUrl(text, PROXY_WORDS);
}

/** `http://[USER:PASSWORD@]HOST[:PORT]`; without scheme, as the variables are often written, it is http. @throws FleetError 'plan'. */
function parseProxyUrl(text: string, words: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const isPlain = url?.protocol === 'http:' && url.hostname !== '' && url.port !== '0';
  if (!isPlain || url.search !== '' || url.hash !== '' || url.pathname !== '/')
    throw valueError(`${quoted(withoutPassword(text))} is not ${words}`);
  if (decoded(url.username) === null || decoded(url.password) === null)
    throw valueError(`${quoted(withoutPassword(text))}: its user or password has a % that encodes nothing; write %25`);
  const user = url.username === '' && url.password === '' ? '' : `${url.username}:${url.password}@`;
  return `http://${user}${url.host}`;
}

/** A proxy's URL as it may be shown. */
export function withoutPassword(url: string): string {
  // The last @, for what is written in place of a password may hold anything.
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');
}

/** What must not be shown of a proxy's URL: its password, as it is written and as it is meant. */
export function secretsOfProxy(proxy: string): readonly string[] {
  const password = URL.parse(proxy)?.password ?? '';
  if (password === '') return [];
  const meant = decoded(password) ?? password;
  return meant === password ? [password] : [password, meant];
}

/** Null where a % encodes nothing. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What of `target` decides on the proxy. */
export interface ProxiedTarget {
  readonly proxy: string;
  readonly connectTo: string | null;
  readonly reference: string | null;
  readonly client: string;
  readonly http: string;
}

/**
 * The proxy for `target`, whose URL is `targetUrl`: `direct`, or its URL. @throws FleetError 'plan' for one that cannot be, or that does not
 * go with the rest.
 */
export function proxyOfTarget(
  target: ProxiedTarget,
  targetUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const proxy = target.proxy === BY_ENVIRONMENT ? proxyOfEnvironment(targetUrl, environment) : target.proxy;
  if (proxy === DIRECT) return DIRECT;
  if (target.connectTo !== null) throw valueError('connectTo and proxy are both given; it is the proxy that connects');
  if (target.reference !== null) throw valueError('reference and proxy are both given; the reference target has none');
  if (target.client === 'undici' || target.http === '2')
    throw valueError(
      `only the wire client over HTTP/1.1 speaks to proxies, and target has client: ${target.client}, http: ${target.http}`,
    );
  return proxy;
}

/**
 * The proxy for requests to `targetUrl` by the variables of `environment`, or `direct`: `http_proxy` or `https_proxy` by the scheme, else
 * `all_proxy`, in small letters before capitals; none for the hosts in `no_proxy`. @throws FleetError 'plan' that names the variable.
 */
function proxyOfEnvironment(targetUrl: string, environment: Readonly<Record<string, string | undefined>>): string {
  const target = URL.parse(targetUrl);
  if (target === null) return DIRECT;
  const first = (...names: readonly string[]): readonly [name: string, value: string] | undefined =>
    names
      .flatMap((name) => [name, name.toUpperCase()])
      .map((name) => [name, (environment[name] ?? '').trim()] as const)
      .find(([, value]) => value !== '');
  const scheme = target.protocol === 'https:' ? 'https' : 'http';
  const found = first(`${scheme}_proxy`, 'all_proxy');
  if (found === undefined || isExcepted(target, first('no_proxy')?.[1] ?? '')) return DIRECT;
  const [name, value] = found;
  return parseProxyUrl(value, `a proxy such as http://127.0.0.1:3128 (variable ${name})`);
}

/**
 * Whether `target` is in a list such as `localhost, .internal, 10.0.0.7, host:8080`: a name stands for itself and all below it, with or
 * without a dot or `*.` before it; a port limits it to that port; `*` is every host.
 */
function isExcepted(target: URL, list: string): boolean {
  const host = plainHost(target.hostname);
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name = '', onlyPort] = /^(\[[^\]]*\]|[^:]*|[^[]*:[^[]*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (onlyPort !== undefined && onlyPort !== port) return false;
    const domain = plainHost(name).replace(/^\*?\./, '');
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  });
}

function plainHost(host: string): string {
  return host
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}
