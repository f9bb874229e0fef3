import { describe, expect, it } from 'vitest';
import { compileTemplate, isConstant, renderTemplate } from '../../../../shared/plan/template.ts';

const columns = ['id', 'name', 'a|b'];
const render = (text: string, row: readonly string[]): string => renderTemplate(compileTemplate(text, columns), row);

describe('templates', () => {
  it.each([
    ['/items/{{id}}', '/items/1 2'],
    ['{{id}}{{id}}', '1 21 2'],
    ['{{ id }}', '1 2'],
    ['{{id|url}}', '1%202'],
    ['{{name|url}}', 'a%2Fb%22%27%C3%A9'],
    ['{{name|json}}', 'a/b\\"\'é'],
    ['{{name}}', 'a/b"\'é'],
    ['{{a|b|url}}', 'x'],
    ["{{'{{'}}id}}", '{{id}}'],
    ['{"a": {"b": 1}}', '{"a": {"b": 1}}'],
    ['}} { }', '}} { }'],
    ['', ''],
  ])('%s', (text, rendered) => {
    expect(render(text, ['1 2', 'a/b"\'é', 'x'])).toBe(rendered);
  });

  it('R028 leaves every other byte alone', () => {
    const url = '/a%2Fb/c%2520d//e/../f?x=%7B%7D&y=a+b';
    expect(isConstant(compileTemplate(url, columns))).toBe(true);
    expect(render(url, [])).toBe(url);
  });

  it.each([
    ['{{idd}}', /"\{\{idd\}\}" names no column of the data file, did you mean "id"\?/],
    ['{{id|uri}}', /unknown filter, did you mean "url"\?/],
    ['{{}}', /names no column/],
    ['x {{id', /"\{\{" at character 3 is never closed/],
  ])('R091 %s is an error before the run', (text, message) => {
    expect(() => compileTemplate(text, columns)).toThrow(message);
  });

  it('says so when there is no data file at all', () => {
    expect(() => compileTemplate('{{id}}', [])).toThrow(/the plan has no data file/);
  });
});
