/** Writes the files of a result into their folder. */
import { FleetError } from '../../shared/fleet-error.ts';

/**
 * Writes every file, each complete or not at all, and returns the folder's absolute path. A folder that already holds another
 * run's files is left alone: the files go to a sibling `<directory>-2`, `-3` ...
 * @throws FleetError code `io` that names the path; the caller still has the result in memory and prints its summary.
 */
export function writeResults(_directory: string, _files: ReadonlyMap<string, string>): Promise<string> {
  return Promise.reject(new FleetError('internal', 'writeResults is not built yet'));
}
