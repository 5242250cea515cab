import { useCallback } from 'react';
import type { Model } from '../../api/bodies';
import { Chart } from '../../charts/Chart';
import { axisOf, basics, type ChartColors } from '../../charts/chart-colors';
import { percent } from '../../display/amounts';

interface Props {
  label: string;
  /** Every kept version, in any order. */
  versions: Model[];
  /** Below this, percent, the model is retrained. */
  threshold: number;
}

/** Accuracy and F1 of each version, with the line below which it is retrained. */
export function AccuracyChart({ label, versions, threshold }: Props) {
  const option = useCallback(
    (ink: ChartColors) => {
      const sorted = [...versions].sort((a, b) => a.version - b.version);
      return {
        ...basics(ink),
        color: ink.series,
        grid: { left: 8, right: 16, top: 34, bottom: 4, containLabel: true },
        legend: {
          top: 0,
          left: 0,
          icon: 'roundRect',
          itemWidth: 12,
          itemHeight: 3,
          textStyle: { color: ink.muted, fontSize: 12 },
        },
        tooltip: {
          ...basics(ink).tooltip,
          valueFormatter: (value: unknown) => (typeof value === 'number' ? percent(value) : ''),
        },
        xAxis: {
          type: 'category',
          data: sorted.map(({ version }) => `Version ${version}`),
          ...axisOf(ink),
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          min: 0,
          max: 100,
          interval: 25,
          ...axisOf(ink),
          axisLabel: { ...axisOf(ink).axisLabel, formatter: percent },
        },
        series: [
          {
            type: 'line',
            name: 'Accuracy',
            data: sorted.map(({ accuracy }) => accuracy),
            symbolSize: 7,
            markLine: {
              silent: true,
              symbol: 'none',
              lineStyle: { color: ink.alarm, type: 'dashed', width: 1.2 },
              label: {
                formatter: 'retrained',
                color: ink.alarm,
                fontSize: 11,
                position: 'insideStartBottom',
              },
              data: [{ yAxis: threshold }],
            },
          },
          { type: 'line', name: 'F1', data: sorted.map(({ f1 }) => f1), symbolSize: 7 },
        ],
      };
    },
    [versions, threshold],
  );
  return <Chart label={label} height={220} option={option} />;
}
