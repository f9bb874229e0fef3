/**
 * What a server may still send us (RFC 9113 §5.2), on a stream or on the whole connection. We take everything at once, so room is given
 * back in halves of the window, and our reading never holds a server back. As it is given back before the next frame is read, a server that
 * sends more than it may cannot be told from one that was quick.
 */

/** Window that we announce for each stream and each connection. */
export const WINDOW_BYTES = 16 * 1024 * 1024;

/** One per stream, and one for their connection. */
export class ReceiveWindow {
  private takenBytes = 0;

  /** Notes that `bytes` came. */
  take(bytes: number): void {
    this.takenBytes += bytes;
  }

  /** Bytes to give back to the server now; mostly 0. */
  refill(): number {
    const { takenBytes } = this;
    if (2 * takenBytes < WINDOW_BYTES) return 0;
    this.takenBytes = 0;
    return takenBytes;
  }
}
