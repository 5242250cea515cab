import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Prediction, Rule } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { ForecastChart } from '../../../charts/ForecastChart';
import { count, measured, percent, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { fullTime } from '../../../display/instants';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { sentence } from '../../../display/wording';
import { Against, Likely, Outcome, unitOf } from './Decisions';
import { observedQuery, predictionsQuery } from './queries';
import { predictiveMetric } from '../../../display/metric-names';
import { secondsOf, spanInWords } from '../../../display/durations';
import { findingInWords, isSo, newest } from './labels';

/** Resources of one evaluation at most. */
const MOST_RESOURCES = 500;

/** The newest evaluation: what was decided on each resource, and the forecast of the one that is chosen. */
export function Forecasts({ of: rule }: { of: Rule }) {
  const { data, error } = useQuery(
    predictionsQuery({ rule: rule.id, limit: MOST_RESOURCES }, rule.evaluated_at),
  );
  const [chosen, setChosen] = useState<string | null>(null);
  const all = useMemo(() => newest(data?.items ?? []), [data]);
  const one = all.find(({ resource_id }) => resource_id === chosen) ?? all[0];
  const columns = useMemo(() => columnsOf(setChosen, one?.resource_id), [one?.resource_id]);
  const counted = (outcome: string) => all.filter((found) => found.outcome === outcome).length;
  if (error && !data) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={360} radius="lg" />;
  return (
    <>
      {one && <Forecast key={one.resource_id} of={one} rule={rule} />}
      <Panel
        title="Last evaluation"
        flush={all.length > 0}
        note={
          one ? (
            <>
              <When at={one.at} form="ago" />: {plural(all.length, 'resource')},{' '}
              {count(counted('foreseen'))} expected, {count(counted('abstained'))} where there is
              too little data
            </>
          ) : undefined
        }
      >
        {all.length === 0 ? (
          <Text size="sm" className="muted">
            {rule.evaluated_at
              ? 'No resource in scope has this metric. Widen the scope or connect more accounts.'
              : 'Not evaluated yet. It runs automatically, or select “Evaluate now”.'}
          </Text>
        ) : (
          <DataTable
            bare
            label="Decisions"
            columns={columns}
            rows={all}
            rowId={(row) => row.id}
            pageSize={10}
            onOpen={(row) => setChosen(row.resource_id)}
            empty={null}
          />
        )}
      </Panel>
    </>
  );
}

const whyOf = (one: Prediction) =>
  one.findings.map((finding) => findingInWords(finding, one)).join('; ');

function columnsOf(choose: (id: string) => void, chosen: string | undefined): Column<Prediction>[] {
  return [
    {
      id: 'resource',
      header: 'Resource',
      sortBy: (row) => row.resource_name,
      cell: (row) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={row.resource_id === chosen ? 700 : 550}
          c="inherit"
          ta="left"
          aria-pressed={row.resource_id === chosen}
          onClick={() => choose(row.resource_id)}
        >
          {row.resource_name}
        </Anchor>
      ),
    },
    {
      id: 'outcome',
      header: 'Decided',
      sortBy: (row) => row.outcome,
      cell: (row) => <Outcome of={row.outcome} />,
    },
    {
      id: 'likely',
      header: 'Probability',
      sortBy: (row) => row.probability ?? -1,
      cell: (row) => <Likely of={row} />,
    },
    {
      id: 'value',
      header: 'Now',
      sortBy: (row) => row.value ?? -1,
      cell: (row) => <Against of={row} />,
    },
    {
      id: 'why',
      header: 'Why',
      cell: (row) => (
        <div style={{ minWidth: 180, maxWidth: 340 }}>
          <Text size="xs" className="muted" lineClamp={2} title={whyOf(row)}>
            {sentence(whyOf(row))}
          </Text>
        </div>
      ),
    },
  ];
}

function Forecast({ of: one, rule }: { of: Prediction; rule: Rule }) {
  const may = useMay();
  const within =
    one.probability == null
      ? undefined
      : `${percent(one.probability)} within ${spanInWords(rule.condition.horizon)}`;
  return (
    <Panel
      title={
        may('estate.view') ? (
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
        )
      }
      note={[
        predictiveMetric(one.metric)?.label,
        one.data_points > 0 && `${count(one.data_points)} samples looked at`,
      ]
        .filter(Boolean)
        .join(' · ')}
      actions={
        <Group gap="xs">
          <Outcome of={one.outcome} />
          {within && (
            <Text size="sm" fw={600} className="numeral">
              {within}
            </Text>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        {one.forecast.length > 0 &&
          (may('estate.view') ? (
            <WithPast of={one} rule={rule} />
          ) : (
            <Picture of={one} observed={[]} />
          ))}
        <Stack component="ul" gap={4} m={0} pl={18}>
          {isSo(one) && (
            <Text component="li" size="sm">
              <b>Already reached.</b>
            </Text>
          )}
          {one.expected_at && !isSo(one) && (
            <Text component="li" size="sm">
              Comes <b>{fullTime(one.expected_at)}</b> with one chance in two
              {one.earliest_at &&
                one.latest_at &&
                one.earliest_at !== one.latest_at &&
                `; 90 % range: ${fullTime(one.earliest_at)} and ${fullTime(one.latest_at)}`}
              .
            </Text>
          )}
          {one.limit != null && (
            <Text component="li" size="sm">
              Held against {measured(one.limit, unitOf(one))}: {one.limit_source}.
            </Text>
          )}
          {one.event && (
            <Text component="li" size="sm">
              Event: {one.event}.
            </Text>
          )}
          {one.findings.map((finding) => (
            <Text component="li" size="sm" key={finding.words} style={{ overflowWrap: 'anywhere' }}>
              {sentence(findingInWords(finding, one))}.
            </Text>
          ))}
        </Stack>
        <ThenWhat of={one} />
      </Stack>
    </Panel>
  );
}

export function ThenWhat({ of: one }: { of: Prediction }) {
  if (one.recommendation_id) {
    const id = one.recommendation_id;
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/intelligence/recommendations/$id" params={{ id }} {...props} />
        )}
      >
        Open recommendation
      </Anchor>
    );
  }
  return one.not_recommended ? (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      Nothing was recommended: {one.not_recommended}.
    </Text>
  ) : null;
}

/** As much of the past as three horizons, from six hours to two weeks. */
const PAST_S = { least: 6 * 3600, most: 14 * 86_400 };

function WithPast({ of: one, rule }: { of: Prediction; rule: Rule }) {
  const metric = one.samples ?? predictiveMetric(one.metric)?.samples ?? '';
  const past = Math.min(
    PAST_S.most,
    Math.max(PAST_S.least, 3 * (secondsOf(rule.condition.horizon) ?? 0)),
  );
  const shown = useMemo(
    () => ({ from: new Date(new Date(one.at).getTime() - past * 1000).toISOString(), to: one.at }),
    [one.at, past],
  );
  const { data, error } = useQuery({
    ...observedQuery(one.resource_id, metric, shown),
    enabled: metric !== '',
  });
  if (!data && !error) return <Skeleton h={300} />;
  const series = data?.series.find((found) => found.metric === metric);
  return (
    <>
      {error && (
        <Text size="xs" className="muted">
          Observations cannot be shown: {error.message}
        </Text>
      )}
      <Picture of={one} observed={series?.points ?? NONE} />
    </>
  );
}

const NONE: number[][] = [];

function Picture({ of: one, observed }: { of: Prediction; observed: number[][] }) {
  const signal = predictiveMetric(one.metric);
  const name =
    one.limit == null
      ? ''
      : `${one.metric === 'disk_space' ? 'full' : 'limit'} ${measured(one.limit, unitOf(one))}`;
  return (
    <>
      <ForecastChart
        label={`Forecast of ${(signal?.label ?? 'the metric').toLowerCase()} of ${one.resource_name}`}
        unit={unitOf(one)}
        observed={observed}
        of={one}
        limitName={name}
      />
      <Text size="xs" className="muted">
        {one.metric !== 'disk_space'
          ? ''
          : one.samples === 'disk_utilization'
            ? 'Storage in use. '
            : 'Free storage. '}
        The band holds nine values in ten.
      </Text>
    </>
  );
}
