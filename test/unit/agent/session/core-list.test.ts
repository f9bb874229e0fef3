import { describe, expect, it } from 'vitest';
import { coreListText, parseCoreList } from '../../../../agent/session/core-list.ts';

describe('parseCoreList', () => {
  it.each([
    ['3', [3]],
    ['0-2', [0, 1, 2]],
    ['5,1-2', [5, 1, 2]],
    ['4095', [4095]],
  ])('reads %s in the order written', (text, cores) => {
    expect(parseCoreList(text)).toEqual(cores);
  });

  it.each(['', ',', '1,', '-1', '2-1', '1-2-3', '1,1', '0-2,2', '4096', '0-4096', '1.5', ' 1', '0x1', 'all'])(
    'refuses "%s"',
    (text) => {
      expect(parseCoreList(text)).toBeNull();
    },
  );

  it('reads what it writes', () => {
    expect(parseCoreList(coreListText([7, 0, 2, 3, 4]))).toEqual([7, 0, 2, 3, 4]);
    expect(coreListText([7, 0, 2, 3, 4])).toBe('7,0,2-4');
  });
});
