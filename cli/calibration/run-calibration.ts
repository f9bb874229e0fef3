/**
 * A calibration from end to end: the platform's timers, the floor, a ladder of rates for each client; targets in processes of
 * their own, one embedded run for each ladder; the file and the text (M§9.3).
 */

import { countText, rateText, table, timeText } from '../../coordinator/report/text-format.ts';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { CALIBRATION_SCHEMA, type Calibration, type ClientCalibration } from '../../shared/calibration/calibration.ts';
import { hostTimekeeper } from '../../shared/time/timekeeper.ts';
import { processSignals, Signals } from '../signals.ts';
import type { VerbContext } from '../verb-context.ts';
import type { CalibrateFlags } from './calibrate-flags.ts';
import { calibrationPath, thisMachine, writeCalibration } from './calibration-file.ts';
import { certify, ladderRates, rungOf, spreadOfMetric } from './ladder.ts';
import { measureFloor, measureLadder } from './measure-ladder.ts';
import { tryFile } from '../write-file.ts';
import { measureTimerError } from './timer-error.ts';

/** Timers that are measured. */
const TIMERS = 200;

/** Measures, stores and prints. @throws FleetError `io` when the file cannot be written, and what `runHere` throws. */
export async function calibrate(flags: CalibrateFlags, { console }: VerbContext): Promise<void> {
  const signals = new Signals(processSignals);
  const say = (text: string): void => console.err(`loadfleet: ${text}\n`);
  try {
    const path = flags.out ?? calibrationPath(process.env);
    tryFile(path, 'calibration');
    say('measuring the platform’s timers');
    const timerError = await measureTimerError(TIMERS);
    say('measuring the floor against the null target');
    const floor = await measureFloor(flags.workers, { signals, say });
    const clients: ClientCalibration[] = [];
    for (const client of flags.client) {
      const rates = ladderRates(flags.rate);
      say(`climbing with client ${client}, ${(flags.step / 1e9) * (rates.length + 1)} s`);
      const ladder = { client, workers: flags.workers, rates, stepSeconds: flags.step / 1e9 };
      const value = await measureLadder(ladder, flags.service, { signals, say });
      clients.push(clientCalibration(value, client, flags));
    }
    const calibration: Calibration = {
      schema: CALIBRATION_SCHEMA,
      createdAt: new Date(hostTimekeeper.wallMs()).toISOString(),
      machine: thisMachine(),
      timerError,
      floorResponse: spreadOfMetric(floor.phases.find((phase) => !phase.warmup)?.metrics['response'], 0),
      clients,
    };
    writeCalibration(path, calibration);
    await console.out(`${calibrationText(calibration)}\ncalibration: ${path}\n`);
  } finally {
    signals.close();
  }
}

function clientCalibration(value: ResultValue, client: string, flags: CalibrateFlags): ClientCalibration {
  const rates = ladderRates(flags.rate);
  const phases = value.phases.filter((phase) => !phase.warmup);
  const rungs = phases.map((phase, index) => rungOf(phase, rates[index] as number, flags.service));
  const agent = value.agents[0];
  return {
    client,
    protocol: agent?.client ?? client,
    pacing: agent?.pacing ?? null,
    workers: flags.workers,
    serviceNs: flags.service,
    rungs,
    ...certify(rungs),
  };
}

/** For people. */
function calibrationText({ machine, timerError, floorResponse, clients }: Calibration): string {
  const lines = [
    `machine    ${machine.cpuModel}, ${machine.cores} cores, ${machine.platform}, Node ${machine.nodeVersion}`,
    `timers     late by p50 ${timeText(timerError.p50)}, p99 ${timeText(timerError.p99)}, at most ${timeText(timerError.max)}`,
    `floor      response of a null target p50 ${timeText(floorResponse.p50)}, p99 ${timeText(floorResponse.p99)}`,
  ];
  for (const one of clients) {
    const rows = one.rungs.map((rung) => [
      rateText(rung.ratePerSecond),
      countText(rung.scheduled),
      timeText(rung.wakeLag.p50),
      timeText(rung.wakeLag.p99),
      timeText(rung.serviceError.p50),
      timeText(rung.serviceError.p99),
      timeText(rung.excess['50']?.bound ?? null),
      timeText(rung.excess['99']?.bound ?? null),
      rung.level,
    ]);
    const head = ['per worker', 'arrivals', 'wakeLag p50', 'p99', 'service - true p50', 'p99', 'excess p50', 'p99', ''];
    const certified = one.certifiedRatePerSecond;
    lines.push(
      '',
      `client ${one.protocol}, pacing ${one.pacing ?? '-'}, ${one.workers} workers, true service time ${timeText(one.serviceNs)}`,
      ...table([head, ...rows], '  '),
      certified === null
        ? `  no rate is certified: not even the lowest was clean (${one.limitedBy})`
        : `  certified  ${rateText(certified)} per worker (limited by ${one.limitedBy}); plan at most 60 % of it`,
    );
  }
  return `${lines.join('\n')}\n`;
}
