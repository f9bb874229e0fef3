import { describe, expect, it } from 'vitest';
import { parseLoopbackListen } from '../../../shared/listen-address.ts';

describe('parseLoopbackListen', () => {
  it.each([
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['127.1.2.3:65535', { host: '127.1.2.3', port: 65_535 }],
    ['localhost:8080', { host: '127.0.0.1', port: 8_080 }],
    ['[::1]:443', { host: '::1', port: 443 }],
  ])('reads %s', (text, address) => {
    expect(parseLoopbackListen(text)).toEqual(address);
  });

  it.each([
    '0.0.0.0:80',
    '[::]:80',
    '192.168.1.4:80',
    '127.0.0.1.example.test:80',
    '127.0.0.999:80',
    'example.test:80',
    '[::ffff:10.0.0.1]:1',
  ])('refuses %s: not loopback', (text) => {
    expect(() => parseLoopbackListen(text)).toThrow(/not a loopback address; until TLS exists/);
  });

  it.each([
    '',
    '8080',
    '127.0.0.1',
    '127.0.0.1:',
    ':80',
    '127.0.0.1:65536',
    '127.0.0.1:-1',
    '127.0.0.1:8o',
    '::1:80',
    '127.0.0.1:80 ',
  ])('refuses %j: not HOST:PORT', (text) => {
    expect(() => parseLoopbackListen(text)).toThrow(/is not HOST:PORT/);
  });
});
