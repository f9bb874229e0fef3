/**
 * Names of the temporary files beside which results are written before they get their own names, and which of those that are found are
 * nobody's any more: a process that was killed could not remove its own. Several processes, also of different hosts, may write into
 * one folder; the file of one that is still at work is never taken for left over.
 */
import { hostname } from 'node:os';

const OWNER = `${hostname().replaceAll(/[^A-Za-z0-9-]/g, '-')}-`;

/** Where `name` is written before it is whole: in the same folder, hidden, of this process alone. */
export function temporaryName(name: string): string {
  return `.${name}.${OWNER}${process.pid}.tmp`;
}

/** Whether a file of this name is a temporary one of a process of this host that is gone, or an earlier one with the number of this. */
export function isLeftOver(fileName: string): boolean {
  const [, owner = '', processId = ''] = /^\..+\.([A-Za-z0-9-]+-)(\d{1,10})\.tmp$/.exec(fileName) ?? [];
  return owner === OWNER && (Number(processId) === process.pid || !isAlive(Number(processId)));
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Another user's process is there as well: it only may not be signalled.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
