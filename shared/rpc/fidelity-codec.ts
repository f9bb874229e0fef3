/** Planned-against-sent counts between their domain form and the wire. A part of a report: see `report-codec.ts`. */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/report_pb.ts';
import { FleetError } from '../fleet-error.ts';
import { type BinSums, EDGES_PER_WINDOW, type PhaseBins, type SlotFidelity } from '../metrics/fidelity.ts';
import { PHASE_MAX, SLOT_MAX, WINDOW_MAX } from './report-limits.ts';
import { atMostFromWire, exactFromWire, exactToWire, requiredFromWire } from './wire-integer.ts';

/** The wire form of one worker's window. */
export function fidelityToProto(fidelity: SlotFidelity): pb.WindowFidelity {
  return create(pb.WindowFidelitySchema, {
    slot: fidelity.slot,
    window: fidelity.window,
    backlogBefore: exactToWire('fidelity.backlog_before', fidelity.backlogBefore),
    planned: fidelity.planned.map((count) => exactToWire('fidelity.planned', count)),
    sent: fidelity.sent.map((count) => exactToWire('fidelity.sent', count)),
    unsent: fidelity.unsent.map((count) => exactToWire('fidelity.unsent', count)),
    phases: fidelity.phases.map(({ phase, fine, coarse }) => ({
      phase,
      fine: binsToProto(fine),
      coarse: binsToProto(coarse),
    })),
  });
}

/** The domain form of one worker's window. @throws FleetError `protocol`. */
export function fidelityFromProto(wire: pb.WindowFidelity): SlotFidelity {
  return {
    slot: atMostFromWire('fidelity.slot', wire.slot, SLOT_MAX),
    window: atMostFromWire('fidelity.window', wire.window, WINDOW_MAX),
    backlogBefore: exactFromWire('fidelity.backlog_before', wire.backlogBefore),
    planned: edgesFromProto('planned', wire.planned),
    sent: edgesFromProto('sent', wire.sent),
    unsent: edgesFromProto('unsent', wire.unsent),
    phases: wire.phases.map(phaseFromProto),
  };
}

function phaseFromProto(wire: pb.PhaseBins): PhaseBins {
  return {
    phase: atMostFromWire('fidelity.phases.phase', wire.phase, PHASE_MAX),
    fine: binsFromProto('fine', wire.fine),
    coarse: binsFromProto('coarse', wire.coarse),
  };
}

function edgesFromProto(field: string, counts: readonly bigint[]): number[] {
  if (counts.length !== EDGES_PER_WINDOW) {
    throw new FleetError('protocol', `fidelity.${field} has ${counts.length} counts, must have ${EDGES_PER_WINDOW}`);
  }
  return counts.map((count) => exactFromWire(`fidelity.${field}`, count));
}

function binsToProto(sums: BinSums): pb.BinSums {
  return create(pb.BinSumsSchema, {
    bins: exactToWire('fidelity.bins', sums.bins),
    planned: exactToWire('fidelity.planned', sums.planned),
    plannedSquares: exactToWire('fidelity.planned_squares', sums.plannedSquares),
    sent: exactToWire('fidelity.sent', sums.sent),
    sentSquares: exactToWire('fidelity.sent_squares', sums.sentSquares),
    moved: exactToWire('fidelity.moved', sums.moved),
  });
}

function binsFromProto(width: string, wire: pb.BinSums | undefined): BinSums {
  const field = `fidelity.phases.${width}`;
  const sums = requiredFromWire(field, wire);
  return {
    bins: exactFromWire(`${field}.bins`, sums.bins),
    planned: exactFromWire(`${field}.planned`, sums.planned),
    plannedSquares: exactFromWire(`${field}.planned_squares`, sums.plannedSquares),
    sent: exactFromWire(`${field}.sent`, sums.sent),
    sentSquares: exactFromWire(`${field}.sent_squares`, sums.sentSquares),
    moved: exactFromWire(`${field}.moved`, sums.moved),
  };
}
