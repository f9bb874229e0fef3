/** Reads `requests.jsonl`: each line checked against the published schema and against the rules that hold for every request (P2). */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { requestSchema } from '../../coordinator/report/request-schema.ts';

/** The parts of a line that tests read. */
export interface RequestLine {
  readonly metadata: { readonly x_request_id: string; readonly benchmark_phase: string };
  readonly metrics: Readonly<Record<string, { readonly value: number; readonly unit: string }>>;
  readonly error: { readonly type: string } | null;
  readonly loadfleet: {
    readonly agent: string;
    readonly phase: string;
    readonly request: string;
    readonly outcome: string;
    readonly intendedNs: number;
    readonly releasedNs: number;
    readonly sendNs: number | null;
    readonly firstByteNs: number | null;
    readonly endNs: number;
    readonly bodyBytes: number;
    readonly llm: {
      readonly ttftNs: number | null;
      readonly outputTokens: number | null;
      readonly chunks: number | null;
    } | null;
  };
}

const validate = new Ajv2020({ allErrors: true }).compile<RequestLine>(requestSchema);

/** The lines of `text`. @throws for the first that is not as published, or whose stamps go back. */
export function requestLinesOf(text: string): readonly RequestLine[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('requests.jsonl does not end in a newline');
  return lines.map((line) => {
    const value: unknown = JSON.parse(line);
    if (!validate(value)) throw new Error(`${JSON.stringify(validate.errors?.[0])} in ${line}`);
    const { intendedNs, releasedNs, sendNs, firstByteNs, endNs } = value.loadfleet;
    const stamps = [intendedNs, releasedNs, sendNs, firstByteNs, endNs].filter((stamp) => stamp !== null);
    if (stamps.some((stamp, at) => at > 0 && stamp < (stamps[at - 1] as number))) {
      throw new Error(`stamps go back in ${line}`);
    }
    return value;
  });
}

/** Lines by what became of their requests. */
export function outcomesOf(lines: readonly RequestLine[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { loadfleet } of lines) counts[loadfleet.outcome] = (counts[loadfleet.outcome] ?? 0) + 1;
  return counts;
}
