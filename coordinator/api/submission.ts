/** Puts the pieces of a submission together and checks them: the plan against its hash, every file against the plan (design §8). */
import { createHash } from 'node:crypto';
import { FleetError } from '../../shared/fleet-error.ts';
import type { BlobRef } from '../../shared/plan/blob-ref.ts';
import { planBlobs } from '../../shared/plan/plan-blobs.ts';
import { planFromJson } from '../../shared/plan/plan-json.ts';
import { BLOB_BYTES_MAX, PROTOCOL } from '../../shared/rpc/protocol.ts';
import type { SubmitHeader, SubmitMessage } from '../../shared/rpc/runs-message.ts';
import type { RunRequest } from '../run/run-request.ts';

/** The request that the messages make up. @throws FleetError `protocol` or `plan` that names what is wrong. */
export async function readSubmission(messages: AsyncIterable<SubmitMessage>): Promise<RunRequest> {
  let upload: Upload | null = null;
  for await (const message of messages) {
    if (message.kind === 'header') {
      if (upload !== null) throw new FleetError('protocol', 'submission: a second header');
      upload = new Upload(message.header);
    } else if (upload === null) {
      throw new FleetError('protocol', 'submission: a file before the header');
    } else {
      upload.take(message.sha256, message.content);
    }
  }
  if (upload === null) throw new FleetError('protocol', 'submission: no header');
  return upload.request();
}

class Upload {
  readonly #header: SubmitHeader;
  readonly #plan: RunRequest['bundle']['plan'];
  readonly #files: ReadonlyMap<string, { readonly blob: BlobRef; readonly content: Uint8Array; received: number }>;

  constructor(header: SubmitHeader) {
    if (header.protocol !== PROTOCOL) {
      throw new FleetError('protocol', `submission: protocol ${header.protocol}, this coordinator speaks ${PROTOCOL}`);
    }
    if (sha256Of(header.planJson) !== header.planSha256) {
      throw new FleetError('protocol', 'submission: the plan is not the one its SHA-256 names');
    }
    this.#header = header;
    this.#plan = planFromJson(header.planJson);
    this.#files = new Map(
      planBlobs(this.#plan).map((blob) => {
        if (blob.sizeBytes > BLOB_BYTES_MAX) {
          throw new FleetError('plan', `${blob.name}: ${blob.sizeBytes} bytes, the limit is ${BLOB_BYTES_MAX}`);
        }
        return [blob.sha256, { blob, content: new Uint8Array(blob.sizeBytes), received: 0 }];
      }),
    );
  }

  take(sha256: string, piece: Uint8Array): void {
    const file = this.#files.get(sha256);
    if (file === undefined) throw new FleetError('protocol', `submission: file ${sha256} is not in the plan`);
    if (file.received + piece.length > file.content.length) {
      throw new FleetError('protocol', `submission: ${file.blob.name} is longer than its ${file.blob.sizeBytes} bytes`);
    }
    file.content.set(piece, file.received);
    file.received += piece.length;
  }

  request(): RunRequest {
    const blobs = new Map<string, Uint8Array>();
    for (const [sha256, { blob, content, received }] of this.#files) {
      if (received < content.length || sha256Of(content) !== sha256) {
        throw new FleetError('protocol', `submission: ${blob.name} is not the file that its SHA-256 names`);
      }
      blobs.set(sha256, content);
    }
    const { effectiveYaml, secrets, command } = this.#header;
    return { bundle: { plan: this.#plan, blobs, effectiveYaml, secrets }, command };
  }
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
