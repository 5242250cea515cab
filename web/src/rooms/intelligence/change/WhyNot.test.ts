import { expect, it } from 'vitest';
import { titleOf } from './WhyNot';

it('claims that nothing can be applied only once that is known', () => {
  expect(titleOf(undefined)).toBe('Can it be applied?');
  expect(titleOf(true)).toBe("Why it can't be applied");
  expect(titleOf(false)).toBe('Ready to apply: no guardrail or policy blocks it');
});
