import { expect, test } from 'vitest';
import { skippedInWords } from './skipped';

test('reasons are sentences, of resources and of recommendations', () => {
  expect(skippedInWords({ of: 'resources', reason: 'in_use' })).toBe('It is used');
  expect(skippedInWords({ of: 'resources', reason: 'lone_machine' })).toBe(
    'A running machine outside a scaling group cannot become spot capacity',
  );
  expect(skippedInWords({ of: 'resources', reason: 'other_class' })).toBe(
    'No recommendation belongs to its class',
  );
  expect(skippedInWords({ of: 'recommendations', reason: 'mode_learning' })).toBe(
    'The agent is in learning mode',
  );
  expect(
    skippedInWords({ of: 'recommendations', reason: 'blocked_cost_impact.max_decrease' }),
  ).toMatch(/^Guardrail “.+” blocks it$/);
  expect(skippedInWords({ of: 'resources', reason: 'something_new' })).toBe('Something new');
});
