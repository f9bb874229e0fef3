import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { calibrationPath } from '../../../../cli/calibration/calibration-file.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';

it('is where the user says, else in the state folder', () => {
  const home = (): string => '/users/somebody';
  expect(calibrationPath({ LOADFLEET_CALIBRATION: 'here.json' }, home)).toBe(resolve('here.json'));
  expect(calibrationPath({ XDG_STATE_HOME: '/state' }, home)).toBe('/state/loadfleet/calibration.json');
  expect(calibrationPath({}, home)).toBe('/users/somebody/.local/state/loadfleet/calibration.json');
});

it('a user without a home folder, as in a container, is told what to set', () => {
  // As the platform says it for a user number that no account has, without HOME.
  const home = (): string => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT');
  };
  expect(() => calibrationPath({}, home)).toThrow(FleetError);
  expect(() => calibrationPath({}, home)).toThrow(/set HOME, or LOADFLEET_CALIBRATION/);
  expect(calibrationPath({ XDG_STATE_HOME: '/state' }, home)).toBe('/state/loadfleet/calibration.json');
});
