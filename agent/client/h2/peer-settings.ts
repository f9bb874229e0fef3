/** What the server allows on a connection, by its SETTINGS (RFC 9113 §6.5.2); the defaults until they come. */
import { DEFAULT_FRAME_BYTES_MAX, DEFAULT_WINDOW_BYTES, ERROR_CODE, MAX_31_BITS, SETTING } from './frame.ts';

const SETTING_BYTES = 6;
const FRAME_BYTES_LIMIT = 2 ** 24 - 1;

/** Why SETTINGS end the connection. */
interface SettingsBreach {
  readonly code: number;
  readonly reason: string;
}

/** One per connection. */
export class PeerSettings {
  /** Infinity = as many as we like. */
  streamsMax = Infinity;
  /** First window of each stream's request body. */
  windowBytes = DEFAULT_WINDOW_BYTES;
  frameBytesMax = DEFAULT_FRAME_BYTES_MAX;

  /** Takes the payload of one SETTINGS frame. Null, or what is wrong with it. */
  apply(payload: DataView): SettingsBreach | null {
    for (let at = 0; at < payload.byteLength; at += SETTING_BYTES) {
      const breach = this.set(payload.getUint16(at), payload.getUint32(at + 2));
      if (breach !== null) return breach;
    }
    return null;
  }

  private set(identifier: number, value: number): SettingsBreach | null {
    switch (identifier) {
      case SETTING.enablePush:
        return value === 0 ? null : { code: ERROR_CODE.protocol, reason: `SETTINGS_ENABLE_PUSH ${value} of a server` };
      case SETTING.maxConcurrentStreams:
        this.streamsMax = value;
        return null;
      case SETTING.initialWindowSize:
        if (value > MAX_31_BITS)
          return { code: ERROR_CODE.flowControl, reason: `SETTINGS_INITIAL_WINDOW_SIZE ${value}, above 2^31-1` };
        this.windowBytes = value;
        return null;
      case SETTING.maxFrameSize:
        if (value < DEFAULT_FRAME_BYTES_MAX || value > FRAME_BYTES_LIMIT)
          return { code: ERROR_CODE.protocol, reason: `SETTINGS_MAX_FRAME_SIZE ${value}, outside 2^14 to 2^24-1` };
        this.frameBytesMax = value;
        return null;
      default:
        return null;
    }
  }
}
