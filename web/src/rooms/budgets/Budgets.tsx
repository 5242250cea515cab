import { Button, Text } from '@mantine/core';
import { IconCoin, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMay } from '../../api/session';
import { moneyOf, percent } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { BudgetBar } from './BudgetBar';
import { budgetAlertsQuery, budgetsQuery, type Budget, type BudgetAlert } from './queries';
import { basisWords, scopeWords } from './wording';

const BudgetForm = lazyComponent(() => import('./BudgetForm'), 'BudgetForm');

export function Budgets() {
  const { data, error, refetch } = useQuery(budgetsQuery);
  const [adding, setAdding] = useState(false);
  const manages = useMay()('estate.manage');
  const columns = useMemo(
    (): Column<Budget>[] => [
      {
        id: 'name',
        header: 'Budget',
        sortBy: (row) => row.name,
        csv: { Budget: (row) => row.name, Scope: (row) => scopeWords(row.scope) },
        cell: (row) => (
          <>
            <Link className="page-link" to="/estate/budgets/$id" params={{ id: row.id }}>
              <Text span size="sm" fw={550}>
                {row.name}
              </Text>
            </Link>
            <Text size="xs" className="muted">
              {scopeWords(row.scope)}
            </Text>
          </>
        ),
      },
      {
        id: 'amount',
        header: 'Amount',
        align: 'right',
        sortBy: (row) => row.amount,
        csv: {
          Amount: (row) => row.amount,
          Currency: (row) => row.currency,
          Period: (row) => row.period,
        },
        cell: (row) => `${moneyOf(row.amount, row.currency)} a ${row.period}`,
      },
      {
        id: 'spent',
        header: 'Spent',
        align: 'right',
        sortBy: (row) => row.standing?.spent_percent ?? -1,
        csv: {
          Spent: (row) => row.standing?.spent,
          'Spent (%)': (row) => row.standing?.spent_percent,
        },
        cell: (row) =>
          row.standing ? (
            moneyOf(row.standing.spent, row.currency)
          ) : (
            <span className="muted">Not evaluated yet</span>
          ),
      },
      {
        id: 'forecast',
        header: 'Forecast',
        align: 'right',
        sortBy: (row) => row.standing?.forecast_percent ?? -1,
        csv: {
          Forecast: (row) => row.standing?.forecast,
          'Forecast (%)': (row) => row.standing?.forecast_percent,
        },
        cell: (row) =>
          row.standing?.forecast == null ? (
            <span className="muted">None</span>
          ) : (
            `${moneyOf(row.standing.forecast, row.currency)} (${percent(row.standing.forecast_percent)})`
          ),
      },
      // The amounts say it in a CSV file.
      { id: 'bar', header: 'Used', csv: {}, cell: (row) => <BudgetBar budget={row} /> },
    ],
    [],
  );
  return (
    <Page
      title="Budgets"
      description="Amounts for a month, quarter or year, compared with your cloud bills. Each threshold notifies the budget's channels once per period."
      actions={
        manages && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add budget
          </Button>
        )
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Budgets"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={50}
          empty={
            <EmptyState title="No budgets yet" icon={<IconCoin size={22} />}>
              {manages
                ? 'Add one to be notified before the bill arrives.'
                : 'Operators and administrators can add one.'}
            </EmptyState>
          }
        />
      )}
      <ReachedThresholds />
      {adding && <BudgetForm onClose={() => setAdding(false)} />}
    </Page>
  );
}

function ReachedThresholds() {
  const { data } = useQuery(budgetAlertsQuery);
  const columns = useMemo(
    (): Column<BudgetAlert>[] => [
      { id: 'at', header: 'Detected', cell: (row) => <When at={row.raised_at} /> },
      {
        id: 'budget',
        header: 'Budget',
        cell: (row) => (
          <Link className="page-link" to="/estate/budgets/$id" params={{ id: row.budget_id }}>
            {row.budget_name}
          </Link>
        ),
      },
      {
        id: 'threshold',
        header: 'Threshold',
        csv: {
          'Threshold (%)': (row) => row.threshold.percent,
          Basis: (row) => row.threshold.basis,
        },
        cell: (row) => `${percent(row.threshold.percent)} ${basisWords(row.threshold.basis)}`,
      },
      {
        id: 'value',
        header: 'Reached by',
        align: 'right',
        csv: {
          'Reached by': (row) => row.value,
          Amount: (row) => row.amount,
          Currency: (row) => row.currency,
        },
        cell: (row) =>
          `${moneyOf(row.value, row.currency)} of ${moneyOf(row.amount, row.currency)}`,
      },
      { id: 'period', header: 'Period from', cell: (row) => row.period_start },
    ],
    [],
  );
  if (!data?.items.length) return null;
  return (
    <Panel title="Thresholds reached" flush>
      <DataTable
        bare
        label="Thresholds reached"
        columns={columns}
        rows={data.items}
        rowId={(row) => row.id}
        pageSize={20}
        empty={null}
      />
    </Panel>
  );
}
