import { expect, it } from 'vitest';
import { assertNever } from '../../../shared/assert-never.ts';

it('throws with the value that came from outside the type system', () => {
  expect(() => assertNever({ kind: 'unheard-of' } as never)).toThrow('{"kind":"unheard-of"}');
});
