/** The exact curves of M§6.3 (unit: the mean service time), as the tests of theory, simulation and the fleet use them. */

/** One row: a system at one utilisation. */
export interface QueueTableRow {
  readonly system: 'response' | 'wait' | 'md1-wait';
  readonly servers: number;
  readonly utilisation: number;
  /** p50, p90, p99, p99.9. */
  readonly quantiles: readonly [number, number, number, number];
  readonly mean: number;
}

/** The probabilities of the columns. */
export const QUEUE_TABLE_PROBABILITIES = [0.5, 0.9, 0.99, 0.999] as const;

type Row = readonly [number, number, number, number, number, number];

const rowsOf = (system: QueueTableRow['system'], servers: number, rows: readonly Row[]): QueueTableRow[] =>
  rows.map(([utilisation, p50, p90, p99, p999, mean]) => ({
    system,
    servers,
    utilisation,
    quantiles: [p50, p90, p99, p999],
    mean,
  }));

export const QUEUE_TABLE: readonly QueueTableRow[] = [
  ...rowsOf('response', 1, [
    [0.5, 1.3862944, 4.6051702, 9.2103404, 13.815511, 2],
    [0.8, 3.4657359, 11.512925, 23.025851, 34.538776, 5],
    [0.9, 6.9314718, 23.025851, 46.051702, 69.077553, 10],
    [0.95, 13.862944, 46.051702, 92.103404, 138.15511, 20],
  ]),
  ...rowsOf('wait', 1, [
    [0.5, 0, 3.2188758, 7.824046, 12.429216, 1],
    [0.8, 2.3500181, 10.397208, 21.910133, 33.423059, 4],
    [0.9, 5.8778666, 21.972246, 44.998097, 68.023948, 9],
    [0.95, 12.837078, 45.025836, 91.077538, 137.12924, 19],
  ]),
  ...rowsOf('md1-wait', 1, [
    [0.5, 0, 1.5157448, 3.336256, 5.168385, 0.5],
    [0.8, 1.2759399, 5.0115115, 10.355887, 15.700268, 2],
    [0.9, 3.0130475, 10.782505, 21.898237, 33.01397, 4.5],
    [0.95, 6.4806679, 22.302229, 44.937766, 67.573302, 9.5],
  ]),
  ...rowsOf('response', 2, [
    [0.5, 0.97441161, 2.9948783, 5.6659607, 8.22751, 1.3333333],
    [0.8, 2.0400314, 6.1715624, 11.93737, 17.694126, 2.7777778],
    [0.9, 3.7691594, 11.831481, 23.34443, 34.857355, 5.2631579],
    [0.95, 7.2119688, 23.306768, 46.332619, 69.35847, 10.25641],
  ]),
  ...rowsOf('response', 4, [
    [0.5, 0.78340976, 2.4500619, 4.7642484, 7.0679717, 1.0869565],
    [0.8, 1.3461991, 3.7759602, 6.8932037, 9.8796669, 1.7455406],
    [0.9, 2.2545037, 6.4244485, 12.193167, 17.950014, 2.9693832],
    [0.95, 3.9855607, 12.053906, 23.566865, 35.079791, 5.457095],
  ]),
  ...rowsOf('response', 16, [
    [0.5, 0.69442479, 2.3038727, 4.6064578, 6.9090429, 1.0011274],
    [0.8, 0.80185644, 2.431792, 4.7349516, 7.0375403, 1.0952762],
    [0.9, 1.0780098, 2.8971769, 5.2698346, 7.5884195, 1.3695896],
    [0.95, 1.5961689, 4.0815086, 7.2166056, 10.209353, 1.9752406],
  ]),
];
