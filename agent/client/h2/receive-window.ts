/**
 * What a server may still send us (RFC 9113 §5.2), on a stream or on the whole connection. We take everything at once, so room is given back in
 * halves of the window, and our reading never holds a server back.
 */

/** Window that we announce for each stream and each connection. */
export const WINDOW_BYTES = 16 * 1024 * 1024;

export class ReceiveWindow {
  private left = WINDOW_BYTES;

  /** Notes that `bytes` came. False when the server had no right to send them. */
  take(bytes: number): boolean {
    this.left -= bytes;
    return this.left >= 0;
  }

  /** Bytes to give back to the server now; mostly 0. */
  refill(): number {
    const taken = WINDOW_BYTES - this.left;
    if (2 * taken < WINDOW_BYTES) return 0;
    this.left = WINDOW_BYTES;
    return taken;
  }
}
