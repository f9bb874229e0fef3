/**
 * Side by side in one run: client on one core, nginx on another, our worker and every other tool found, in turn, several rounds.
 * Usage: npm run bench:versus -- [--only saturating,open,http2,tls,workers,memory] [--rounds 3] [--seconds 5] [--connections 50]
 *   [--port 18081] [--client-core 0] [--target-core 1] [--requests 10000000] [--rate 25000]   (the last two: of `memory`)
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { startNginx } from './nginx-target.ts';
import { http2, memory, openLoop, saturating, type Setting, tls, workers } from './sections.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'saturating,open,http2,tls,workers' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '50' },
    port: { type: 'string', default: '18081' },
    'client-core': { type: 'string', default: '0' },
    'target-core': { type: 'string', default: '1' },
    requests: { type: 'string', default: '10000000' },
    rate: { type: 'string', default: '25000' },
  },
});
/** Saturation rate that the open loop takes half of when it was not measured in this run. */
const RATE_UNMEASURED = 40_000;

const wanted = new Set(values.only.split(','));
const target = await startNginx(Number(values.port), values['target-core']);
try {
  const setting: Setting = {
    target,
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    clientCore: values['client-core'],
    targetCore: values['target-core'],
    print: (text) => console.log(text),
  };
  console.log(
    `${cpus()[0]?.model ?? 'unknown CPU'}, ${cpus().length} cores; node ${process.version}; nginx on core ${setting.targetCore}, clients on core ${setting.clientCore}`,
  );
  const rate = wanted.has('saturating') ? await saturating(setting) : RATE_UNMEASURED;
  if (wanted.has('open')) await openLoop(setting, rate);
  if (wanted.has('http2')) await http2(setting);
  if (wanted.has('tls')) await tls(setting);
  if (wanted.has('workers')) await workers(setting);
  if (wanted.has('memory')) await memory(setting, Number(values.requests), Number(values.rate));
} finally {
  await target.close();
}
