import { describe, expect, it } from 'vitest';
import { commandText } from '../../../cli/command-text.ts';

describe('the command line in the report', () => {
  it('is quoted so that a shell reads it back', () => {
    expect(commandText(['run', 'a b.yaml', '--threshold', 'p99(response)<50ms', '--body', "it's"], [])).toBe(
      "loadfleet run 'a b.yaml' --threshold 'p99(response)<50ms' --body 'it'\\''s'",
    );
  });

  it.each([
    [['--header', 'Authorization: Bearer canary-1'], []],
    [['--header=X-Api-Key: canary'], []],
    [['--header', 'Cookie:canary=1'], []],
    [['--url', 'http://h/?api_key=canary&x=1'], []],
    [['--url=http://h/?token=canary'], []],
    [['--body', 'my canary-4711 body'], ['canary-4711']],
    [['--body', 'x=canary%204711'], ['canary 4711']],
  ])('R106 hides the secret in %j', (args, secrets) => {
    const text = commandText(['run', ...args], secrets);
    expect(text).not.toMatch(/canary/);
    expect(text).toMatch(/\[redacted\]/);
  });

  it('leaves ordinary headers readable', () => {
    expect(commandText(['--header', 'Accept: text/html'], [])).toBe("loadfleet --header 'Accept: text/html'");
  });
});
