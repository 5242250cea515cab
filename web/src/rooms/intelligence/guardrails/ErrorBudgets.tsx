import { Anchor, Button, Text } from '@mantine/core';
import { IconHeartRateMonitor } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ErrorBudget, GuardrailsStatus } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count, percent, plural } from '../../../display/amounts';
import { EmptyState } from '../../../display/EmptyState';
import { Panel } from '../../../display/Panel';
import classes from './ErrorBudgets.module.css';
import { durationInWords } from '../../../display/durations';
import { levelOf, scaleOf, uptimeOf } from './budget';

/** Bars before somebody asks for all. */
const FIRST = 8;

/** What each resource used of the planned downtime that its uptime allows, the most used first. */
export function ErrorBudgets({ of: status }: { of: GuardrailsStatus }) {
  const [all, setAll] = useState(false);
  const {
    error_budgets: budgets,
    error_budgets_total: total,
    budget_s,
    budget_days,
    min_uptime,
  } = status;
  const budget = budget_s > 0 ? `${durationInWords(budget_s)} of` : 'no';
  const note = `${uptimeOf(min_uptime)} uptime leaves ${budget} planned downtime in ${plural(budget_days, 'day')} to each resource`;
  if (budgets.length === 0) {
    return (
      <Panel title="Error budgets" note={note}>
        <EmptyState title="No downtime" icon={<IconHeartRateMonitor size={22} />}>
          No change interrupted a resource in the last {plural(budget_days, 'day')}, so each has all
          of its budget. What is interrupted appears here, the most used first.
        </EmptyState>
      </Panel>
    );
  }
  const scale = scaleOf(budgets);
  const shown = all ? budgets : budgets.slice(0, FIRST);
  return (
    <Panel title="Error budgets" note={note}>
      <ul className={classes.list} aria-label="Error budgets, the most used first">
        {shown.map((one) => (
          <Bar key={one.resource_id} of={one} scale={scale} />
        ))}
      </ul>
      <div className={classes.foot}>
        <Text size="xs" className="muted">
          <span className={classes.key} aria-hidden /> Beyond the line, changes that interrupt the
          resource are blocked.
        </Text>
        {budgets.length > FIRST && (
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${count(budgets.length)}`}
          </Button>
        )}
      </div>
      {total > budgets.length && all && (
        <Text size="xs" className="muted" mt={6}>
          {count(total - budgets.length)} more used less.
        </Text>
      )}
    </Panel>
  );
}

function Bar({ of: one, scale }: { of: ErrorBudget; scale: number }) {
  const may = useMay();
  const summary = `${durationInWords(one.downtime_s)} down by ${plural(one.changes, 'change')}, uptime ${uptimeOf(one.uptime)}`;
  return (
    <li className={classes.row} data-level={levelOf(one.used)}>
      <Text size="sm" fw={550} truncate>
        {may('estate.view') ? (
          <Anchor
            inherit
            c="inherit"
            renderRoot={(props) => (
              <Link to="/estate/resources/$id" params={{ id: one.resource_id }} {...props} />
            )}
          >
            {one.resource_name}
          </Anchor>
        ) : (
          one.resource_name
        )}
      </Text>
      <Text size="sm" fw={600} className="numeral">
        {percent(one.used)}
        {one.used > 100 && (
          <Text span inherit c="var(--bad)">
            , exceeded
          </Text>
        )}
      </Text>
      <div
        className={classes.track}
        role="meter"
        aria-label={`Error budget of ${one.resource_name}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, one.used)}
        aria-valuetext={`${percent(one.used)} used: ${summary}`}
      >
        <span
          className={classes.bar}
          style={{ width: `${Math.max(0.6, (one.used / scale) * 100)}%` }}
        />
        <span className={classes.limit} style={{ left: `${(100 / scale) * 100}%` }} />
      </div>
      <Text size="xs" className={`muted ${classes.told}`}>
        {summary}
      </Text>
    </li>
  );
}
