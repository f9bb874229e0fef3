/**
 * Where the messages of a gRPC answer begin and end in its body: each is a flag, a length of 32 bits and as many bytes. They are counted, not
 * kept; what is in them is the caller's business.
 */

const PREFIX_BYTES = 5;

/** The body of one answer. */
export class GrpcMessages {
  /** Bytes of the present prefix that are here. */
  private prefixBytes = 0;
  private length = 0;
  /** Bytes of the present message still to come, behind its prefix. */
  private left = 0;

  /** Takes a piece of the body. */
  take(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to) {
      if (this.left > 0) {
        const taken = Math.min(this.left, to - at);
        this.left -= taken;
        at += taken;
      } else {
        this.takePrefix(bytes[at] as number);
        at += 1;
      }
    }
  }

  /** Whether the body has come to the middle of a message. */
  get isInside(): boolean {
    return this.prefixBytes > 0 || this.left > 0;
  }

  private takePrefix(byte: number): void {
    // The first is the flag.
    this.length = this.prefixBytes === 0 ? 0 : this.length * 256 + byte;
    this.prefixBytes += 1;
    if (this.prefixBytes < PREFIX_BYTES) return;
    this.prefixBytes = 0;
    this.left = this.length;
  }
}
