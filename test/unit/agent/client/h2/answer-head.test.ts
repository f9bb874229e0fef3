/** Which header blocks an answer may have (RFC 9113 §8.1-§8.3), and what they say of its framing. */
import { describe, expect, it } from 'vitest';
import { AnswerHead } from '../../../../../agent/client/h2/answer-head.ts';

function headOf(...fields: readonly (readonly [string, string])[]): AnswerHead {
  const head = new AnswerHead();
  for (const [name, value] of fields) head.takeField(name, value);
  return head;
}

describe('the head of an HTTP/2 answer', () => {
  it('says status and length', () => {
    const head = headOf([':status', '206'], ['content-length', '0012'], ['x-any', ''], ['content-length', '12']);
    expect([head.status, head.contentLength, head.fault, head.isInterim]).toEqual([206, 12, null, false]);
    const interim = headOf([':status', '103'], ['link', '</a>']);
    expect([interim.isInterim, interim.contentLength, interim.fault]).toEqual([true, null, null]);
  });

  it('R030 says how the body is coded, several fields as a list; a copy too, and a reset forgets it', () => {
    const head = headOf([':status', '200'], ['content-encoding', 'gzip'], ['content-encoding', 'br']);
    const copy = new AnswerHead();
    copy.copy(head);
    expect([head.contentEncoding, copy.contentEncoding]).toEqual(['gzip, br', 'gzip, br']);
    head.reset();
    expect(head.contentEncoding).toBeNull();
  });

  it('takes spaces around values, as others do', () => {
    const head = headOf([':status', '200'], ['content-length', ' 7\t'], ['x-any', ' v ']);
    expect([head.contentLength, head.fault]).toEqual([7, null]);
  });

  it('forgets all at a reset, and a copy says the same', () => {
    const head = headOf([':status', '204'], ['content-length', '5'], ['Bad', '']);
    const copy = new AnswerHead();
    copy.copy(head);
    expect([copy.status, copy.contentLength, copy.fault]).toEqual([204, 5, head.fault]);
    head.reset();
    head.takeField(':status', '200');
    expect([head.status, head.contentLength, head.fault]).toEqual([200, null, null]);
  });

  it.each([
    [
      'an upper-case name',
      [
        [':status', '200'],
        ['Server', 'x'],
      ],
    ],
    [
      'an empty name',
      [
        [':status', '200'],
        ['', 'x'],
      ],
    ],
    [
      'a name with a space',
      [
        [':status', '200'],
        ['a b', 'x'],
      ],
    ],
    [
      'a line end in a value',
      [
        [':status', '200'],
        ['a', 'x\r\ny: z'],
      ],
    ],
    [
      'NUL in a value',
      [
        [':status', '200'],
        ['a', '\0'],
      ],
    ],
    [
      'a second status',
      [
        [':status', '200'],
        [':status', '200'],
      ],
    ],
    [
      'a status behind fields',
      [
        ['a', 'x'],
        [':status', '200'],
      ],
    ],
    [
      'a pseudo field of requests',
      [
        [':status', '200'],
        [':path', '/'],
      ],
    ],
    ['a status of two digits', [[':status', '20']]],
    ['a status that is no number', [[':status', '2x0']]],
    ['a status below 100', [[':status', '099']]],
    [
      'transfer-encoding',
      [
        [':status', '200'],
        ['transfer-encoding', 'chunked'],
      ],
    ],
    [
      'connection',
      [
        [':status', '200'],
        ['connection', 'close'],
      ],
    ],
    [
      'a length that is no number',
      [
        [':status', '200'],
        ['content-length', '1e3'],
      ],
    ],
    [
      'a negative length',
      [
        [':status', '200'],
        ['content-length', '-1'],
      ],
    ],
    [
      'two lengths',
      [
        [':status', '200'],
        ['content-length', '1'],
        ['content-length', '2'],
      ],
    ],
    [
      'a length of 10^15',
      [
        [':status', '200'],
        ['content-length', '1000000000000000'],
      ],
    ],
  ] as [string, [string, string][]][])('%s makes it malformed', (_name, fields) => {
    expect(headOf(...fields).fault).not.toBeNull();
  });
});
