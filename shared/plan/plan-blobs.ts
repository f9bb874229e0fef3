/** Which files a plan needs: what the CLI uploads and an agent fetches before it is armed (design §8). */
import type { BlobRef } from './blob-ref.ts';
import type { Plan } from './plan.ts';

/** The files of `plan`, each content once, in the order of their first use. */
export function planBlobs(plan: Plan): BlobRef[] {
  const bySha256 = new Map<string, BlobRef>();
  const add = (blob: BlobRef): void => {
    if (!bySha256.has(blob.sha256)) bySha256.set(blob.sha256, blob);
  };
  for (const { body } of plan.requests) if (body.kind === 'file') add(body.file);
  for (const { llm } of plan.requests) {
    const file = llm?.tokenizer?.file ?? null;
    if (file !== null) add(file);
  }
  if (plan.data !== null) add(plan.data.file);
  for (const { arrivals } of plan.phases) if (arrivals.kind === 'trace') add(arrivals.instants);
  return [...bySha256.values()];
}
