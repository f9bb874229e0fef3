/** Packet and bit rate of the network cards against what they can carry (M§9.2). Their capacity is not read by this version. */
import { notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Always not measured: a cloud's limit is written in no file, and a loopback device has none. */
export function networkCardGate(): Gate {
  const row = GATES['network-card'];
  return notMeasured('network-card', row.unit, row.warnBeyond, 'the capacity of the network is not known here');
}
