import { describe, expect, it } from 'vitest';
import { type DialAddress, TargetAddress } from '../../../../agent/client/target-address.ts';

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const FIRST = { kind: 'tcp', host: '10.0.0.1', port: 80 } as const;
const MANY = new URL('http://many.test/');

async function resolved(hosts: readonly string[]): Promise<TargetAddress> {
  const address = new TargetAddress(MANY, null, () => Promise.resolve(hosts));
  await address.next(0);
  return address;
}

function hostOf(address: DialAddress | null): string {
  return address?.kind === 'tcp' ? address.host : '';
}

function hostsDialled(address: TargetAddress, nowNs: number, count: number): string[] {
  return Array.from({ length: count }, () => hostOf(address.nextKnown(nowNs)));
}

describe('R024 addresses of one name', () => {
  it('a dead one is passed over for longer and longer, and is as the others once it answers', async () => {
    const address = await resolved(['10.0.0.1', '10.0.0.2']);
    const dead: DialAddress = { kind: 'tcp', host: '10.0.0.2', port: 80 };
    address.markDead(dead, 0);
    expect(hostsDialled(address, 4.9e9, 4)).not.toContain('10.0.0.2');
    expect(hostsDialled(address, 5.1e9, 4)).toContain('10.0.0.2');
    // That was the one attempt that tries it, which fails, and so do those that were under way: they are the same failure.
    address.markDead(dead, 6e9);
    address.markDead(dead, 7e9);
    expect(hostsDialled(address, 15e9, 4)).not.toContain('10.0.0.2');
    expect(hostsDialled(address, 15.2e9, 4)).toContain('10.0.0.2');
    address.markAlive(dead);
    address.markDead(dead, 20e9);
    expect(hostsDialled(address, 25.1e9, 4)).toContain('10.0.0.2');
  });

  it('one takes its share of the connect limit, at least 2 s; the last one what is left, a single one all of it', async () => {
    const three = await resolved(HOSTS);
    const readyNs = (address: TargetAddress, wholeNs: number, spentNs: number, attemptsLeft: number): number =>
      address.attemptLimits(FIRST, wholeNs, spentNs, attemptsLeft, 0).readyNs;
    expect(readyNs(three, 30e9, 0, 3)).toBe(10e9);
    expect(readyNs(three, 3e9, 0, 3)).toBe(2e9);
    expect(readyNs(three, 1e9, 0, 3)).toBe(1e9);
    expect(readyNs(three, 30e9, 4e9, 1)).toBe(26e9);
    expect(readyNs(three, 30e9, 29e9, 1)).toBe(2e9);
    expect(readyNs(await resolved(['10.0.0.1']), 30e9, 0, 1)).toBe(30e9);
  });

  it('one may be silent for 2 s while another is there to be tried, else for as long as its share', async () => {
    const three = await resolved(HOSTS);
    const reachNs = (): number => three.attemptLimits(FIRST, 30e9, 0, 3, 1e9).reachNs;
    expect(reachNs()).toBe(2e9);
    three.markDead({ ...FIRST, host: '10.0.0.2' }, 0);
    expect(reachNs()).toBe(2e9);
    three.markDead({ ...FIRST, host: '10.0.0.3' }, 0);
    expect(reachNs()).toBe(10e9);
  });

  it('are renewed in the background, which is waited for only for so long: a resolver may hang', async () => {
    let answers = 0;
    const address = new TargetAddress(MANY, null, () => {
      answers += 1;
      return answers === 1 ? Promise.resolve(HOSTS) : new Promise(() => undefined);
    });
    await address.next(0);
    expect(address.isRenewing(0)).toBe(false);
    expect(hostOf(address.nextKnown(40e9))).not.toBe('');
    expect(address.isRenewing(40e9)).toBe(true);
    expect(address.isRenewing(43e9)).toBe(false);
    expect(HOSTS).toContain(hostOf(await address.next(43e9)));
  });
});

it('R026 dials an address with its scope', async () => {
  const address = new TargetAddress(MANY, '[fe80::1%eth0]:80', () => Promise.reject(new Error('nothing to resolve')));
  expect(await address.next(0)).toEqual({ kind: 'tcp', host: 'fe80::1%eth0', port: 80 });
});
