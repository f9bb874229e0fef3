import { describe, expect, it } from 'vitest';
import { goldenScheduleDigest, goldenScheduleSha256 } from '../../../../shared/schedule/golden-schedule.ts';
import { sha256 } from '../../../support/schedule-of.ts';

describe('golden schedule', () => {
  it('is the S=16 ramp vector of M§1.3', () => {
    expect(goldenScheduleDigest(sha256)).toBe('206486783fb8e485417c6f19d302196d571b00f86f82903790941e6387937a97');
    expect(goldenScheduleSha256).toBe(goldenScheduleDigest(sha256));
  });
});
