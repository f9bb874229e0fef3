import { describe, expect, it } from 'vitest';
import { exitCodeOfError, exitCodeOfSignal, strongestExitCode } from '../../../cli/exit-code.ts';
import { FleetError, type FleetErrorCode, InvariantError } from '../../../shared/fleet-error.ts';

describe('R099 exit codes', () => {
  it.each([
    [[], 0],
    [[0], 0],
    [[0, 1], 1],
    [[1, 3], 3],
    [[3, 130], 130],
    [[143, 3, 1], 143],
    [[143, 130], 130],
    [[130, 4], 4],
    [[4, 2], 2],
    [[0, 1, 3, 130, 143, 4, 2], 2],
    [[1, 0, 0], 1],
    [[77], 4],
  ])('R099 of %j the strongest is %i', (codes, strongest) => {
    expect(strongestExitCode(codes)).toBe(strongest);
    expect(strongestExitCode(codes.toReversed())).toBe(strongest);
  });

  it.each<[FleetErrorCode, number]>([
    ['plan', 2],
    ['usage', 2],
    ['interrupted', 130],
    ['io', 4],
    ['protocol', 4],
    ['refused', 4],
    ['deadline', 4],
    ['lost', 4],
    ['internal', 4],
  ])('R099 a FleetError %s ends with %i', (code, exitCode) => {
    expect(exitCodeOfError(new FleetError(code, 'x'))).toBe(exitCode);
  });

  it('R099 anything unforeseen ends with 4', () => {
    expect([new InvariantError('x'), new Error('x'), 'x', null].map(exitCodeOfError)).toEqual([4, 4, 4, 4]);
  });

  it('R100 signals', () => {
    expect([exitCodeOfSignal('SIGINT'), exitCodeOfSignal('SIGTERM')]).toEqual([130, 143]);
  });
});
