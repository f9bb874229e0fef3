import { describe, expect, it } from 'vitest';
import { BlobCache } from '../../../../agent/uplink/blob-cache.ts';
import type { BlobRef } from '../../../../shared/plan/blob-ref.ts';

const blobOf = (sha256: string): BlobRef => ({ name: sha256, sha256, sizeBytes: 1 });

describe('the blob cache', () => {
  it('fetches each content once, and only what the newest plan names is kept', async () => {
    const fetched: string[] = [];
    const cache = new BlobCache(async (blob) => {
      fetched.push(blob.sha256);
      return new TextEncoder().encode(blob.sha256);
    });
    const first = await cache.provide([blobOf('a'), blobOf('b'), blobOf('a')]);
    expect([...first.keys()]).toEqual(['a', 'b']);
    await cache.provide([blobOf('b')]);
    expect(fetched).toEqual(['a', 'b']);
    await cache.provide([blobOf('a')]);
    expect(fetched).toEqual(['a', 'b', 'a']);
  });

  it('a file that cannot be had fails the whole, and what was kept stays', async () => {
    let isDown = false;
    const cache = new BlobCache(async (blob) => {
      if (isDown) throw new Error('gone');
      return new TextEncoder().encode(blob.sha256);
    });
    await cache.provide([blobOf('a')]);
    isDown = true;
    await expect(cache.provide([blobOf('a'), blobOf('b')])).rejects.toThrow('gone');
    expect([...(await cache.provide([blobOf('a')])).keys()]).toEqual(['a']);
  });
});
