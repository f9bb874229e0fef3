import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { valueAt } from '../../../../shared/plan/plan-node.ts';
import { formatYaml, parseYaml, PLAN_BYTES_MAX } from '../../../../shared/plan/yaml-document.ts';

const parse = (text: string): ReturnType<typeof parseYaml> => parseYaml(new TextEncoder().encode(text), 'p.yaml');
const textAt = (text: string, key: string): string => {
  const node = valueAt(parse(text), key);
  return node?.kind === 'scalar' ? node.text : `(${node?.kind ?? 'nothing'})`;
};

describe('YAML scalars stay the text that was written', () => {
  it.each([
    'on',
    'off',
    'yes',
    'no',
    'y',
    'N',
    '010',
    '0o10',
    '0x1F',
    '1_000',
    '1:30',
    '12:30:45',
    '.nan',
    '.inf',
    '-.inf',
    '2001-12-14',
    '2001-12-14t21:59:43.10-05:00',
    '1e3',
    '1.0',
    '00',
    '+1',
    '18446744073709551615',
    'null-ish',
    '~x',
  ])('%s', (scalar) => {
    expect(textAt(`a: ${scalar}`, 'a')).toBe(scalar);
  });

  it('knows where each text stands', () => {
    const node = valueAt(parse('a: 1\nb:   two\n'), 'b');
    expect(node?.origin).toEqual({ source: 'p.yaml', line: 2, column: 6 });
  });

  it('drops a byte-order mark', () => {
    expect(textAt('\uFEFFa: 1', 'a')).toBe('1');
  });

  it('reads JSON', () => {
    expect(textAt('{"a": "x\\u00e9", "b": [1, 2]}', 'a')).toBe('xé');
  });

  it('repeats an anchored value at its alias', () => {
    const root = parse('a: &x {k: v}\nb: *x\n');
    expect(valueAt(root, 'b')).toEqual(valueAt(root, 'a'));
  });
});

describe('YAML that is refused, with its place', () => {
  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', /p\.yaml:3:1: the key "a" is written twice, first on line 1/],
    ['a key twice in another spelling', 'a: 1\n"a": 2\n', /written twice/],
    ['a tab as indentation', 'a:\n\tb: 1\n', /p\.yaml:2:1: a tab is used as indentation/],
    ['two documents', 'a: 1\n---\nb: 2\n', /p\.yaml:2:1: a second document/],
    ['a directive', '%YAML 1.1\n---\na: yes\n', /directives/],
    ['a tag', 'a: !!binary aGk=\n', /p\.yaml:1:13: tags such as .*binary.* are not used/],
    ['a local tag', 'a: !js/function x\n', /p\.yaml:1:17: tags/],
    ['a merge key', 'x: &x {a: 1}\ny: {<<: *x}\n', /p\.yaml:2:5: merge keys/],
    ['a key that is a list', '? [a]\n: 1\n', /p\.yaml:1:3: a key must be plain text/],
    ['an unknown alias', 'a: *nobody\n', /p\.yaml:1:4: the alias \*nobody has no anchor/],
    ['an alias of what holds it', 'a: &a [1, *a]\n', /the alias \*a has no anchor/],
    ['half of a surrogate pair', 'a: "\\ud800"\n', /surrogate/],
    ['a list as the root', '- 1\n', /a plan is a mapping/],
    ['a text as the root', 'hello\n', /a plan is a mapping/],
    ['nothing', '', /a plan is a mapping/],
    ['only a comment', '# nothing\n', /a plan is a mapping/],
    ['a quote without an end', 'a: "x\n', /p\.yaml:\d+:\d+: missing closing/],
    ['a mapping in a mapping on one line', 'a: b: c\n', /p\.yaml:1:4/],
  ])('%s', (_what, text, message) => {
    expect(() => parse(text)).toThrow(FleetError);
    expect(() => parse(text)).toThrow(message);
  });

  it('lists several faults at once', () => {
    expect(() => parse('a: 1\na: 2\nb: !x 1\nb: 2\n')).toThrow(
      /3 problems:\n.*2:1: the key "a"[^]*3:7: tags[^]*4:1: the key "b"/,
    );
  });

  it('bytes that are not UTF-8', () => {
    expect(() => parseYaml(new Uint8Array([0x61, 0x3a, 0x20, 0xff]), 'p.yaml')).toThrow(/not UTF-8/);
  });
});

describe('YAML that would cost too much is refused quickly', () => {
  const quickly = (text: string): string => {
    const startMs = performance.now();
    let message = 'accepted';
    try {
      parse(text);
    } catch (error) {
      expect(error).toBeInstanceOf(FleetError);
      message = (error as FleetError).message;
    }
    // Wide: what this guards against takes minutes.
    expect(performance.now() - startMs).toBeLessThan(30_000);
    expect(message.length).toBeLessThan(20_000);
    return message;
  };

  it('a billion laughs', () => {
    const lines = ['a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]'];
    for (let level = 1; level < 10; level += 1) {
      const alias = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => alias).join(', ')}]`);
    }
    expect(quickly(lines.join('\n'))).toMatch(/with its aliases written out/);
  });

  it('a long text repeated by aliases', () => {
    const aliases = Array.from({ length: 100 }, () => '*t').join(', ');
    expect(quickly(`t: &t "${'x'.repeat(100_000)}"\nl: [${aliases}]\n`)).toMatch(/with its aliases written out/);
  });

  it('a deep chain of aliases', () => {
    const lines = ['a0: &a0 [x]'];
    for (let level = 1; level < 500; level += 1) lines.push(`a${level}: &a${level} [*a${level - 1}]`);
    expect(quickly(lines.join('\n'))).toMatch(/nested deeper than/);
  });

  it('more than a mebibyte', () => {
    expect(quickly(`a: "${'x'.repeat(PLAN_BYTES_MAX)}"`)).toMatch(/the limit is 1048576/);
  });

  it.each([
    ['opening brackets', '['.repeat(30_000)],
    ['opening mappings', '{a: '.repeat(8_000)],
    ['dashes', '- '.repeat(20_000)],
    ['question marks', '? '.repeat(15_000)],
    ['quotes', '"'.repeat(500_000)],
    ['line breaks', `${'\n'.repeat(500_000)}a: 1`],
    ['anchors', '&a '.repeat(10_000)],
    ['keys', Array.from({ length: 15_000 }, (_, index) => `k${index}: 1`).join('\n')],
  ])('%s', (_what, text) => {
    quickly(text);
  });
});

it('text written by formatYaml reads back', () => {
  const values = { a: 'on', b: '010', c: 'x: y # z', d: ['- 1', '~', 'null', ''], e: { 'k:': '"' }, f: 'two\nlines\n' };
  const root = parse(formatYaml(values));
  expect(root.entries.map((entry) => entry.key)).toEqual(Object.keys(values));
  expect(valueAt(root, 'b')).toMatchObject({ text: '010' });
  expect(valueAt(root, 'f')).toMatchObject({ text: 'two\nlines\n' });
});
