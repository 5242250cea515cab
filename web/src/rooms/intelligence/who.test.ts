import { expect, it } from 'vitest';
import { whoOf } from './who';

it.each([['agent:7', 'Cost optimizer'], ['agent:8', 'an agent that is gone'], ['ada@acme.example', 'ada@acme.example'], ['reeve', 'reeve']])(
  'calls %s %s', (by, expected) => expect(whoOf(by, new Map([['7', 'Cost optimizer']]))).toBe(expected),
);
