import { useCallback } from 'react';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  label: string;
  points: { at: string; calls: number; mean_ms: number }[];
}

/** Calls of a statement as bars, and the mean time of a call as a line. */
export function QueryTrend({ label, points }: Props) {
  const option = useCallback(
    (ink: ChartColors) => {
      const unlined = { ...axisOf(ink), splitLine: { show: false } };
      return {
        ...basics(ink),
        legend: { top: 0, left: 0, itemWidth: 12, textStyle: { color: ink.muted, fontSize: 12 } },
        grid: { left: 4, right: 4, top: 30, bottom: 4, containLabel: true },
        xAxis: { type: 'time', ...unlined },
        yAxis: [
          { type: 'value', min: 0, splitNumber: 3, ...unlined },
          { type: 'value', min: 0, splitNumber: 3, ...axisOf(ink) },
        ],
        series: [
          {
            type: 'bar',
            name: 'Calls',
            barMaxWidth: 16,
            itemStyle: { color: ink.muted, opacity: 0.35 },
            data: points.map(({ at, calls }) => [Date.parse(at), calls]),
          },
          {
            type: 'line',
            name: 'Mean time, ms',
            yAxisIndex: 1,
            showSymbol: points.length < 3,
            itemStyle: { color: ink.accent },
            lineStyle: { width: 1.6, color: ink.accent },
            data: points.map(({ at, mean_ms }) => [Date.parse(at), mean_ms]),
          },
        ],
      };
    },
    [points],
  );
  return <Chart label={label} height={200} option={option} />;
}
