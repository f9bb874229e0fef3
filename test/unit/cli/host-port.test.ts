import { expect, it } from 'vitest';
import { readHostPort } from '../../../cli/host-port.ts';

it.each(['127.0.0.1:1', '127.8.0.9:7400', 'localhost:65535', '[::1]:7400'])('takes %s as it is', (text) => {
  expect(readHostPort(text, '--coordinator')).toBe(text);
});

it.each(['127.0.0.1', '127.0.0.1:0', '127.0.0.1:65536', 'http://127.0.0.1:80', '::1:80', 'a b:1', '[::1]'])(
  'refuses %s, which is not HOST:PORT',
  (text) => {
    expect(() => readHostPort(text, '--coordinator')).toThrow(/^--coordinator ".*" is not HOST:PORT/);
  },
);

it.each(['192.0.2.1:7400', 'coordinator:7400', '0.0.0.0:7400', '[fd00::1]:7400', '[fe80::1%eth0]:7400', '127.1:7400'])(
  'R106 R108 refuses %s: a plan would go there with its secrets, in clear',
  (text) => {
    expect(() => readHostPort(text, '--coordinator')).toThrow(/is not a loopback address: until TLS exists/);
  },
);
