/**
 * How many chunks the reference LLM target feeds, in all and per second of its own CPU time: 200 streams of 2000 tokens, read by sockets
 * of this process, at gaps that leave it time and at gaps that do not (then what is due together leaves in one write).
 * Usage: node bench/llm/target-throughput.ts [--smoke]
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { smoke: { type: 'boolean', default: false } } });
const STREAMS = values.smoke ? 10 : 200;
const TOKENS = values.smoke ? 100 : 2000;
const GAPS = values.smoke ? ['1ms'] : ['5ms', '1ms', '10us'];
/** Ticks of /proc/PID/stat per second: fixed by the kernel's interface to programs. */
const TICKS_PER_SECOND = 100;

const command = fileURLToPath(new URL('../../cli/loadfleet.cjs', import.meta.url));

/** User and system CPU time of a process, seconds. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Reads one stream to its end; resolves to the number of its events. */
function readStream(port: number): Promise<number> {
  const body = JSON.stringify({
    model: 'reference',
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: TOKENS,
    ignore_eos: true,
  });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    let events = 0;
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(head + body));
    socket.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf('data: '); at >= 0; at = bytes.indexOf('data: ', at + 1)) events += 1;
    });
    socket.on('close', () => resolve(events));
    socket.on('error', reject);
  });
}

for (const gap of GAPS) {
  const laws = ['--ttft', 'constant:5ms', '--gap', `constant:${gap}`];
  const target = spawn(process.execPath, [command, 'target', '--llm', '--quiet', ...laws], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const port = await new Promise<number>((resolve) =>
      target.stdout.once('data', (line: Buffer) => resolve(Number(/:(\d+)\n/.exec(line.toString())?.[1]))),
    );
    const cpuBefore = cpuSecondsOf(target.pid as number);
    const before = performance.now();
    const events = await Promise.all(Array.from({ length: STREAMS }, () => readStream(port)));
    const seconds = (performance.now() - before) / 1000;
    const cpuSeconds = cpuSecondsOf(target.pid as number) - cpuBefore;
    const chunks = STREAMS * TOKENS;
    // A chunk whose `data: ` two reads share is not counted here, so the books are only looked at for gross loss.
    const seen = events.reduce((sum, each) => sum + each, 0);
    if (seen < 0.99 * chunks) throw new Error(`${seen} of ${chunks} chunks came`);
    const perSecond = Math.round(chunks / seconds);
    const perCpuSecond = Math.round(chunks / cpuSeconds);
    console.log(
      `gap ${gap.padEnd(5)} asked ${Math.round((STREAMS * 1e3) / msOf(gap))} chunks/s  got ${perSecond}/s  ${perCpuSecond} per CPU second of the target`,
    );
  } finally {
    target.kill('SIGTERM');
    await new Promise((resolve) => target.once('close', resolve));
  }
}

function msOf(gap: string): number {
  return gap.endsWith('us') ? Number.parseFloat(gap) / 1000 : Number.parseFloat(gap);
}
