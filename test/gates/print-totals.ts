/**
 * The last line of `.ci/run`: `N passed, N failed`, from vitest's JSON report and the exit codes of the two commands.
 * A test file that could not be loaded, a failed check and a test command that failed without a failed test (an error
 * outside any test) each count as one failure: the line must never read "0 failed" on a red run.
 *
 *     node test/gates/print-totals.ts REPORT.json CHECK_EXIT_CODE TEST_EXIT_CODE
 */
import { existsSync, readFileSync } from 'node:fs';

/** The part of vitest's JSON report that is read here. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

const [reportPath = '', checkCode = '', testCode = ''] = process.argv.slice(2);

const report = existsSync(reportPath) ? (JSON.parse(readFileSync(reportPath, 'utf8')) as TestReport) : undefined;
const results = report?.testResults ?? [];

const failedTests = results.flatMap((file) => file.assertionResults.filter((test) => test.status === 'failed'));
const unloadable = results.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
);

for (const test of failedTests) console.log(`failed: ${test.fullName}`);
for (const file of unloadable) console.log(`failed: ${file.name}: ${file.message ?? 'no message'}`);

let failed = failedTests.length + unloadable.length;
if (checkCode !== '0') {
  console.log('failed: npm run check');
  failed += 1;
}
if (testCode !== '0' && failedTests.length + unloadable.length === 0) {
  console.log(`failed: npm test ended with exit code ${testCode} outside any test`);
  failed += 1;
}
if (report !== undefined && report.numPendingTests > 0) console.log(`${report.numPendingTests} skipped`);

console.log(`${report?.numPassedTests ?? 0} passed, ${failed} failed`);
process.exitCode = failed === 0 && report !== undefined ? 0 : 1;
