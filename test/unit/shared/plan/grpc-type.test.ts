import { expect, it } from 'vitest';
import { grpcKindOf } from '../../../../shared/plan/grpc-type.ts';

it.each([
  ['application/grpc', 'grpc'],
  ['Application/GRPC+proto', 'grpc'],
  ['application/grpc; charset=utf-8', 'grpc'],
  ['application/grpc-web', 'grpc-web'],
  ['application/grpc-web-text+proto', 'grpc-web'],
  ['application/grpcs', null],
  ['application/grpc-webs', null],
  ['text/application/grpc', null],
])('the type %s: %s', (type, expected) => {
  expect(grpcKindOf([['Content-Type', type]])).toBe(expected);
});

it('a request without a type is none', () => {
  expect(grpcKindOf([['x-type', 'application/grpc']])).toBeNull();
});
