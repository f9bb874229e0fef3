import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LOADFLEET_VERSION } from '../../../shared/version.ts';

it('is the version of package.json', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(LOADFLEET_VERSION).toBe(manifest.version);
});
