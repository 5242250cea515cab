import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { GuardrailsStatus } from '../../../api/bodies';
import { show } from '../../../testing/page';
import { ErrorBudgets } from './ErrorBudgets';

const budget = (name: string, used: number) => ({
  resource_id: name,
  resource_name: name,
  connection_id: 'c',
  downtime_s: used * 25.92,
  used,
  uptime: 100 - used / 1000,
  changes: 2,
});

const status = (used: number[]): GuardrailsStatus => ({
  kill_switch: false,
  circuit_breaker: { state: 'closed', failures: 0, limit: 3 },
  actions_today: 1,
  max_actions_per_day: 20,
  min_uptime: 99.9,
  budget_s: 2592,
  budget_days: 30,
  error_budgets: used.map((share, at) => budget(`server-${at}`, share)),
  error_budgets_total: used.length,
});

describe('error budgets', () => {
  it('says that nothing was taken down', () => {
    show(<ErrorBudgets of={status([])} />);
    expect(screen.getByText('No downtime')).toBeInTheDocument();
    expect(
      screen.getByText(
        '99.9 % uptime leaves 43 min 12 s of planned downtime in 30 days to each resource',
      ),
    ).toBeInTheDocument();
  });

  it('shows what each used, and what is overdrawn', () => {
    show(<ErrorBudgets of={status([240, 90, 2.4])} />);
    const rows = screen.getAllByRole('listitem');
    expect(rows.map((row) => row.dataset.level)).toEqual(['gone', 'short', 'fine']);
    expect(screen.getAllByText(/exceeded/)).toHaveLength(1);
    expect(screen.getByRole('meter', { name: 'Error budget of server-0' })).toHaveAttribute(
      'aria-valuetext',
      '240\u00a0% used: 1 h 43 min down by 2 changes, uptime 99.76 %',
    );
  });

  it('shows the most used first, and the others when asked', async () => {
    show(<ErrorBudgets of={status(Array.from({ length: 12 }, (_, at) => 50 - at))} />);
    expect(screen.getAllByRole('listitem')).toHaveLength(8);
    await userEvent.click(screen.getByRole('button', { name: 'Show all 12' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(12);
  });
});
