import { useCallback } from 'react';
import { Chart } from '../../../charts/Chart';
import { axisOf, basics, type ChartColors } from '../../../charts/chart-colors';

interface Line {
  name: string;
  data: [string, number][];
}

/** Lines over the window of an objective, with the limit that they are compared with. */
export function ObjectiveChart({
  label,
  lines,
  limit,
  format,
}: {
  label: string;
  lines: Line[];
  limit: { at: number; name: string };
  format: (value: number) => string;
}) {
  const { at, name } = limit;
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
        valueFormatter: (value: unknown) => (typeof value === 'number' ? format(value) : ''),
      },
      xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
      yAxis: {
        type: 'value',
        splitNumber: 4,
        // The limit is always in sight.
        min: ({ min }: { min: number }) => Math.min(0, min, at),
        max: ({ max }: { max: number }) => Math.max(max, at) * 1.05,
        ...axisOf(ink),
        axisLabel: { ...axisOf(ink).axisLabel, formatter: format, showMaxLabel: false },
      },
      series: lines.map((line, index) => ({
        type: 'line',
        name: line.name,
        data: line.data,
        showSymbol: line.data.length === 1,
        lineStyle: { width: 1.6 },
        markLine:
          index === 0
            ? {
                silent: true,
                symbol: 'none',
                lineStyle: { color: ink.alarm, type: 'dashed', width: 1.2 },
                label: {
                  formatter: name,
                  color: ink.alarm,
                  fontSize: 11,
                  position: 'insideEndTop',
                  backgroundColor: ink.surface,
                  padding: [1, 4],
                },
                data: [{ yAxis: at }],
              }
            : undefined,
      })),
    }),
    [lines, at, name, format],
  );
  return <Chart label={label} height={260} option={option} />;
}
