/**
 * How the tests run. Two groups, one after the other: the files that only compute run side by side; the files that open
 * sockets, start processes or keep time run alone, one file at a time, so that no test is timed against another one.
 */
import { defineConfig } from 'vitest/config';

/** Runs first, in parallel: computing, and tools as child processes; nothing that is timed. */
const computing = ['test/unit', 'test/property', 'test/golden', 'test/fuzz', 'test/contract', 'test/gates'];
/** Runs second, one file at a time: sockets, child processes, worker threads under load. */
const alone = ['test/integration', 'test/fleet'];

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
    projects: [
      {
        extends: true,
        test: {
          name: 'computing',
          include: [...filesOf(computing), 'test/*.test.ts'],
          // All cores: the default leaves one free, which on two cores means one file at a time.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: filesOf(alone),
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
