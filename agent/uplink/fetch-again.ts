/** Fetching a file again behind a link that broke: a run is not refused for a connection that the agent's streams would survive (R083). */
import { FleetError } from '../../shared/fleet-error.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { backOffNs } from './back-off.ts';
import type { FetchBlob } from './blob-cache.ts';

/** Attempts for one file: some 12 to 17 s of waiting between them, more than a coordinator takes to be back behind a proxy. */
const ATTEMPTS_MAX = 9;

/** `fetch`, tried again while it fails with `lost`; whatever else is wrong another attempt would not change. */
export function fetchAgain(fetch: FetchBlob, timekeeper: Timekeeper, randomShare: () => number): FetchBlob {
  return async (blob) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await fetch(blob);
      } catch (error) {
        if (!(error instanceof FleetError) || error.code !== 'lost' || attempt === ATTEMPTS_MAX) throw error;
      }
      await new Promise<void>((resolve) => void timekeeper.after(backOffNs(attempt, randomShare()), resolve));
    }
  };
}
