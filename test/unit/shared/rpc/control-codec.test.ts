import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AgentMessageSchema, CoordinatorMessageSchema } from '../../../../proto/gen/loadfleet/v1/control_pb.ts';
import {
  agentMessageFromProto,
  agentMessageToProto,
  coordinatorMessageFromProto,
  coordinatorMessageToProto,
} from '../../../../shared/rpc/control-codec.ts';
import {
  type AgentMessage,
  type CoordinatorMessage,
  isSameRun,
  runText,
} from '../../../../shared/rpc/control-message.ts';
import { PLAN_BYTES_MAX } from '../../../../shared/rpc/protocol.ts';

const run = { runId: 'run-1', trial: 3 };

const AGENT_MESSAGES: AgentMessage[] = [
  {
    kind: 'join',
    protocol: 1,
    agentId: 'a',
    incarnation: 'i',
    region: 'eu-1',
    labels: { rack: '7' },
    cores: 8,
    workers: 7,
    nodeVersion: 'v26',
    loadfleetVersion: '0.1.0',
    goldenDigest: 'ab',
    current: run,
  },
  {
    kind: 'join',
    protocol: 1,
    agentId: 'a',
    incarnation: 'i',
    region: null,
    labels: {},
    cores: 1,
    workers: 1,
    nodeVersion: '',
    loadfleetVersion: '',
    goldenDigest: '',
    current: null,
  },
  { kind: 'probe-answer', id: 7, receivedAgentClockNs: 2 ** 53 - 1, answeredAgentClockNs: 5 },
  { kind: 'heartbeat', seq: 12 },
  { kind: 'armed', run, clientName: 'undici http/1.1', pacing: 'timer' },
  { kind: 'arm-refused', run, reason: 'no file' },
  { kind: 'started', run, aheadNs: 499_000_000 },
  { kind: 'start-refused', run, reason: 'late' },
  { kind: 'draining', run, reason: 'the lease lapsed' },
  { kind: 'leave', reason: 'told to stop' },
];

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

describe('control messages', () => {
  it.each(AGENT_MESSAGES)('agent: $kind survives the wire', (message) => {
    const bytes = toBinary(AgentMessageSchema, agentMessageToProto(message));
    expect(agentMessageFromProto(fromBinary(AgentMessageSchema, bytes))).toEqual(message);
  });

  it.each(COORDINATOR_MESSAGES)('coordinator: $kind survives the wire', (message) => {
    const bytes = toBinary(CoordinatorMessageSchema, coordinatorMessageToProto(message));
    expect(coordinatorMessageFromProto(fromBinary(CoordinatorMessageSchema, bytes))).toEqual(message);
  });

  it('refuses a message without a body it knows', () => {
    expect(() => agentMessageFromProto(create(AgentMessageSchema))).toThrow('without a body');
    expect(() => coordinatorMessageFromProto(create(CoordinatorMessageSchema))).toThrow('without a body');
  });

  it('refuses a message about no run', () => {
    const message = create(AgentMessageSchema, { body: { case: 'started', value: {} } });
    expect(() => agentMessageFromProto(message)).toThrow('started.run is missing');
  });

  it('refuses a join without names, and names that are too long', () => {
    const joinOf = (agentId: string) =>
      create(AgentMessageSchema, { body: { case: 'join', value: { protocol: 1, agentId, incarnation: 'i' } } });
    expect(() => agentMessageFromProto(joinOf(''))).toThrow('agent_id and incarnation must not be empty');
    expect(() => agentMessageFromProto(joinOf('a'.repeat(257)))).toThrow('join.agent_id has 257 characters');
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

describe('run keys', () => {
  it('name a trial of a run', () => {
    expect(isSameRun(run, { ...run })).toBe(true);
    expect(isSameRun(run, { ...run, trial: 4 })).toBe(false);
    expect(isSameRun(run, { ...run, runId: 'run-2' })).toBe(false);
    expect(runText(run)).toBe('run run-1 trial 3');
    expect(runText({ runId: 'run-1', trial: 0 })).toBe('run run-1');
  });
});
