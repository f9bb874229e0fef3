/** Where a calibration is kept, and which machine this is. */

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CalibratedMachine, type Calibration, parseCalibration } from '../../shared/calibration/calibration.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { LOADFLEET_VERSION } from '../../shared/version.ts';
import { writeFile } from '../write-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `LOADFLEET_CALIBRATION`, else `loadfleet/calibration.json` in the user's state folder; `home` is the platform's way to their own.
 * @throws FleetError 'usage' where the user has none: a container under a number that no account has, without HOME.
 */
export function calibrationPath(environment: Environment, home: () => string = homedir): string {
  const own = environment['LOADFLEET_CALIBRATION'] ?? '';
  if (own !== '') return resolve(own);
  const state = environment['XDG_STATE_HOME'] ?? '';
  return join(state === '' ? join(homeFolder(home), '.local', 'state') : state, 'loadfleet', 'calibration.json');
}

function homeFolder(home: () => string): string {
  try {
    return home();
  } catch (error) {
    throw new FleetError(
      'usage',
      'calibration: this user has no home folder; set HOME, or LOADFLEET_CALIBRATION to the path of the file',
      { cause: error },
    );
  }
}

/** The calibration at `path`; null where there is none. @throws FleetError 'usage' when it cannot be read as one. */
export function readCalibration(path: string): Calibration | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new FleetError('usage', `calibration ${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return parseCalibration(text, path);
}

/** Writes it whole or not at all. @throws FleetError 'io'. */
export function writeCalibration(path: string, calibration: Calibration): void {
  writeFile(path, `${JSON.stringify(calibration, null, 2)}\n`, 'calibration');
}

/** This machine, as far as it matters to what its workers can do. `coresApart`: cores of it that this process now keeps off. */
export function thisMachine(coresApart = 0): CalibratedMachine {
  return {
    cpuModel: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism() + coresApart,
    platform: `${process.platform} ${process.arch}`,
    nodeVersion: process.version,
    loadfleetVersion: LOADFLEET_VERSION,
  };
}
