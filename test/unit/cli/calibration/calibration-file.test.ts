import { resolve } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { calibrationPath } from '../../../../cli/calibration/calibration-file.ts';
import { certificationHere } from '../../../../cli/plan-capacity.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const { noHome } = vi.hoisted(() => ({ noHome: { value: false } }));
vi.mock(import('node:os'), async (importOriginal) => {
  const original = await importOriginal();
  const homedir = (): string => {
    // As the platform says it for a user number that no account has, without HOME.
    if (noHome.value) throw new Error('A system error occurred: uv_os_homedir returned ENOENT');
    return '/users/somebody';
  };
  return { ...original, homedir };
});

afterEach(() => {
  noHome.value = false;
});

it('is where the user says, else in the state folder', () => {
  expect(calibrationPath({ LOADFLEET_CALIBRATION: 'here.json' })).toBe(resolve('here.json'));
  expect(calibrationPath({ XDG_STATE_HOME: '/state' })).toBe('/state/loadfleet/calibration.json');
  expect(calibrationPath({})).toBe('/users/somebody/.local/state/loadfleet/calibration.json');
});

it('a user without a home folder, as in a container, has no calibration, and runs all the same', () => {
  noHome.value = true;
  expect(() => calibrationPath({})).toThrow(FleetError);
  expect(() => calibrationPath({})).toThrow(/set HOME, or LOADFLEET_CALIBRATION/);
  const { calibration, certified, problem } = certificationHere(createPlan({ durationNs: 1e9 }), {});
  expect([calibration, certified.kind]).toEqual([null, 'none']);
  expect(problem).toMatch(/no home folder/);
});
