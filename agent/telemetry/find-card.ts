/** Finds the network card that leads to a plan's target: the one whose drops and load are part of what is measured. */
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Target } from '../../shared/plan/plan.ts';
import { DIRECT } from '../../shared/plan/proxy-setting.ts';
import { resolveBySystem } from '../client/target-address.ts';
import { cardTo, LOOPBACK } from './network-route.ts';
import type { TextSource } from './text-source.ts';

/** The card to the first address of `target`; null where no route is known or the name cannot be resolved. Never rejects. */
export async function findCard(source: TextSource, target: Target): Promise<string | null> {
  const host = hostOf(target);
  if (host === null) return LOOPBACK;
  const address = isIP(host) === 0 ? await firstAddress(host) : host;
  if (address === null) return null;
  const tables = { ipv4: source.text('/proc/net/route'), ipv6: source.text('/proc/net/ipv6_route') };
  const own = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((one) => one.address));
  return cardTo(address, tables, new Set(own));
}

/** Name or address that is dialled; null for a unix socket, which no card sees. */
function hostOf({ url, connectTo, proxy }: Target): string | null {
  if (connectTo?.startsWith('unix:') === true) return null;
  const dialled = proxy === DIRECT ? url : proxy;
  return new URL(connectTo === null ? dialled : `tcp://${connectTo}`).hostname.replace(/^\[|\]$/g, '');
}

async function firstAddress(host: string): Promise<string | null> {
  try {
    return (await resolveBySystem(host))[0] ?? null;
  } catch {
    // The requests will tell that the name has no address; here it only means "not measured".
    return null;
  }
}
