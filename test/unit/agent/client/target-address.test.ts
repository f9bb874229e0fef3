import { describe, expect, it } from 'vitest';
import { type DialAddress, TargetAddress } from '../../../../agent/client/target-address.ts';

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
    address.markDead(dead, 6e9);
    // Attempts that were under way fail too; they are the same failure.
    address.markDead(dead, 7e9);
    expect(hostsDialled(address, 15.9e9, 4)).not.toContain('10.0.0.2');
    expect(hostsDialled(address, 16.1e9, 4)).toContain('10.0.0.2');
    address.markAlive(dead);
    address.markDead(dead, 20e9);
    expect(hostsDialled(address, 25.1e9, 4)).toContain('10.0.0.2');
  });

  it('a silent one takes its share of the connect limit, at least 2 s; a single one all of it', async () => {
    const three = await resolved(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(three.attemptTimeoutNs(30e9)).toBe(10e9);
    expect(three.attemptTimeoutNs(3e9)).toBe(2e9);
    expect(three.attemptTimeoutNs(1e9)).toBe(1e9);
    expect((await resolved(['10.0.0.1'])).attemptTimeoutNs(30e9)).toBe(30e9);
  });
});
