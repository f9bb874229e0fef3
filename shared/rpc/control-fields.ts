/** Fields that messages of both sides of the Control stream have, and how long their texts may be. */
import type * as pb from '../../proto/gen/loadfleet/v1/control_pb.ts';
import type { RunKey } from './control-message.ts';
import { requiredFromWire, textFromWire } from './wire-integer.ts';

/** Longest name or id that is taken from a peer, characters. */
export const NAME_LENGTH_MAX = 256;
/** Longest reason that is taken from a peer, characters. */
export const REASON_LENGTH_MAX = 4096;

/** The run that a message is about. @throws FleetError `protocol` where it names none. */
export function runFromProto(field: string, run: pb.RunKey | undefined): RunKey {
  const { runId, trial } = requiredFromWire(field, run);
  return { runId: textFromWire(`${field}.run_id`, runId, NAME_LENGTH_MAX), trial };
}

/** What most messages about a run have. @throws FleetError `protocol`. */
export function runAndReason(
  field: string,
  value: { readonly run?: pb.RunKey | undefined; readonly reason: string },
): { readonly run: RunKey; readonly reason: string } {
  return {
    run: runFromProto(`${field}.run`, value.run),
    reason: textFromWire(`${field}.reason`, value.reason, REASON_LENGTH_MAX),
  };
}

/** The fields of a message whose wire form has the same names. */
export function withoutKind<M extends { readonly kind: string }>(message: M): Omit<M, 'kind'> {
  const { kind: _kind, ...fields } = message;
  return fields;
}
