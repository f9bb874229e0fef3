import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { studentTCdf, studentTQuantile } from '../../../../shared/stats/student-t.ts';

describe("Student's t", () => {
  it.each([
    [0.975, 9, 2.2621571628], // M§4.3
    [0.975, 4, 2.7764451052],
    [0.99, 29, 2.4620213602],
    [0.95, 17.198, 1.7384552014],
    [0.995, 1, 63.6567411629],
  ])('quantile at %d with %d degrees', (probability, degrees, expected) => {
    expect(studentTQuantile(probability, degrees)).toBeCloseTo(expected, 9);
    expect(studentTQuantile(1 - probability, degrees)).toBeCloseTo(-expected, 9);
  });

  it('is the Cauchy law for one degree', () => {
    for (const t of [-5, -0.3, 0, 0.3, 5]) expect(studentTCdf(t, 1)).toBeCloseTo(0.5 + Math.atan(t) / Math.PI, 13);
  });

  it.each([0, 1, NaN])('refuses the probability %d', (probability) => {
    expect(() => studentTQuantile(probability, 5)).toThrow(InvariantError);
  });
});
