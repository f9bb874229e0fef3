/** An agent process for tests: what the verb `agent` does, without the command line around it. */
import { parseArgs } from 'node:util';
import { runAgentProcess } from '../../agent/agent-process.ts';

const { values } = parseArgs({
  options: {
    coordinator: { type: 'string', default: '' },
    id: { type: 'string' },
    workers: { type: 'string' },
    'host-workers': { type: 'string' },
    embedded: { type: 'boolean', default: false },
  },
});

process.exitCode = await runAgentProcess({
  coordinator: values.coordinator,
  agentId: values.id ?? null,
  region: null,
  labels: {},
  workers: values.workers === undefined ? null : Number(values.workers),
  hostWorkers: values['host-workers'] === undefined ? null : Number(values['host-workers']),
  isEmbedded: values.embedded,
});
