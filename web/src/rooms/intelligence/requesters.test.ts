import { expect, it } from 'vitest';
import { whoOf } from './requesters';

it.each([
  [{ by: 'agent:7', by_agent: '7' }, 'Cost optimizer'],
  [{ by: 'agent:8', by_agent: '8' }, 'a deleted agent'],
  [{ by: 'ada@acme.example', by_agent: null }, 'ada@acme.example'],
  [{ by: 'system' }, 'system'],
])('names %o', (requester, expected) =>
  expect(whoOf(requester, new Map([['7', 'Cost optimizer']]))).toBe(expected),
);
