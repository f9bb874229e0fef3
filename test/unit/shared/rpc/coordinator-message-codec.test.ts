import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { CoordinatorMessageSchema } from '../../../../proto/gen/loadfleet/v1/control_pb.ts';
import type { CoordinatorMessage } from '../../../../shared/rpc/control-message.ts';
import {
  coordinatorMessageFromProto,
  coordinatorMessageToProto,
} from '../../../../shared/rpc/coordinator-message-codec.ts';
import { PLAN_BYTES_MAX } from '../../../../shared/rpc/protocol.ts';

const run = { runId: 'run-1', trial: 3 };

const COORDINATOR_MESSAGES: CoordinatorMessage[] = [
  { kind: 'welcome', coordinatorId: 'c', protocol: 1, heartbeatIntervalNs: 1e9 },
  { kind: 'refusal', reason: 'other protocol' },
  { kind: 'probe', id: 7 },
  { kind: 'lease', seq: 12, leaseNs: 10e9 },
  {
    kind: 'arm',
    run,
    planJson: new Uint8Array([1, 2, 3]),
    planSha256: 'cd',
    workerSlots: 9,
    laneCount: 16,
    grants: [
      { slot: 0, lanes: Int32Array.of(0, 9, 15), epoch: 0, fromNs: 0 },
      { slot: 8, lanes: new Int32Array(0), epoch: 2, fromNs: 2e9 },
    ],
  },
  { kind: 'start', run, t0AgentClockNs: 123_456_789_012_345 },
  { kind: 'stop', run, drainNs: 2e9, reason: 'stopped by SIGINT' },
  { kind: 'release', run, reason: 'finished' },
  { kind: 'dismiss', reason: 'over' },
];

describe('what the coordinator says', () => {
  it.each(COORDINATOR_MESSAGES)('$kind survives the wire', (message) => {
    const bytes = toBinary(CoordinatorMessageSchema, coordinatorMessageToProto(message));
    expect(coordinatorMessageFromProto(fromBinary(CoordinatorMessageSchema, bytes))).toEqual(message);
  });

  it('refuses a message without a body it knows', () => {
    expect(() => coordinatorMessageFromProto(create(CoordinatorMessageSchema))).toThrow('without a body');
  });

  it('refuses a plan above 1 MiB, and lanes beyond the plan', () => {
    const armOf = (planJson: Uint8Array, lanes: Uint8Array) =>
      create(CoordinatorMessageSchema, {
        body: { case: 'arm', value: { run, planJson, laneCount: 16, grants: [{ slot: 0, lanes }] } },
      });
    expect(() => coordinatorMessageFromProto(armOf(new Uint8Array(PLAN_BYTES_MAX + 1), new Uint8Array(2)))).toThrow(
      `arm.plan_json has ${PLAN_BYTES_MAX + 1} bytes, the limit is ${PLAN_BYTES_MAX}`,
    );
    expect(() => coordinatorMessageFromProto(armOf(new Uint8Array(1), new Uint8Array(3)))).toThrow('grant');
  });
});
