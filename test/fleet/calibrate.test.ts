/** `loadfleet calibrate` from end to end in its smallest size; what it measures is this machine's business. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Calibration } from '../../shared/calibration/calibration.ts';
import { calibrationSchema } from '../../shared/calibration/calibration-schema.ts';
import { runCommand } from '../support/command-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadfleet-calibrate-'));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('calibrate', () => {
  it('climbs, stores a calibration that fits its schema, and plan explain uses it', async () => {
    const path = join(folder, 'deep', 'calibration.json');
    const end = await runCommand(['calibrate', '--rate', '40', '--step', '400ms', '--service', '5ms', '--out', path]);
    expect(end.exitCode, end.stderr).toBe(0);
    const calibration = JSON.parse(readFileSync(path, 'utf8')) as Calibration;
    const validate = new Ajv2020({ allErrors: true }).compile(calibrationSchema);
    expect(validate(calibration), JSON.stringify(validate.errors)).toBe(true);
    const [client] = calibration.clients;
    expect(client?.rungs.map((rung) => rung.ratePerSecond)).toEqual([4, 10, 20, 30, 40, 50, 60]);
    // Every request truly took 5 ms: no answer can have come sooner, but for the width of a bucket and the timer's rounding.
    for (const rung of client?.rungs ?? []) expect(rung.serviceError.p50 ?? 0).toBeGreaterThan(-20_000);
    expect(end.stdout).toContain('calibration: ');
    const certified = {
      ...calibration,
      clients: calibration.clients.map((one) => ({ ...one, certifiedRatePerSecond: 50 })),
    };
    writeFileSync(path, JSON.stringify(certified));
    const explain = [
      'plan',
      'explain',
      '--url',
      'http://127.0.0.1:9/',
      '--rate',
      '90',
      '--duration',
      '1s',
      '--workers',
      '1',
    ];
    const { stdout } = await runCommand([...explain, '--json'], { LOADFLEET_CALIBRATION: path });
    expect(JSON.parse(stdout)).toMatchObject({
      capacity: { kind: 'known', peakRatePerSecond: 90, certifiedRatePerSecond: 50, workersNeeded: 3, isEnough: false },
    });
    const text = await runCommand(explain, { LOADFLEET_CALIBRATION: path });
    expect(text.stdout).toContain('needs 3 workers');
  }, 120_000);
});
