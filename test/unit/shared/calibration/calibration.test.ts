import { describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  type CalibratedMachine,
  type Calibration,
  CALIBRATION_SCHEMA,
  capacityFor,
  certifiedRate,
  parseCalibration,
} from '../../../../shared/calibration/calibration.ts';
import { calibrationSchema } from '../../../../shared/calibration/calibration-schema.ts';
import { fleetErrorOf } from '../../../support/fleet-error-of.ts';

const machine: CalibratedMachine = {
  cpuModel: 'a CPU',
  cores: 8,
  platform: 'linux x64',
  nodeVersion: 'v26.10.0',
  loadfleetVersion: '0.1.0',
};
const spread = { p50: 1000, p99: 2000, p999: null, max: 3000 };
const calibration: Calibration = {
  schema: CALIBRATION_SCHEMA,
  createdAt: '2026-01-02T03:04:05.000Z',
  machine,
  timerError: spread,
  floorResponse: spread,
  clients: [
    {
      client: 'wire',
      protocol: 'wire http/1.1',
      pacing: 'hybrid',
      workers: 1,
      serviceNs: 20_000_000,
      rungs: [
        {
          ratePerSecond: 100,
          scheduled: 100,
          sent: 100,
          ok: 100,
          wakeLag: spread,
          serviceError: { ...spread, p50: -5 },
          excess: { '50': { bound: 1000, share: 0.001 }, '99': null },
          level: 'pass',
        },
      ],
      certifiedRatePerSecond: 1000,
      limitedBy: 'excess',
    },
  ],
};

describe('calibration', () => {
  it('fits its published schema, which is closed', async () => {
    const validate = new Ajv2020({ allErrors: true }).compile(calibrationSchema);
    expect(validate(calibration)).toBe(true);
    expect(validate({ ...calibration, extra: 1 })).toBe(false);
    const published = '../../../../docs/calibration.schema.json';
    await expect(`${JSON.stringify(calibrationSchema, null, 2)}\n`).toMatchFileSnapshot(published);
  });

  it('reads back what it wrote', () => {
    expect(parseCalibration(JSON.stringify(calibration), 'a file')).toEqual(calibration);
  });

  it.each([
    ['{', 'is not JSON'],
    ['{"schema":"other"}', 'schema is not loadfleet/calibration/v1'],
    [JSON.stringify({ ...calibration, machine: {} }), 'machine.cores is missing'],
    [JSON.stringify({ ...calibration, clients: {} }), 'clients is not a list'],
    [
      JSON.stringify({ ...calibration, clients: [{ client: 'wire', certifiedRatePerSecond: 0 }] }),
      'certifiedRatePerSecond of wire must be above 0 or null',
    ],
    // A part of a file, as a full disk or an older version leaves it.
    [JSON.stringify({ ...calibration, floorResponse: undefined }), 'floorResponse.p50 must be above 0 or null'],
    [JSON.stringify({ ...calibration, floorResponse: { p50: '1 ms' } }), 'floorResponse.p50 must be above 0 or null'],
    [
      JSON.stringify({ ...calibration, clients: [{ ...calibration.clients[0], serviceNs: undefined }] }),
      'serviceNs of wire must be above 0',
    ],
  ])('refuses %s', (text, message) => {
    const error = fleetErrorOf(() => parseCalibration(text, 'here.json'));
    expect(error?.code).toBe('usage');
    expect(error?.message).toContain('calibration here.json');
    expect(error?.message).toContain(message);
  });
});

const target = (client: string) => ({ client, httpVersion: 'auto' }) as const;

describe('certified rate', () => {
  it('is one of its own for HTTP/2, which no other client stands in for', () => {
    const h2 = { ...calibration.clients[0]!, client: 'h2', certifiedRatePerSecond: 300 };
    const both = { ...calibration, clients: [h2, ...calibration.clients] };
    const plan = { client: 'auto', httpVersion: '2' } as const;
    expect(certifiedRate(both, machine, plan)).toMatchObject({ ratePerSecond: 300, client: 'h2' });
    expect(certifiedRate(both, machine, target('auto'))).toMatchObject({ ratePerSecond: 1000, client: 'wire' });
    expect(certifiedRate(calibration, machine, plan)).toMatchObject({
      reason: 'client h2 was not calibrated (loadfleet calibrate --client)',
    });
    expect(certifiedRate({ ...calibration, clients: [h2] }, machine, target('auto')).kind).toBe('none');
  });

  it('holds for the machine, the Node and the version it was measured on, and for its clients', () => {
    expect(certifiedRate(calibration, machine, target('auto'))).toEqual({
      kind: 'certified',
      ratePerSecond: 1000,
      client: 'wire',
    });
    expect(certifiedRate(calibration, machine, target('undici'))).toMatchObject({
      reason: 'client undici was not calibrated (loadfleet calibrate --client)',
    });
    expect(certifiedRate(calibration, { ...machine, nodeVersion: 'v27' }, target('wire'))).toMatchObject({
      kind: 'none',
      reason: 'the calibration is for nodeVersion v26.10.0, here it is v27',
    });
    expect(certifiedRate(null, machine, target('wire')).kind).toBe('none');
  });

  it('is none when not even the lowest rung was clean', () => {
    const none = {
      ...calibration,
      clients: calibration.clients.map((one) => ({ ...one, certifiedRatePerSecond: null })),
    };
    expect(certifiedRate(none, machine, target('wire'))).toMatchObject({ kind: 'none' });
  });
});

describe('capacity', () => {
  it('plans each worker at 60 % of its certified rate and leaves a core of each machine free', () => {
    expect(capacityFor(6000, 1000, { cores: 4, workerSlots: 10 })).toMatchObject({
      workersNeeded: 10,
      agentsNeeded: 4,
      isEnough: true,
    });
    expect(capacityFor(6001, 1000, { cores: 4, workerSlots: 10 })).toMatchObject({
      workersNeeded: 11,
      isEnough: false,
    });
    expect(capacityFor(0, 1000, { cores: 1, workerSlots: 1 })).toMatchObject({ workersNeeded: 1, agentsNeeded: 1 });
  });
});
