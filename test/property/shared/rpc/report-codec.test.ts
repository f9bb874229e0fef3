import { fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportMessageSchema } from '../../../../proto/gen/loadfleet/v1/report_pb.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { decodeReport, encodeReport } from '../../../../shared/rpc/report-codec.ts';
import { reportMessageFromProto, reportMessageToProto } from '../../../../shared/rpc/report-stream-codec.ts';
import { agentReport } from '../../../support/arbitrary-report.ts';

describe('reports on the wire', () => {
  it('survive the wire, figure for figure', () => {
    fc.assert(
      fc.property(agentReport, (report) => {
        const wire = toBinary(ReportMessageSchema, reportMessageToProto(encodeReport(report)));
        expect(decodeReport(reportMessageFromProto(fromBinary(ReportMessageSchema, wire)))).toEqual(report);
      }),
      { numRuns: 200 },
    );
  });

  it('the same report always has the same bytes', () => {
    fc.assert(
      fc.property(agentReport, (report) => {
        expect(encodeReport(structuredClone(report)).payload).toEqual(encodeReport(report).payload);
      }),
      { numRuns: 50 },
    );
  });

  it('R070 damaged bytes are refused with a protocol error, or are another whole report; nothing else is thrown', () => {
    fc.assert(
      fc.property(agentReport, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.boolean(), (report, place, flip, cut) => {
        const { key, payload } = encodeReport(report);
        const damaged = payload.slice();
        if (damaged.length > 0) damaged[place % damaged.length]! ^= flip;
        const bytes = cut ? damaged.subarray(0, place % (damaged.length + 1)) : damaged;
        try {
          decodeReport({ key, payload: bytes });
        } catch (error) {
          expect(error).toBeInstanceOf(FleetError);
          expect((error as FleetError).code).toBe('protocol');
        }
      }),
      { numRuns: 500 },
    );
  });
});
