import { describe, expect, it } from 'vitest';
import {
  hideSecretsOfUrl,
  secretsOfBody,
  secretsOfHeader,
  secretsOfUrl,
} from '../../../../shared/plan/find-secrets.ts';
import { createPartRedactor, createRedactor } from '../../../../shared/plan/redact-secrets.ts';
import { isSecretName } from '../../../../shared/plan/secret-names.ts';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const CANARY = 'c4n4ry/+ "tök€n" &x';

describe('R106 names that mean a secret', () => {
  it.each([
    ...[
      'API_KEY',
      'OPENAI_API_KEY',
      'Authorization',
      'x-api-key',
      'proxy-authorization',
      'Cookie',
      'set-cookie',
      'access_token',
    ],
    ...['accessToken', 'DB_PASSWORD', 'client-secret', 'sig', 'X-Auth-Token', 'apikey'],
    ...[
      'DB_PASS',
      'PGPASSWORD',
      'accesstoken',
      'X-CSRFToken',
      'clientSECRET',
      'JSESSIONID',
      'PHPSESSID',
      'AWSSecretKey',
    ],
  ])('%s does', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    'RATE',
    'monkey',
    'author',
    'Content-Type',
    'X-Request-Id',
    'tokenizer',
    'keyboard',
    'HOME',
    'accept',
    'BYPASS',
    'turkey',
  ])('%s does not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('R106 a number of tokens', () => {
  const llm = (value: string): string => smallPlan(`workload: [{llm: {api: chat, maxTokens: "${value}"}}]`);

  it.each(['MAX_TOKENS', 'outputTokens', 'NUM_KEYS'])('is a count, not a secret: %s', (name) => {
    const { secrets, effectiveYaml } = planOfText(llm(`\${${name}}`), { environment: { [name]: '1000' } });
    expect(secrets).toEqual([]);
    expect(effectiveYaml).toMatch(/maxTokens: 1000\n/);
    expect(hideSecretsOfUrl(`/p?${name}=1000`, '*')).toBe(`/p?${name}=1000`);
    expect(planErrorOf(llm(`\${${name}}`), { environment: { [name]: '0' } })).toMatch(/"0" is neither a whole number/);
  });

  it.each([
    ['API_TOKENS', 'a1,b2,c3'],
    ['API_TOKEN', '1000'],
    ['SECRET_KEYS', '1000'],
  ])('but these are secrets: %s=%s', (name, value) => {
    const text = smallPlan(`workload: [{method: POST, body: "x\${${name}}"}]`);
    expect(planOfText(text, { environment: { [name]: value } }).secrets).toEqual([value]);
  });
});

describe('R106 redaction of a secret that was cut', () => {
  const key = 'sk-0123456789abcdef-XYZ';
  const redact = createPartRedactor([key]);

  it('leaves nothing of a beginning or an end of 8 characters or more, wherever it stands', () => {
    for (let length = 8; length <= key.length; length += 1) {
      expect(redact(`key ${key.slice(0, length)}! is bad`)).toBe('key [redacted]! is bad');
      expect(redact(`key ${key.slice(-length)}! is bad`)).toBe('key [redacted]! is bad');
      expect(redact(`${key.slice(0, length)} ${key} ${key.slice(-length)}`)).toBe('[redacted] [redacted] [redacted]');
    }
  });

  it.each(['', '...', '\u2026'])('takes a shorter beginning only where the text breaks off: with %j', (dots) => {
    for (let length = 4; length < 8; length += 1) {
      expect(redact(`key ${key.slice(0, length)}${dots}`)).toBe(`key [redacted]${dots}`);
      expect(redact(`key ${key.slice(0, length)} is bad`)).toBe(`key ${key.slice(0, length)} is bad`);
    }
    expect(redact(`ask${dots}`)).toBe(`ask${dots}`);
  });

  it('lets other texts be', () => {
    for (const text of ['', 'sk-', 'quota of 0123 exceeded', 'the model abcdef-X is not known'])
      expect(redact(text)).toBe(text);
  });
});

describe('R106 redaction by value', () => {
  it('finds a secret as it is, in URLs, forms and JSON', () => {
    const redact = createRedactor([CANARY]);
    const forms = [
      CANARY,
      encodeURIComponent(CANARY),
      encodeURIComponent(CANARY).toLowerCase().replaceAll('%20', '+'),
      encodeURI(CANARY),
      JSON.stringify({ a: CANARY }),
    ];
    for (const form of forms.slice(0, 2).concat(forms.slice(3))) expect(redact(`x ${form} y`)).not.toMatch(/c4n4ry/);
  });

  it('hides the longer of two secrets whole', () => {
    expect(createRedactor(['abcd', 'abcdefgh'])('abcdefgh')).toBe('[redacted]');
  });

  it('takes a secret of digits for a whole number, not for a part of one', () => {
    const redact = createRedactor(['4711']);
    expect(redact('pin 4711, {"pin":4711}, 47110 and 14711')).toBe(
      'pin [redacted], {"pin":[redacted]}, 47110 and 14711',
    );
  });

  it('does not tear text apart for a secret of a few letters', () => {
    expect(createRedactor(['a', 'on'])('a banana on a plate')).toBe('a banana on a plate');
  });

  it('takes a dollar sign in a secret as it is', () => {
    expect(createRedactor(["$&$'aa"])("x$&$'aay")).toBe('x[redacted]y');
  });
});

describe('R106 secrets in clear', () => {
  it('are found in headers, behind their scheme', () => {
    expect(secretsOfHeader('Authorization', 'Bearer abcdef123456')).toEqual(['abcdef123456']);
    expect(secretsOfHeader('X-Api-Key', 'abcdef123456')).toEqual(['abcdef123456']);
    expect(secretsOfHeader('Accept', 'text/html')).toEqual([]);
  });

  it('are found and hidden in query keys', () => {
    const url = 'http://h/p?a=1&api_key=abcdef123456&token=zyxwvuts&b=2';
    expect(secretsOfUrl(url)).toEqual(['abcdef123456', 'zyxwvuts']);
    expect(hideSecretsOfUrl(url, '*')).toBe('http://h/p?a=1&api_key=*&token=*&b=2');
  });

  it('are found in members of a body, at any depth and beside templates', () => {
    const json =
      '{"user":"somebody-1","extra":{"api_key":"abcdef123456","password":"zyx\\"wvuts"},"messages":{{messages}}}';
    expect(secretsOfBody(json)).toEqual(['abcdef123456', 'zyx\\"wvuts', 'zyx"wvuts']);
    expect(secretsOfBody('a=1&password=abcdef123456')).toEqual(['abcdef123456']);
  });

  it.each([
    '{"max_tokens":"12345678","prompt_cache_key":"benchmark-1","session_id":"conversation-1"}',
    '{"messages":[{"role":"user","content":"say \\"password\\": \\"abcdef123456\\""}],"token":{"type":"string"}}',
    '{"api_key":"{{key}}","secret":"short"}',
    'what is "password" = anything?',
  ])('and not where a body only names them: %s', (body) => {
    expect(secretsOfBody(body)).toEqual([]);
  });

  it('of a body are in no output of the plan', () => {
    const llm = '{api: chat, extraBody: {api_key: canary-5555, user: joe}}';
    const { effectiveYaml, plan, secrets } = planOfText(smallPlan(`workload: [{llm: ${llm}}]`));
    expect(secrets).toEqual(['canary-5555']);
    expect(effectiveYaml).not.toMatch(/canary/);
    expect(JSON.stringify(plan.requests[0]?.body)).toMatch(/canary-5555/);
  });
});

describe('R106 the canary is nowhere in what leaves', () => {
  const environment = { MY_TOKEN: 'canary-4711', OTHER: 'canary-0815', USER_NAME: 'joe' };
  const text = smallPlan(
    `name: "run of \${USER_NAME}"
workload:
  - url: "/a?api_key=\${MY_TOKEN}&x=1"
    headers: {Authorization: "Bearer \${MY_TOKEN}", X-Trace: "t-\${secret:OTHER}", Cookie: "plain=canary-2222"}
    body: '{"key": "\${MY_TOKEN}"}'
    method: POST`,
  );

  it('not in the effective plan', () => {
    const { effectiveYaml, plan, secrets } = planOfText(text, { environment });
    expect(effectiveYaml).not.toMatch(/canary/);
    expect(effectiveYaml).toMatch(/run of joe/);
    expect(effectiveYaml).toMatch(/X-Trace: t-\[redacted\]/);
    // On the wire it must be.
    expect(plan.requests[0]?.headers[0]).toEqual(['Authorization', 'Bearer canary-4711']);
    expect(secrets).toEqual(expect.arrayContaining(['canary-4711', 'canary-0815']));
  });

  it.each([
    ['of a variable named like one', '${DB_PASSWORD:-canary-3333}'],
    ['of a variable marked as one', '${secret:PLAIN:-canary-3333}'],
    ['where the variable is empty', '${MY_PASSWORD:-canary-3333}'],
  ])('what stands for a secret is one too: %s', (_which, written) => {
    const { effectiveYaml, plan, secrets } = planOfText(
      smallPlan(`workload: [{method: POST, body: "pw=${written}", headers: {X-A: "${written}"}}]`),
      { environment: { MY_PASSWORD: '' } },
    );
    expect(effectiveYaml).not.toMatch(/canary/);
    expect(secrets).toEqual(['canary-3333']);
    expect(plan.requests[0]?.headers[0]).toEqual(['X-A', 'canary-3333']);
  });

  it('a text that stands for no secret, an empty one, and a number of tokens stay readable', () => {
    const text = smallPlan(
      'workload: [{method: POST, body: "${PLAIN:-plain-text} ${DB_PASSWORD:-} ${MAX_TOKENS:-1000}"}]',
    );
    const { effectiveYaml, secrets } = planOfText(text);
    expect(secrets).toEqual([]);
    expect(effectiveYaml).toMatch(/plain-text {2}1000/);
  });

  it('not in a request name that the tool makes up', () => {
    expect(planOfText(text, { environment }).plan.requests[0]?.name).toBe('POST /a');
  });

  it.each([
    ['as a rate', smallPlan('', '{rate: "${MY_TOKEN}", duration: 1s}')],
    ['as a duration', smallPlan('', '{rate: 1, duration: "${MY_TOKEN}"}')],
    ['as a law', smallPlan('', '{rate: 1, duration: 1s, arrivals: "${MY_TOKEN}"}')],
    ['as a threshold', smallPlan('thresholds: ["p99(${MY_TOKEN})<5ms"]')],
    ['as a bound', smallPlan('slo: {response: "${MY_TOKEN}"}')],
    ['as a URL', 'target: {url: "${MY_TOKEN}"}\nload: [{rate: 1, duration: 1s}]'],
    ['in a URL with a user', 'target: {url: "http://u:${MY_TOKEN}@h"}\nload: [{rate: 1, duration: 1s}]'],
    ['in a path with a space', smallPlan('workload: [{url: "/${MY_TOKEN} x"}]')],
    ['in a header with a line break', smallPlan('workload: [{headers: {X-A: "${MY_TOKEN}\\n"}}]')],
    ['in a template', smallPlan('workload: [{body: "{{${MY_TOKEN}}}"}]')],
    ['as a method', smallPlan('workload: [{method: "${MY_TOKEN} x"}]')],
    ['as a file name', smallPlan('workload: [{bodyFile: "${MY_TOKEN}"}]')],
    ['as a data file', smallPlan('data: {file: "${MY_TOKEN}"}')],
    [
      'as two phase names',
      smallPlan('', '{name: "${MY_TOKEN}", rate: 1, duration: 1s}, {name: "${MY_TOKEN}", rate: 1, duration: 1s}'),
    ],
  ])('not in the error of a plan that uses it %s', (_where, broken) => {
    expect(planErrorOf(broken, { environment })).not.toMatch(/canary/);
  });

  it('a secret too short to be found by value hides its whole text', () => {
    const { effectiveYaml, warnings } = planOfText(smallPlan('workload: [{headers: {X-P: "pin ${secret:PIN}"}}]'), {
      environment: { PIN: '12' },
    });
    expect(effectiveYaml).toMatch(/X-P: "\[redacted\]"/);
    expect(warnings.join()).toMatch(/fewer than 4 characters/);
  });
});
