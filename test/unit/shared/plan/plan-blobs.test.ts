import { describe, expect, it } from 'vitest';
import type { BlobRef } from '../../../../shared/plan/blob-ref.ts';
import { planBlobs } from '../../../../shared/plan/plan-blobs.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';

const blobOf = (name: string, sha256: string): BlobRef => ({ name, sha256, sizeBytes: 1 });

describe('planBlobs', () => {
  it('a plan without files needs none', () => {
    expect(planBlobs(createPlan())).toEqual([]);
  });

  it('lists bodies, data and traces, each content once', () => {
    const [body, data, trace] = [blobOf('body', 'aa'), blobOf('rows', 'bb'), blobOf('instants', 'cc')] as const;
    const requestOf = (file: BlobRef) => createRequestTemplate({ url: 'http://x/', body: { kind: 'file', file } });
    const plan = createPlan({
      overrides: {
        requests: [requestOf(body), requestOf(blobOf('the same under another name', 'aa'))],
        data: { file: data, columns: ['id'], rowCount: 1, rows: 'cycle', dataset: null },
        phases: [
          {
            name: 'replay',
            warmup: false,
            startNs: 0,
            durationNs: 1e9,
            arrivals: { kind: 'trace', instants: trace, count: 1 },
          },
        ],
      },
    });
    expect(planBlobs(plan)).toEqual([body, data, trace]);
  });
});
