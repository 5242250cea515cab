import { Alert, Button, SimpleGrid } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session';
import { moneyOf, percent } from '../../display/amounts';
import { EmptyState } from '../../display/EmptyState';
import { Facts } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Remove } from '../../display/Remove';
import { Tile } from '../../display/Tile';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { BudgetChart } from './BudgetChart';
import { budgetQuery, removeBudget, type Budget } from './queries';
import { basisWords, scopeWords } from './wording';

const BudgetForm = lazyComponent(() => import('./BudgetForm'), 'BudgetForm');

export function BudgetDetail() {
  const { id } = useParams({ from: '/app/estate/budgets/$id' });
  const { data: budget, error, refetch } = useQuery(budgetQuery(id));
  const [editing, setEditing] = useState(false);
  const navigate = useNavigate();
  const manages = useMay()('estate.manage');
  return (
    <Page
      title={budget?.name ?? 'Budget'}
      above={<Trail of={[['Budgets', '/estate/budgets']]} />}
      description={budget && scopeWords(budget.scope)}
      actions={
        budget &&
        manages && (
          <>
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setEditing(true)}
            >
              Change
            </Button>
            <Remove
              room="budgets"
              what={budget.name}
              explain="Stops its notifications. Its history stays in the audit log."
              remove={() => removeBudget(budget.id)}
              onRemoved={() => void navigate({ to: '/estate/budgets' })}
            />
          </>
        )
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {budget && <Standing budget={budget} />}
      {budget && editing && <BudgetForm budget={budget} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function Standing({ budget }: { budget: Budget }) {
  const { standing, currency } = budget;
  const shown = (amount: number | null | undefined) => moneyOf(amount, currency);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Tile label="Budget" value={shown(budget.amount)} note={`a ${budget.period}`} />
        <Tile
          label="Spent"
          value={standing ? shown(standing.spent) : 'Not evaluated yet'}
          note={standing && `${percent(standing.spent_percent)} of the budget`}
        />
        <Tile
          label="Forecast"
          value={standing?.forecast == null ? 'None' : shown(standing.forecast)}
          note={
            standing &&
            (standing.forecast_percent == null
              ? standing.no_forecast
              : `${percent(standing.forecast_percent)} of the budget at the end of the period`)
          }
        />
      </SimpleGrid>
      {standing?.not_counted.length ? (
        <Alert color="yellow" title="Charges in other currencies are not counted">
          {standing.not_counted
            .map(({ currency: other, amount }) => moneyOf(amount, other))
            .join(', ')}{' '}
          in this period. Add a budget in that currency to watch them.
        </Alert>
      ) : null}
      <Panel
        title="This period"
        note={
          standing &&
          `${standing.period_start} to ${standing.period_end}, UTC${standing.data_until ? `. Bills up to ${standing.data_until}` : ''}`
        }
      >
        {standing?.days.length ? (
          <BudgetChart budget={budget} />
        ) : (
          <EmptyState title="No charges in this period">
            {standing
              ? 'No bill has charges of this scope yet. Check the scope in the settings below.'
              : 'Bills are read within a minute. Reload the page then.'}
          </EmptyState>
        )}
      </Panel>
      <Panel title="Settings">
        <Facts
          of={[
            [
              'Thresholds',
              budget.thresholds
                .map(({ percent: share, basis }) => `${percent(share)} ${basisWords(basis)}`)
                .join(', '),
            ],
            [
              'Channels',
              budget.channels.join(', ') || 'None: reached thresholds are only listed and recorded',
            ],
            ['Recipients', budget.recipients.join(', ')],
            ['Changed', <When key="changed" at={budget.updated_at} form="full" />],
            [
              'Evaluated',
              standing && <When key="evaluated" at={standing.evaluated_at} form="full" />,
            ],
          ]}
        />
      </Panel>
    </>
  );
}
