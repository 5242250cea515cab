import { Anchor, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Anomaly, Reading } from '../../../api/bodies';
import type { components } from '../../../api/schema';
import { AnomalyChart } from '../../../charts/AnomalyChart';
import { measured } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Table } from '../../../display/Table';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import classes from './Observed.module.css';
import { courseQuery } from './queries';
import { unitOf } from '../../../display/metric-names';
import { shownSpan } from './course';

type Course = components['schemas']['AnomalyCourseBody'];

/** What was measured: a chart of each metric that was strange, and its figures at the strangest moment. */
export function Observed({ of: one }: { of: Anomaly }) {
  const metrics = one.readings.flatMap(({ metric }) => (metric ? [metric] : []));
  const [chosen, setChosen] = useState(metrics[0]);
  const reading = one.readings.find(({ metric }) => metric && metric === chosen);
  if (one.readings.length === 0) return null;
  return (
    <Panel
      title={metrics.length > 0 ? 'Observations' : 'Detected by'}
      actions={
        metrics.length > 1 ? (
          <SegmentedControl
            size="xs"
            value={chosen}
            onChange={setChosen}
            data={metrics.map((name) => ({ value: name, label: words(name) }))}
            aria-label="Metric"
          />
        ) : undefined
      }
    >
      <Stack gap="md">
        {reading?.metric && <Picture of={one} reading={reading} metric={reading.metric} />}
        {metrics.length > 0 ? (
          <Figures of={one.readings} />
        ) : (
          one.readings.map((given) => <Behavior key={given.at} of={given} />)
        )}
      </Stack>
    </Panel>
  );
}

function Picture({ of: one, reading, metric }: { of: Anomaly; reading: Reading; metric: string }) {
  // Kept while the page is open: an anomaly that goes on would otherwise ask for another span at every look.
  const span = useMemo(
    () => shownSpan({ started_at: one.started_at, last_at: one.last_at }),
    [one.started_at, one.last_at],
  );
  const { data, error } = useQuery(courseQuery(one.id, metric, span));
  if (error) return <ProblemAlert error={error} />;
  if (!data) return <Skeleton h={280} />;
  if (data.points.length === 0)
    return (
      <Text size="sm" className="muted">
        Metric samples from this time have expired. The figures below are from the peak.
      </Text>
    );
  return (
    <div>
      <AnomalyChart
        label={`${words(metric)} of ${one.resource.name || one.resource.id} around the anomaly`}
        course={data}
        reading={reading}
        began={one.started_at}
        last={one.last_at}
      />
      <Legend changed={data.changes.length > 0} />
      {data.changes.map((change) => (
        <Changed key={`${change.to} ${change.description}`} of={change} />
      ))}
    </div>
  );
}

/** A change of the resource, with the two syncs that one by others lies between. */
function Changed({ of: { action_id, description, from, to } }: { of: Course['changes'][number] }) {
  return (
    <Text size="xs" mt={6} style={{ overflowWrap: 'anywhere' }}>
      {sentence(description)}{' '}
      <Text span size="xs" className="muted">
        {action_id ? (
          <>
            by Reeve, <When at={to} />
          </>
        ) : (
          <>
            not by Reeve, between <When at={from} form="full" /> and <When at={to} form="full" />
          </>
        )}
      </Text>
    </Text>
  );
}

function Legend({ changed }: { changed: boolean }) {
  return (
    <Group gap="lg" mt={8} className={classes.legend}>
      <span>
        <i className={classes.line} aria-hidden="true" />
        Observed
      </span>
      <span>
        <i className={classes.expected} aria-hidden="true" />
        Expected
      </span>
      <span>
        <i className={classes.band} aria-hidden="true" />
        Usual
      </span>
      <span>
        <i className={classes.alarm} aria-hidden="true" />
        The alarm
      </span>
      <span>
        <i className={classes.span} aria-hidden="true" />
        Duration of the anomaly
      </span>
      {changed && (
        <span>
          <i className={classes.changed} aria-hidden="true" />
          Changed
        </span>
      )}
    </Group>
  );
}

function Figures({ of: readings }: { of: Reading[] }) {
  return (
    <div className="table-box as-cards" tabIndex={0} role="region" aria-label="Figures, scrollable">
      <Table aria-label="Figures">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Metric</Table.Th>
            <Table.Th>When</Table.Th>
            <Table.Th ta="right">Observed</Table.Th>
            <Table.Th ta="right">Expected</Table.Th>
            <Table.Th ta="right">Usual</Table.Th>
            <Table.Th ta="right">Anomaly score</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {readings.map((reading) => (
            <Row key={`${reading.metric} ${reading.at}`} of={reading} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Behavior has no unit: only how strange it was, against what is usual for them. */
function Behavior({ of: reading }: { of: Reading }) {
  if (reading.sign === 'on a threat list') {
    return (
      <Text size="sm">
        <b>On a threat list.</b> It matches an indicator of one of the{' '}
        <Anchor
          inherit
          renderRoot={(props) => <Link to="/intelligence/anomalies/threat-lists" {...props} />}
        >
          threat lists
        </Anchor>
        , named above.{' '}
        <Text span size="sm" className="muted">
          <When at={reading.at} />
        </Text>
      </Text>
    );
  }
  return (
    <Text size="sm">
      <b>{sentence(reading.sign)}.</b> Anomaly score {reading.anomaly_score.toFixed(2)} of 1; up to{' '}
      {reading.high.toFixed(2)} is usual.{' '}
      <Text span size="sm" className="muted">
        <When at={reading.at} />
      </Text>
    </Text>
  );
}

function Row({ of: reading }: { of: Reading }) {
  const show = (value: number) => measured(value, unitOf(reading.metric));
  return (
    <Table.Tr>
      <Table.Td data-label="Metric" data-lead>
        <Text size="sm" fw={550}>
          {words(reading.metric ?? 'behavior')}
        </Text>
        <Text size="xs" className="muted">
          {sentence(reading.sign)}
        </Text>
      </Table.Td>
      <Table.Td data-label="When">
        <When at={reading.at} />
      </Table.Td>
      <Table.Td data-label="Observed" ta="right" className="numeral">
        <b>{show(reading.value)}</b>
      </Table.Td>
      <Table.Td data-label="Expected" ta="right" className="numeral">
        {show(reading.expected)}
      </Table.Td>
      <Table.Td data-label="Usual" ta="right" className="numeral">
        {show(reading.low)} to {show(reading.high)}
      </Table.Td>
      <Table.Td data-label="Anomaly score" ta="right" className="numeral">
        {reading.anomaly_score.toFixed(2)} of 1
      </Table.Td>
    </Table.Tr>
  );
}
