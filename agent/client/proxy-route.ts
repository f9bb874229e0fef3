/** What a client must know of the forward proxy that its requests go through (RFC 9110 §7.6, §9.3.6, §11.7). */

export interface ProxyRoute {
  /** `HOST:PORT` to dial. */
  readonly dial: string;
  /** Value of `Proxy-Authorization`; null = none. */
  readonly authorization: string | null;
}

/** The route through `proxy`, `direct` or a proxy's URL; null = none. */
export function routeThrough(proxy: string): ProxyRoute | null {
  if (proxy === 'direct') return null;
  const url = new URL(proxy);
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    dial: url.port === '' ? `${url.host}:80` : url.host,
    authorization: user === ':' ? null : `Basic ${Buffer.from(user, 'utf8').toString('base64')}`,
  };
}
