import { SegmentedControl, Skeleton, Space, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { SampleChart } from '../../charts/SampleChart';
import { count } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { samplesQuery } from '../estate/queries';

/** The line that a rule of the agent draws through the CPU. */
const THRESHOLDS: Record<string, { at: number; name: string }> = {
  downsize_underutilized: { at: 20, name: 'rule < 20 %' },
  upgrade_throttled: { at: 90, name: 'rule > 90 %' },
};

/** What the resource did lately. */
export function Usage({ of: one }: { of: Recommendation }) {
  const [days, setDays] = useState('14');
  const { data, error } = useQuery(samplesQuery(one.resource.id, Number(days), 'cpu_utilization,memory_utilization,network_in,network_out'));
  const shares = data?.series.filter(({ unit, points }) => unit === 'percent' && points.length > 0) ?? [];
  const network = data?.series.filter(({ unit, points }) => unit === 'bytes_per_second' && points.length > 0) ?? [];
  const points = data?.series.reduce((sum, series) => sum + series.data_points, 0) ?? 0;
  return (
    <Panel
      title="Utilization" note={data ? `${count(points)} samples in ${days} days, averaged to fit` : undefined}
      actions={<SegmentedControl size="xs" value={days} onChange={setDays} data={['7', '14', '30'].map((value) => ({ value, label: `${value} days` }))} aria-label="Period" />}
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={240} />}
      {data && shares.length + network.length === 0 && <Text size="sm" className="muted">No samples in this period.</Text>}
      {shares.length > 0 && <SampleChart label={`CPU utilization of ${one.resource.name} over ${days} days`} series={shares} threshold={THRESHOLDS[one.rule]} />}
      {network.length > 0 && <Space h="md" />}
      {network.length > 0 && <SampleChart label={`Network traffic of ${one.resource.name} over ${days} days`} series={network} height={150} />}
    </Panel>
  );
}
