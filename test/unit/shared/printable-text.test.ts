import { describe, expect, it } from 'vitest';
import { printable, printableLines } from '../../../shared/printable-text.ts';

const hostile = 'a\u001b[2Jb\u0007c\u202ed\u2028e\u009b31mf\rg';
const inert = 'a\ufffd[2Jb\ufffdc\ufffdd\ufffde\ufffd31mf\ufffdg';

describe('R107 text for a console', () => {
  it('has nothing that a terminal obeys: escapes, bells, bidirectional overrides, line separators', () => {
    expect(printable(hostile)).toBe(inert);
    expect(printableLines(hostile)).toBe(inert);
  });

  it('is one line, or keeps its lines and tabs', () => {
    expect(printable('a\n\tb')).toBe('a\ufffd\ufffdb');
    expect(printableLines('a\n\tb\n')).toBe('a\n\tb\n');
  });

  it('may rewrite its own line, and no other', () => {
    expect(printableLines('\rab\rc\n\rd')).toBe('\rab\ufffdc\n\ufffdd');
  });
});
