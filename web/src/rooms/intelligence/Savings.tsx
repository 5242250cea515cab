import { Anchor, Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Dashboard } from '../../api/bodies';
import { SavingsChart } from '../../charts/SavingsChart';
import { count, money, plural } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { addedInWords } from './savings-words';

/** Money: what was measured, what is predicted and not measured yet, and what open recommendations would add. */
export function Savings({ of: data }: { of: Dashboard | undefined }) {
  const points = data?.savings_history ?? [];
  return (
    <Panel
      title="Savings"
      note="Measured: the monthly cost before a change minus the cost after it, by the bill once it covers a whole day. A saving that ended is no longer counted"
      actions={
        <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/actions" {...props} />}>
          Changes behind it
        </Anchor>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg" mb="md">
        <Amount
          label="Measured"
          dollars={data?.savings_realised_monthly}
          note={
            data &&
            (data.savings_predicted_monthly
              ? `${money(data.savings_predicted_monthly)} was predicted for the same changes`
              : 'No change has been measured yet')
          }
          strong
        />
        <Amount
          label="Predicted, not measured yet"
          dollars={data?.savings_unmeasured_monthly}
          note={data && `${plural(data.savings_unmeasured, 'change')} under observation`}
        />
        <Amount
          label="Possible"
          dollars={data?.savings_open_monthly}
          note={
            data && (
              <>
                <Anchor
                  size="xs"
                  renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}
                >
                  {plural(data.recommendations_open, 'open recommendation')}
                </Anchor>
                {addedInWords(data.cost_added_open_monthly)}
                {data.savings_open_unpriced
                  ? `, ${count(data.savings_open_unpriced)} of them without a known amount`
                  : ''}
              </>
            )
          }
        />
      </SimpleGrid>
      {!data ? (
        <Skeleton h={220} />
      ) : isDrawn(points) ? (
        <SavingsChart points={points} />
      ) : points.length > 0 ? (
        <Text size="sm" className="muted">
          The chart begins two days after the first change that succeeded.
        </Text>
      ) : (
        <Text size="sm" className="muted">
          The chart begins two days after the first change that succeeds.{' '}
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}
          >
            Choose a recommendation
          </Anchor>{' '}
          to apply.
        </Text>
      )}
    </Panel>
  );
}

const TWO_DAYS = 2 * 86_400_000;

/** Days are summed: one or two of them would be a flat line over hours in which nothing was saved yet. */
function isDrawn(points: Dashboard['savings_history']) {
  const [first] = points;
  return first !== undefined && Date.now() - Date.parse(first.day) >= TWO_DAYS;
}

function Amount({
  label,
  dollars,
  note,
  strong,
}: {
  label: string;
  dollars: number | undefined;
  note: React.ReactNode;
  strong?: boolean;
}) {
  return (
    <div>
      <Text size="sm" className="muted" fw={500}>
        {label}
      </Text>
      {dollars === undefined ? (
        <Skeleton h={28} w="50%" my={4} />
      ) : (
        <Group gap={6} align="baseline">
          <Text
            className="numeral"
            fz={24}
            fw={600}
            c={strong && dollars > 0 ? 'var(--good)' : undefined}
          >
            {money(dollars)}
          </Text>
          <Text size="sm" className="muted">
            a month
          </Text>
        </Group>
      )}
      <Text component="div" size="xs" className="muted">
        {note}
      </Text>
    </div>
  );
}
