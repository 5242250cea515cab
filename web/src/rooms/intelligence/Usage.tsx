import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { SampleChart } from '../../charts/SampleChart';
import { count } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { samplesQuery } from '../estate/queries';

/** Threshold of a rule of the agent in the CPU chart. */
const THRESHOLDS: Record<string, { at: number; name: string }> = {
  downsize_underutilized: { at: 20, name: 'rule < 20 %' },
  upgrade_throttled: { at: 90, name: 'rule > 90 %' },
};

/** Metrics by kind of resource; all others have those of the last line. */
const METRICS: Record<string, string> = {
  volume: 'disk_read_ops,disk_write_ops,disk_read,disk_write',
};
const OTHERS = 'cpu_utilization,memory_utilization,network_in,network_out';

/** Chart of one unit: its label and height. */
const CHARTS = [
  { unit: 'percent', label: 'CPU utilization', height: 240 },
  { unit: 'per_second', label: 'Operations', height: 190 },
  { unit: 'bytes_per_second', label: 'Throughput', height: 150 },
];

/** Recent metrics of the resource. */
export function Usage({ of: one }: { of: Recommendation }) {
  const [days, setDays] = useState('14');
  const { data, error } = useQuery(
    samplesQuery(one.resource.id, Number(days), METRICS[one.resource.type] ?? OTHERS),
  );
  const charts = CHARTS.map((chart) => ({
    ...chart,
    series:
      data?.series.filter(({ unit, points }) => unit === chart.unit && points.length > 0) ?? [],
  }));
  const shown = charts.filter(({ series }) => series.length > 0);
  const points = data?.series.reduce((sum, series) => sum + series.data_points, 0) ?? 0;
  return (
    <Panel
      title="Utilization"
      note={data ? `${count(points)} samples in ${days} days, averaged to fit` : undefined}
      actions={
        <SegmentedControl
          size="xs"
          value={days}
          onChange={setDays}
          data={['7', '14', '30'].map((value) => ({ value, label: `${value} days` }))}
          aria-label="Period"
        />
      }
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={240} />}
      {data && shown.length === 0 && (
        <Text size="sm" className="muted">
          {one.resource.type === 'scaling_group'
            ? 'A scaling group has no samples of its own. The figures above are of its members.'
            : 'No samples in this period.'}
        </Text>
      )}
      <Stack gap="md">
        {shown.map(({ unit, label, height, series }) => (
          <SampleChart
            key={unit}
            label={`${label} of ${one.resource.name} over ${days} days`}
            series={series}
            height={height}
            threshold={unit === 'percent' ? THRESHOLDS[one.rule] : undefined}
          />
        ))}
      </Stack>
    </Panel>
  );
}
