/** Scopes as map keys. */
import { assertNever } from '../../shared/assert-never.ts';
import type { CellScope } from '../../shared/metrics/agent-report.ts';

/** A text that is equal for equal scopes and only for them. */
export function scopeKey(scope: CellScope): string {
  switch (scope.kind) {
    case 'window':
      return `${scope.phase} w${scope.window}`;
    case 'request':
      return `${scope.phase} r${JSON.stringify(scope.request)}`;
    default:
      return assertNever(scope);
  }
}
