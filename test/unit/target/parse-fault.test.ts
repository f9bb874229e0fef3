import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../shared/fleet-error.ts';
import { FAULT_KINDS } from '../../../target/fault.ts';
import { parseFaultJson, parseFaultText } from '../../../target/parse-fault.ts';

const always = { share: 1, from: 1, count: null, path: null };

describe('parseFaultText', () => {
  it.each([
    ['stall:5s', { kind: 'moment', fault: { kind: 'stall', durationNs: 5e9 }, start: { kind: 'now' } }],
    [
      'stall:5s,from=3',
      { kind: 'moment', fault: { kind: 'stall', durationNs: 5e9 }, start: { kind: 'request', number: 3 } },
    ],
    [
      'refuse:250ms,after=2s',
      { kind: 'moment', fault: { kind: 'refuse', durationNs: 250e6 }, start: { kind: 'after', delayNs: 2e9 } },
    ],
    ['idle-close:5s,hint', { kind: 'lasting', fault: { kind: 'idle-close', afterNs: 5e9, hint: true } }],
    [
      'service:constant:80ms,share=0.03',
      {
        kind: 'twist',
        fault: { kind: 'service', law: { kind: 'constant', serviceNs: 80e6 } },
        scope: { ...always, share: 0.03 },
      },
    ],
    ['slow-body:1s', { kind: 'twist', fault: { kind: 'slow-body', overNs: 1e9, pieces: 10 }, scope: always }],
    ['close', { kind: 'twist', fault: { kind: 'close' }, scope: always }],
    ['interim:100,times=3', { kind: 'twist', fault: { kind: 'interim', status: 100, times: 3 }, scope: always }],
    ['gzip,corrupt', { kind: 'twist', fault: { kind: 'gzip', corrupt: true }, scope: always }],
    ['framing:chunked', { kind: 'twist', fault: { kind: 'framing', framing: 'chunked' }, scope: always }],
    [
      'status:503,share=0.1,from=100,count=50,path=/a',
      {
        kind: 'break',
        fault: { kind: 'status', status: 503, service: null },
        scope: { share: 0.1, from: 100, count: 50, path: '/a' },
      },
    ],
    [
      'status:429,service=instant',
      { kind: 'break', fault: { kind: 'status', status: 429, service: { kind: 'instant' } }, scope: always },
    ],
    [
      'redirect:/b,status=307',
      { kind: 'break', fault: { kind: 'redirect', location: '/b', status: 307 }, scope: always },
    ],
    ['reset', { kind: 'break', fault: { kind: 'reset', at: 'before-answer' }, scope: always }],
    [
      'truncate:chunked,sent=5',
      { kind: 'break', fault: { kind: 'truncate', framing: 'chunked', sentBytes: 5 }, scope: always },
    ],
    ['never', { kind: 'break', fault: { kind: 'never' }, scope: always }],
    ['wrong-length:-3', { kind: 'break', fault: { kind: 'wrong-length', byBytes: -3 }, scope: always }],
    ['garbage', { kind: 'break', fault: { kind: 'garbage' }, scope: always }],
  ])('reads %s', (text, rule) => {
    expect(parseFaultText(text)).toEqual(rule);
  });

  it.each([
    ['stal:5s', /fault "stal" is unknown, did you mean "stall"\? \(known: stall, refuse, .*garbage\)/],
    ['', /fault "" is unknown \(known:/],
    ['stall', /for is missing/],
    ['stall:5', /fault stall: for: duration "5" has no unit/],
    ['stall:5s,from=3,after=1s', /not both/],
    ['stall:5s,share=0.5', /"share" is unknown/],
    ['status:99', /status must be an integer in 200\.\.599, got "99"/],
    ['status:5e2', /status must be an integer/],
    ['status', /status must be an integer in 200\.\.599, got nothing/],
    ['status:503,shar=0.1', /"shar" is unknown, did you mean "share"\?/],
    ['status:503,share=0', /share must be above 0 and at most 1, got "0"/],
    ['status:503,share=1.1', /share must be/],
    ['status:503,share=10%', /share must be/],
    ['status:503,share=0.1,share=0.2', /share is given twice/],
    ['reset:middle', /at "middle" is unknown .*before-answer, in-body, after-body/],
    ['never:5s', /takes no value/],
    ['gzip,corrupt=yes', /corrupt must be true or false/],
    ['idle-close:500ms,hint', /at least 1s/],
    ['slow-body:1s,pieces=1', /pieces must be an integer in 2\.\./],
    ['service:exponental:3s', /service "exponental:3s" is not a service law/],
  ])('R089 refuses %j and says why', (text, reason) => {
    expect(() => parseFaultText(text)).toThrow(FleetError);
    expect(() => parseFaultText(text)).toThrow(reason);
  });
});

describe('parseFaultJson', () => {
  it('reads the same rules by name', () => {
    expect(parseFaultJson({ kind: 'status', status: 503, share: 0.1 })).toEqual(parseFaultText('status:503,share=0.1'));
    expect(parseFaultJson({ kind: 'gzip', corrupt: true })).toEqual(parseFaultText('gzip,corrupt'));
    expect(parseFaultJson({ kind: 'stall', for: '5s', from: 3 })).toEqual(parseFaultText('stall:5s,from=3'));
  });

  it.each([
    [null],
    [[]],
    ['stall:5s'],
    [{}],
    [{ kind: 'stall', for: { s: 5 } }],
    [{ kind: 'stall', for: '5s', form: 3 }],
    [{ kind: null }],
  ])('refuses %j', (value) => {
    expect(() => parseFaultJson(value)).toThrow(FleetError);
  });
});

it('names every kind once', () => {
  expect(new Set(FAULT_KINDS).size).toBe(FAULT_KINDS.length);
});
