/** Classes of errors that are met while a connection is made. */
import { describe, expect, it } from 'vitest';
import { connectFailure, connectFailureClass, isTargetsFailure } from '../../../../agent/client/connect-failure.ts';

describe('an error while a connection is made', () => {
  it.each([
    ['ENOTFOUND', 'dns', 'dns'],
    ['EAI_AGAIN', 'dns', 'dns'],
    ['EAI_FAMILY', 'dns', 'dns'],
    ['ETIMEOUT', 'dns', 'dns'],
    ['EAI_MEMORY', 'generator', 'generator'],
    ['ECONNREFUSED', 'connect-refused', 'connect-refused'],
    ['EHOSTUNREACH', 'connect-refused', 'connect-refused'],
    ['ETIMEDOUT', 'connect-timeout', 'connect-timeout'],
    ['ECONNRESET', 'reset', 'reset'],
    ['ECONNABORTED', 'reset', 'reset'],
    ['EADDRNOTAVAIL', 'generator', 'generator'],
    ['EMFILE', 'generator', 'generator'],
    ['CERT_HAS_EXPIRED', 'protocol', 'tls'],
    ['ERR_TLS_ALPN', 'protocol', 'tls'],
    ['ERR_HTTP2_ERROR', 'protocol', 'protocol'],
  ])('R017 R032 %s is %s in clear and %s over TLS', (code, inClear, encrypted) => {
    expect(connectFailureClass(code, false)).toBe(inClear);
    expect(connectFailureClass(code, true)).toBe(encrypted);
  });

  it('of the handshake of HTTP/2 is named by what was wrong', () => {
    const error = Object.assign(new Error('its first bytes are no SETTINGS'), { code: 'ERR_HTTP2_HANDSHAKE' });
    expect(connectFailure(error, false)).toEqual({
      kind: 'failed',
      class: 'protocol',
      status: null,
      detail: error.message,
    });
  });

  it('R032 says nothing of an address when this host ran out of something', () => {
    expect(isTargetsFailure(Object.assign(new Error('no ports'), { code: 'EADDRNOTAVAIL' }))).toBe(false);
    expect(isTargetsFailure(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))).toBe(true);
  });
});
