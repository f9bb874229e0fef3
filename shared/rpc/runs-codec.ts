/** Messages of the Runs service between their domain form and the generated one. */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/runs_pb.ts';
import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import { printableLines } from '../printable-text.ts';
import { PLAN_BYTES_MAX } from './protocol.ts';
import type { ProgressStretch, RunProgress, SubmitMessage, WatchEvent } from './runs-message.ts';
import { exactFromWire, exactToWire, requiredFromWire } from './wire-integer.ts';

/** The wire form of one message of a submission. */
export function submitMessageToProto(message: SubmitMessage): pb.SubmitMessage {
  switch (message.kind) {
    case 'header': {
      const { secrets, ...header } = message.header;
      const value = create(pb.SubmitHeaderSchema, { ...header, secrets: [...secrets] });
      return create(pb.SubmitMessageSchema, { body: { case: 'header', value } });
    }
    case 'piece': {
      const value = create(pb.SubmitPieceSchema, { sha256: message.sha256, content: message.content });
      return create(pb.SubmitMessageSchema, { body: { case: 'piece', value } });
    }
    default:
      return assertNever(message);
  }
}

/** The domain form of one message of a submission. @throws FleetError `protocol`. */
export function submitMessageFromProto(message: pb.SubmitMessage): SubmitMessage {
  const body = message.body;
  switch (body.case) {
    case 'header': {
      const { protocol, planJson, planSha256, effectiveYaml, secrets, command } = body.value;
      if (planJson.length > PLAN_BYTES_MAX) {
        throw new FleetError('plan', `plan: ${planJson.length} bytes as JSON, the limit is ${PLAN_BYTES_MAX}`);
      }
      return { kind: 'header', header: { protocol, planJson, planSha256, effectiveYaml, secrets, command } };
    }
    case 'piece':
      return { kind: 'piece', sha256: body.value.sha256, content: body.value.content };
    case undefined:
      throw new FleetError('protocol', 'submission without a body that this build knows');
    default:
      return assertNever(body);
  }
}

/** The wire form of what a watcher is told. */
export function watchEventToProto(event: WatchEvent): pb.WatchEvent {
  switch (event.kind) {
    case 'progress':
      return create(pb.WatchEventSchema, { body: { case: 'progress', value: progressToProto(event.progress) } });
    case 'piece': {
      const value = create(pb.ResultPieceSchema, { name: event.name, content: event.content });
      return create(pb.WatchEventSchema, { body: { case: 'piece', value } });
    }
    case 'end': {
      const { outcome, exitCode, reasons, summary } = event;
      const value = create(pb.RunFinishedSchema, { outcome, exitCode, reasons: [...reasons], summary });
      return create(pb.WatchEventSchema, { body: { case: 'end', value } });
    }
    default:
      return assertNever(event);
  }
}

/** The domain form of what a watcher is told. @throws FleetError `protocol`. */
export function watchEventFromProto(event: pb.WatchEvent): WatchEvent {
  const body = event.body;
  switch (body.case) {
    case 'progress':
      return { kind: 'progress', progress: progressFromProto(body.value) };
    case 'piece':
      return { kind: 'piece', name: plainNameFromWire('piece.name', body.value.name), content: body.value.content };
    case 'end': {
      const { outcome, exitCode, reasons, summary } = body.value;
      // It goes to a terminal as it is.
      return { kind: 'end', outcome, exitCode, reasons, summary: printableLines(summary) };
    }
    case undefined:
      throw new FleetError('protocol', 'watch event without a body that this build knows');
    default:
      return assertNever(body);
  }
}

/**
 * A name from the wire that becomes one of a file or folder on this side: 1..200 letters, digits, dots, _ or -, no dot first, so that it
 * stays where it is put. @throws FleetError `protocol`.
 */
export function plainNameFromWire(field: string, name: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(name)) return name;
  throw new FleetError(
    'protocol',
    `${field}: ${JSON.stringify(name.slice(0, 60))} is not a name of 1..200 letters, digits, dots, _ or -`,
  );
}

function progressToProto(progress: RunProgress): pb.RunProgress {
  const { latest, phase } = progress;
  return create(pb.RunProgressSchema, {
    elapsedNs: exactToWire('progress.elapsed_ns', progress.elapsedNs),
    plannedNs: exactToWire('progress.planned_ns', progress.plannedNs),
    state: progress.state,
    ...(phase === null ? {} : { phase }),
    agentsAlive: progress.agentsAlive,
    agentsTotal: progress.agentsTotal,
    latest: {
      ...(latest.startNs === null ? {} : { startNs: exactToWire('latest.start_ns', latest.startNs) }),
      lengthNs: exactToWire('latest.length_ns', latest.lengthNs),
      scheduled: exactToWire('latest.scheduled', latest.scheduled),
      sent: exactToWire('latest.sent', latest.sent),
      ok: exactToWire('latest.ok', latest.ok),
      failed: exactToWire('latest.failed', latest.failed),
      dropped: exactToWire('latest.dropped', latest.dropped),
      ...(latest.wakeLagP99Ns === null ? {} : { wakeLagP99Ns: exactToWire('latest.wake_lag', latest.wakeLagP99Ns) }),
      ...(latest.responseP50Ns === null ? {} : { responseP50Ns: exactToWire('latest.p50', latest.responseP50Ns) }),
      ...(latest.responseP99Ns === null ? {} : { responseP99Ns: exactToWire('latest.p99', latest.responseP99Ns) }),
      inFlight: exactToWire('latest.in_flight', latest.inFlight),
      failedSoFar: exactToWire('latest.failed_so_far', latest.failedSoFar),
      droppedSoFar: exactToWire('latest.dropped_so_far', latest.droppedSoFar),
    },
  });
}

function progressFromProto(progress: pb.RunProgress): RunProgress {
  return {
    elapsedNs: exactFromWire('progress.elapsed_ns', progress.elapsedNs),
    plannedNs: exactFromWire('progress.planned_ns', progress.plannedNs),
    state: progress.state,
    phase: progress.phase ?? null,
    agentsAlive: progress.agentsAlive,
    agentsTotal: progress.agentsTotal,
    latest: latestFromProto(requiredFromWire('progress.latest', progress.latest)),
  };
}

function latestFromProto(latest: pb.LatestStretch): ProgressStretch {
  const optional = (field: string, value: bigint | undefined): number | null =>
    value === undefined ? null : exactFromWire(field, value);
  return {
    startNs: optional('latest.start_ns', latest.startNs),
    lengthNs: exactFromWire('latest.length_ns', latest.lengthNs),
    scheduled: exactFromWire('latest.scheduled', latest.scheduled),
    sent: exactFromWire('latest.sent', latest.sent),
    ok: exactFromWire('latest.ok', latest.ok),
    failed: exactFromWire('latest.failed', latest.failed),
    dropped: exactFromWire('latest.dropped', latest.dropped),
    wakeLagP99Ns: optional('latest.wake_lag_p99_ns', latest.wakeLagP99Ns),
    responseP50Ns: optional('latest.response_p50_ns', latest.responseP50Ns),
    responseP99Ns: optional('latest.response_p99_ns', latest.responseP99Ns),
    inFlight: exactFromWire('latest.in_flight', latest.inFlight),
    failedSoFar: exactFromWire('latest.failed_so_far', latest.failedSoFar),
    droppedSoFar: exactFromWire('latest.dropped_so_far', latest.droppedSoFar),
  };
}
