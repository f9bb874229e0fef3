import { expect, it } from 'vitest';
import { jsonString } from '../../../../shared/plan/json-field.ts';

it('escapes text for JSON, and marks its places to be escaped too', () => {
  expect(jsonString('a "{{name}}"\n{{x|url}}')).toBe('"a \\"{{name|json}}\\"\\n{{x|url}}"');
});
