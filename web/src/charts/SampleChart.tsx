import { useCallback } from 'react';
import type { Series } from '../api/bodies';
import { measured } from '../display/amounts';
import { words } from '../display/wording';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  label: string;
  /** All of one unit. */
  series: Series[];
  threshold?: { at: number; name: string };
  height?: number;
}

/** Metrics over time, with the line that a rule draws. */
export function SampleChart({ label, series, threshold, height = 240 }: Props) {
  const unit = series[0]?.unit ?? 'count';
  const thresholdAt = threshold?.at;
  const thresholdName = threshold?.name;
  const option = useCallback(
    (ink: ChartColors) => ({
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
        valueFormatter: (value: unknown) =>
          typeof value === 'number' ? measured(value, unit) : '',
      },
      xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
      yAxis: {
        type: 'value',
        min: 0,
        max: unit === 'percent' ? 100 : undefined,
        interval: unit === 'percent' ? 25 : undefined,
        splitNumber: height < 180 ? 2 : 4,
        ...axisOf(ink),
        axisLabel: {
          ...axisOf(ink).axisLabel,
          formatter: (value: number) => measured(value, unit),
        },
      },
      series: series.map((one, index) => ({
        type: 'line',
        name: words(one.metric),
        data: one.points,
        showSymbol: false,
        sampling: 'lttb',
        lineStyle: { width: 1.4 },
        areaStyle: series.length === 1 ? { opacity: 0.1 } : undefined,
        markLine:
          index === 0 && thresholdAt !== undefined
            ? {
                silent: true,
                symbol: 'none',
                lineStyle: { color: ink.alarm, type: 'dashed', width: 1.2 },
                label: {
                  formatter: thresholdName,
                  color: ink.alarm,
                  fontSize: 11,
                  position: 'insideEndTop',
                  backgroundColor: ink.surface,
                  padding: [1, 4],
                  borderRadius: 3,
                },
                data: [{ yAxis: thresholdAt }],
              }
            : undefined,
      })),
    }),
    [series, unit, height, thresholdAt, thresholdName],
  );
  return <Chart label={label} height={height} option={option} />;
}
