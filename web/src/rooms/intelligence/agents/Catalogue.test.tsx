import { screen, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { AgentType } from '../../../api/bodies';
import { show } from '../../../testing/page';
import { Catalogue } from './Catalogue';

const { types } = vi.hoisted(() => ({ types: vi.fn() }));
vi.mock('../queries', () => ({
  agentTypesQuery: { queryKey: ['types'], queryFn: types },
}));

const spot: AgentType = {
  name: 'spot_optimizer',
  description: 'Moves interruptible workloads to spot capacity.',
  capabilities: { auto_fallback: 'on_demand' },
  actions: { predict_savings: true },
  settings: {},
  configurable: [],
  decided_by: {},
  described: ['capabilities.auto_fallback', 'actions.predict_savings'],
  available: true,
  findings: 'runs',
};

test('a capability that no setting decides is not called missing', async () => {
  types.mockResolvedValue({ items: [spot], total: 1 });
  show(<Catalogue />);
  const type = await screen.findByRole('region', { name: 'Spot optimizer' }, { timeout: 5_000 });
  expect(within(type).getByText('Available')).toBeInTheDocument();
  expect(within(type).getByText('Auto fallback: on demand')).toBeInTheDocument();
  expect(within(type).queryByText(/Not in this release/)).toBeNull();
});
