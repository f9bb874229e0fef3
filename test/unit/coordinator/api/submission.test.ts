import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readSubmission } from '../../../../coordinator/api/submission.ts';
import { planToJson } from '../../../../shared/plan/plan-json.ts';
import type { SubmitHeader, SubmitMessage } from '../../../../shared/rpc/runs-message.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { PROTOCOL } from '../../../../shared/rpc/protocol.ts';

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const content = new TextEncoder().encode('the body of every request');
const file = { name: 'body.txt', sha256: sha256Of(content), sizeBytes: content.length };
const plan = createPlan({
  overrides: { requests: [createRequestTemplate({ url: 'http://127.0.0.1:9/', body: { kind: 'file', file } })] },
});
const planJson = planToJson(plan);
const good: SubmitHeader = {
  protocol: PROTOCOL,
  planJson,
  planSha256: sha256Of(planJson),
  effectiveYaml: 'name: x\n',
  secrets: ['s3cret'],
  command: 'loadfleet run x.yaml',
};
const header = (change: Partial<SubmitHeader> = {}): SubmitMessage => ({
  kind: 'header',
  header: { ...good, ...change },
});
const piece = (bytes: Uint8Array, sha256 = file.sha256): SubmitMessage => ({ kind: 'piece', sha256, content: bytes });

async function* sent(...messages: SubmitMessage[]): AsyncIterable<SubmitMessage> {
  yield* messages;
}

describe('a submission', () => {
  it('is put together from its pieces', async () => {
    const request = await readSubmission(sent(header(), piece(content.subarray(0, 10)), piece(content.subarray(10))));
    expect(request.bundle.plan).toEqual(plan);
    expect(request.bundle.blobs).toEqual(new Map([[file.sha256, content]]));
    expect(request.bundle.secrets).toEqual(['s3cret']);
    expect(request.command).toBe('loadfleet run x.yaml');
  });

  it.each<[string, SubmitMessage[], string]>([
    ['nothing', [], 'no header'],
    ['two headers', [header(), header()], 'a second header'],
    ['a file first', [piece(content), header()], 'a file before the header'],
    ['another protocol', [header({ protocol: 99 })], `protocol 99, this coordinator speaks ${PROTOCOL}`],
    ['a plan that is not the one named', [header({ planSha256: 'ab' })], 'not the one its SHA-256 names'],
    ['a file that the plan does not name', [header(), piece(content, 'ab')], 'file ab is not in the plan'],
    ['a file that is too long', [header(), piece(content), piece(content.subarray(0, 1))], 'longer than its 25 bytes'],
    ['a file that is too short', [header(), piece(content.subarray(1))], 'not the file that its SHA-256 names'],
    [
      'another file of the same size',
      [header(), piece(content.map((byte) => byte ^ 1))],
      'not the file that its SHA-256 names',
    ],
    ['no file at all', [header()], 'body.txt is not the file'],
  ])('with %s is refused', async (_what, messages, reason) => {
    await expect(readSubmission(sent(...messages))).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringContaining(reason),
    });
  });
});
