import { useCallback } from 'react';
import type { Count } from '../api/bodies';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

/** How many, by hour or day. */
export function TimeBars({
  label,
  counts,
  height = 180,
}: {
  label: string;
  counts: Count[];
  height?: number;
}) {
  const option = useCallback(
    (ink: ChartColors) => ({
      ...basics(ink),
      grid: { left: 4, right: 8, top: 10, bottom: 4, containLabel: true },
      xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
      yAxis: { type: 'value', minInterval: 1, splitNumber: 3, ...axisOf(ink) },
      series: [
        {
          type: 'bar',
          name: 'Entries',
          data: counts.map(({ value, count }) => [new Date(value).getTime(), count]),
          itemStyle: { color: ink.accent, borderRadius: [2, 2, 0, 0] },
          barMaxWidth: 20,
        },
      ],
    }),
    [counts],
  );
  return <Chart label={label} height={height} option={option} />;
}
