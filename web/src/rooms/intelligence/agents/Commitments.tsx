import { Stack, Text, Title } from '@mantine/core';
import type { Portfolio } from '../../../api/bodies';
import { count, money, percent, plural } from '../../../display/amounts';
import { Facts } from '../../../display/Facts';
import { words } from '../../../display/wording';
import { CommitmentChart } from './CommitmentChart';
import { risk, safeLevel } from './commitments';

/** One-year commitments simulated on the hourly use of each account. Reeve buys nothing. */
export function Commitments({ portfolios }: { portfolios: Portfolio[] }) {
  if (!portfolios.length) return null;
  return (
    <Stack gap="xs">
      <div>
        <Title order={3} size="h4">
          Commitments
        </Title>
        <Text size="sm" className="muted">
          One-year commitments simulated on the hourly use of all on-demand machines of an account,
          at list prices; the recommendation states them after the discounts of the bill. Reeve buys
          nothing.
        </Text>
      </div>
      {portfolios.map((portfolio) => (
        <Account key={`${portfolio.provider} ${portfolio.account}`} portfolio={portfolio} />
      ))}
    </Stack>
  );
}

/** Folded: its first line says what to commit and what that saves, and the cards of agents stay of one height. */
function Account({ portfolio }: { portfolio: Portfolio }) {
  const { safe, best } = portfolio;
  return (
    <details>
      <summary className="fold">
        {words(portfolio.provider)} {portfolio.account}: {safeLevel(portfolio)}
      </summary>
      <Stack gap="sm" mt="sm">
        <CommitmentChart portfolio={portfolio} />
        <Facts
          of={[
            [
              'Use',
              `${money(portfolio.use_monthly)} a month at on-demand list prices, ${plural(portfolio.machines, 'machine')}, ${count(portfolio.hours)} hours`,
            ],
            ['Discount', `${percent(portfolio.discount_percent)}. ${portfolio.discount}`],
            [
              'Break-even',
              `A commitment must be used in ${percent(portfolio.break_even_percent)} of its hours`,
            ],
            [
              'Safe level',
              `Covers ${percent(safe.coverage_percent)}, used to ${percent(safe.utilisation_percent)}; ${money(safe.on_demand_monthly)} a month stay on demand. ${risk(safe, portfolio.hours)}`,
            ],
            [
              'Best level',
              `${money(best.hourly)} an hour would have saved ${money(best.savings_monthly)} a month. ${risk(best, portfolio.hours)}`,
            ],
            [
              'Tried on past weeks',
              `Chosen from the earlier weeks, the safe level would have saved ${money(portfolio.held_out_savings_monthly)} a month in the last third`,
            ],
          ]}
        />
      </Stack>
    </details>
  );
}
