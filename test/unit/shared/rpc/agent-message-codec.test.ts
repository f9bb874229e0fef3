import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AgentMessageSchema } from '../../../../proto/gen/loadfleet/v1/control_pb.ts';
import { agentMessageFromProto, agentMessageToProto } from '../../../../shared/rpc/agent-message-codec.ts';
import type { AgentMessage } from '../../../../shared/rpc/control-message.ts';

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

describe('what an agent says', () => {
  it.each(AGENT_MESSAGES)('$kind survives the wire', (message) => {
    const bytes = toBinary(AgentMessageSchema, agentMessageToProto(message));
    expect(agentMessageFromProto(fromBinary(AgentMessageSchema, bytes))).toEqual(message);
  });

  it('refuses a message without a body it knows', () => {
    expect(() => agentMessageFromProto(create(AgentMessageSchema))).toThrow('without a body');
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
});
