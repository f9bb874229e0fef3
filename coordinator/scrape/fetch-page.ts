/** Gets a page of metrics over HTTP: one GET, no redirect followed, bounded in time and size. Failures are told as text. */

/** Largest page, bytes. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/** A page, or why there is none. */
export type FetchedPage =
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Fetches `url`; a failure is a value, never thrown. */
export async function fetchPage(url: string, timeoutMs: number): Promise<FetchedPage> {
  try {
    const { address, authorization } = splitUserInfo(url);
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'text/plain; version=0.0.4', ...(authorization === null ? {} : { authorization }) },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { kind: 'failed', reason: `status ${response.status}` };
    }
    return await readText(response);
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** `fetch` refuses a name and password in the URL; they become a header. */
function splitUserInfo(url: string): { readonly address: URL; readonly authorization: string | null } {
  const address = new URL(url);
  if (address.username === '' && address.password === '') return { address, authorization: null };
  const pair = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`;
  address.username = '';
  address.password = '';
  return { address, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

async function readText(response: Response): Promise<FetchedPage> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    const bytes = piece as Uint8Array;
    length += bytes.length;
    if (length > PAGE_BYTES_MAX) return { kind: 'failed', reason: `more than ${PAGE_BYTES_MAX} bytes` };
    pieces.push(bytes);
  }
  return { kind: 'page', text: Buffer.concat(pieces).toString('utf8') };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'no answer in time';
  const { cause } = error;
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : error.message;
}
