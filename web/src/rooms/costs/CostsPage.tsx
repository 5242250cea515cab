import { Button, Group, Pill, SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconReceipt, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { moneyOf, percent, plural } from '../../display/amounts';
import { EmptyState } from '../../display/EmptyState';
import { day } from '../../display/instants';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Select } from '../../display/Select';
import { Tile } from '../../display/Tile';
import { spendingQuery, type Spending } from './queries';
import { changeOf, filtersOf, paramsOf, PROPERTIES, type SpendingSearch } from './spending-search';
import { SpendingChart } from './SpendingChart';
import { SpendingTable } from './SpendingTable';

const route = getRouteApi('/app/estate/costs');
/** Whole weeks, so that the days before have the same weekdays. */
const PERIODS = ['7', '28', '91', '364'];
const USUAL_DAYS = '28';

/** What the bills charged: by day, by group, and from a group to what is in it. */
export function CostsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // The last billed day, from which the days are counted back.
  const latest = useQuery({ ...spendingQuery({}), select: ({ billed_until }) => billed_until });
  const {
    data: spending,
    error,
    refetch,
  } = useQuery(spendingQuery(paramsOf(search, latest.data ?? undefined)));
  const show = (next: SpendingSearch) => void navigate({ to: '.', search: next });
  const by = search.by ?? 'service';
  return (
    <Page
      title="Costs"
      description="What your cloud bills charged, by day: after discounts, with prepayments spread over their use."
    >
      {spending?.billed_until === null && !error ? (
        <EmptyState title="No bills yet" icon={<IconReceipt size={22} />}>
          Add a bucket with FOCUS exports under Connections, or put FOCUS files (CSV or Parquet)
          into the folder charges of the data directory.
        </EmptyState>
      ) : (
        <>
          <Controls search={search} of={spending} onChange={show} />
          <Filters search={search} onChange={show} />
          {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
          <Totals of={spending} />
          {spending?.groups.length !== 0 && (
            <Panel title="By day" note={spending && noteOf(spending)}>
              {spending && <SpendingChart of={spending} by={by} />}
            </Panel>
          )}
          <SpendingTable of={spending} by={by} search={search} onDrill={show} />
        </>
      )}
    </Page>
  );
}

function noteOf({ first_day, last_day, billed_until }: Spending): string {
  const period = `${day(`${first_day}T00:00:00Z`)} to ${day(`${last_day}T00:00:00Z`)}`;
  return billed_until && billed_until < last_day
    ? `${period}; billed until ${day(`${billed_until}T00:00:00Z`)}`
    : period;
}

interface Change {
  search: SpendingSearch;
  onChange: (search: SpendingSearch) => void;
}

function Controls({ search, of: spending, onChange }: Change & { of: Spending | undefined }) {
  const chosen = search.first_day || search.last_day ? 'own' : (search.days ?? USUAL_DAYS);
  const groupings = [
    ...Object.entries(PROPERTIES).map(([value, label]) => ({ value, label })),
    ...(spending?.tags ?? []).map((key) => ({ value: `tag:${key}`, label: `Tag: ${key}` })),
  ];
  const periods = [
    ...PERIODS.map((value) => ({ value, label: `Last ${value} billed days` })),
    { value: 'own', label: 'Own period' },
  ];
  const setPeriod = (value: string | null) => {
    const isOwn = value === 'own';
    onChange({
      ...search,
      days: isOwn ? undefined : (value ?? undefined),
      first_day: isOwn ? spending?.first_day : undefined,
      last_day: isOwn ? spending?.last_day : undefined,
    });
  };
  const currencies = spending?.currencies ?? [];
  return (
    <Group gap="sm" align="flex-end" role="search" className="filters" aria-label="Choose costs">
      <Select
        label="Group by"
        data={groupings}
        value={search.by ?? 'service'}
        onChange={(by) => onChange({ ...search, by: by ?? undefined })}
        allowDeselect={false}
        searchable
        w={190}
      />
      <Select
        label="Period"
        data={periods}
        value={chosen}
        onChange={setPeriod}
        allowDeselect={false}
        w={190}
      />
      {chosen === 'own' &&
        (['first_day', 'last_day'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={name === 'first_day' ? 'From' : 'To'}
            value={search[name] ?? ''}
            onChange={(event) =>
              onChange({ ...search, [name]: event.currentTarget.value || undefined })
            }
            w={150}
          />
        ))}
      {currencies.length > 1 && (
        <Select
          label="Currency"
          data={currencies}
          value={search.currency ?? spending?.currency ?? null}
          onChange={(currency) => onChange({ ...search, currency: currency ?? undefined })}
          allowDeselect={false}
          w={110}
        />
      )}
    </Group>
  );
}

function Filters({ search, onChange }: Change) {
  const filters = filtersOf(search);
  if (filters.length === 0) return null;
  const without = (names: string[]) =>
    Object.fromEntries(Object.entries(search).filter(([name]) => !names.includes(name)));
  return (
    <Group gap="xs" role="list" aria-label="Filters">
      {filters.map(({ name, label }) => (
        <Pill
          key={name}
          role="listitem"
          size="md"
          withRemoveButton
          onRemove={() => onChange(without([name]))}
          removeButtonProps={{ 'aria-label': `Remove ${label}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {label}
        </Pill>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconX size={14} />}
        onClick={() => onChange(without(filters.map(({ name }) => name)))}
      >
        Remove all filters
      </Button>
    </Group>
  );
}

function Totals({ of: spending }: { of: Spending | undefined }) {
  const days = spending?.all.days.length ?? 0;
  const change = spending && changeOf(spending.all);
  const shown = (amount: number | undefined) => moneyOf(amount, spending?.currency ?? 'USD');
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <Tile
        label="Total"
        loading={!spending}
        value={shown(spending?.all.total)}
        note={plural(days, 'day')}
      />
      <Tile
        label="Average per day"
        loading={!spending}
        value={shown(days > 0 ? (spending?.all.total ?? 0) / days : undefined)}
      />
      <Tile
        label={`Compared with the ${plural(days, 'day')} before`}
        loading={!spending}
        value={
          change === undefined ? (
            <Text span inherit className="muted">
              None
            </Text>
          ) : (
            `${change > 0 ? '+' : ''}${percent(change * 100)}`
          )
        }
        note={spending && beforeOf(spending)}
      />
    </SimpleGrid>
  );
}

function beforeOf({ all, billed_from, currency }: Spending): string {
  if (all.previous_total != null) return `${moneyOf(all.previous_total, currency)} before`;
  return billed_from ? `The bills begin on ${day(`${billed_from}T00:00:00Z`)}` : '';
}
