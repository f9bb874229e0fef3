/**
 * How the tests run. Three groups, one after the other. Files that only compute share a process on every core. Files that start servers,
 * processes and threads run two at a time: most of their time is waiting, and what they assert holds on a busy machine. Files that
 * hold times against bounds run alone, so that no test is timed against another one.
 */
import { defineConfig } from 'vitest/config';

/** Runs first: computing, and tools as child processes; nothing that is timed. */
const computing = ['test/unit', 'test/property', 'test/golden', 'test/fuzz', 'test/contract', 'test/gates'];
/** Runs second: sockets, child processes, worker threads under load. */
const serving = ['test/integration', 'test/fleet'];
/** Runs last: files of the second group whose bounds are times. */
const timed = [
  'fleet/acid',
  'fleet/calibrate',
  'fleet/llm-overload',
  'fleet/theory',
  'fleet/trust-bench',
  'integration/target/reference-queue',
].map((name) => `test/${name}.test.ts`);

const filesOf = (folders: readonly string[]): string[] => folders.map((folder) => `${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    // Child processes, not threads: worker_threads, signals and process.exitCode behave as in production.
    pool: 'forks',
    // CI keeps the machine-readable totals; `.ci/run` prints them as its last line.
    reporters: process.env['LOADFLEET_TEST_REPORT'] === undefined ? ['default'] : ['default', 'json'],
    outputFile: { json: process.env['LOADFLEET_TEST_REPORT'] ?? '.cache/test-report.json' },
    // Wide on purpose: a slow machine must not make a right program fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // Give up after a second and ask every 50 ms by default; most of what is waited for takes a millisecond or two.
    expect: { poll: { interval: 5, timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'computing',
          include: [...filesOf(computing), 'test/*.test.ts'],
          // All cores: the default leaves one free, which on two cores means one file at a time.
          maxWorkers: '100%',
          // One process for many files: to load the code anew for each would take as long as the tests. They mock nothing and
          // leave the process as it was.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'serving',
          include: filesOf(serving),
          exclude: timed,
          maxWorkers: 2,
          // As above. Each ends what it starts, and puts back what it changes of the environment.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'timed',
          include: timed,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
