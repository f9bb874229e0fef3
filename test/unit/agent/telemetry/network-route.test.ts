import { describe, expect, it } from 'vitest';
import { cardTo } from '../../../../agent/telemetry/network-route.ts';

const ipv4 = [
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
  'eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
  'wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0',
  'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  // 10.1.0.0/16, and 10.1.128.0/17 of a card that is down.
  'tun0\t0000010A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  'tun1\t0080010A\t00000000\t0000\t0\t0\t0\t0080FFFF\t0\t0\t0',
  '',
].join('\n');

const ipv6 = [
  'fd000000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1',
  '00000000000000000000000000000000 00 00000000000000000000000000000000 00 fd000000000000000000000000000001 00000400 00000002 00000000 00000003     eth0',
  '',
].join('\n');

const own = new Set(['192.0.2.2', 'fd00::2']);

describe('the card to an address', () => {
  it.each([
    ['192.0.2.7', 'eth0'],
    ['10.1.2.3', 'tun0'],
    ['10.1.200.3', 'tun0'],
    ['10.2.0.1', 'eth0'],
    ['127.0.0.1', 'lo'],
    ['127.9.9.9', 'lo'],
    ['192.0.2.2', 'lo'],
    ['::1', 'lo'],
    ['fd00::2', 'lo'],
    ['fd00::99', 'eth1'],
    ['2001:db8::1', 'eth0'],
    ['::ffff:192.0.2.7', 'eth0'],
    ['fe80::1%eth0', 'eth0'],
  ])('%s by %s', (address, card) => {
    expect(cardTo(address, { ipv4, ipv6 }, own)).toBe(card);
  });

  it('is not known without a route or without a table', () => {
    const some = ipv4.split('\n').slice(0, 1).join('\n');
    expect(cardTo('192.0.2.7', { ipv4: some, ipv6 }, own)).toBeNull();
    expect(cardTo('192.0.2.7', { ipv4: null, ipv6: null }, own)).toBeNull();
    expect(cardTo('2001:db8::1', { ipv4, ipv6: 'nonsense' }, own)).toBeNull();
  });
});
