import { expect, it } from 'vitest';
import { fetchAgain } from '../../../../agent/uplink/fetch-again.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';

const blob = { name: 'body.txt', sha256: 'a', sizeBytes: 1 };
const content = new Uint8Array(1);

/** A fetch that fails with these errors first; `attempts` counts. */
function failing(...errors: Error[]) {
  const seen = { attempts: 0 };
  const timekeeper = new FakeTimekeeper();
  const fetch = fetchAgain(
    () => {
      const error = errors[seen.attempts];
      seen.attempts += 1;
      return error === undefined ? Promise.resolve(content) : Promise.reject(error);
    },
    timekeeper,
    () => 0,
  );
  /** Waits for the answer and lets the time pass meanwhile. */
  const settle = async (): Promise<Uint8Array> => {
    const answer = fetch(blob);
    answer.catch(() => undefined);
    for (let turn = 0; turn < 50; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      timekeeper.advance(1e9);
    }
    return await answer;
  };
  return { seen, settle };
}

const lost = new FleetError('lost', 'Connection dropped');

it('R083 R104 a file is fetched again while the link breaks', async () => {
  const { seen, settle } = failing(lost, lost, lost);
  expect(await settle()).toBe(content);
  expect(seen.attempts).toBe(4);
});

it('gives up after a while', async () => {
  const { seen, settle } = failing(...Array.from({ length: 1000 }, () => lost));
  await expect(settle()).rejects.toBe(lost);
  expect(seen.attempts).toBeLessThan(20);
});

it('does not ask again for what is wrong', async () => {
  const wrong = new FleetError('protocol', 'the content has another SHA-256');
  const { seen, settle } = failing(wrong);
  await expect(settle()).rejects.toBe(wrong);
  expect(seen.attempts).toBe(1);
});
