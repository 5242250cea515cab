import { useCallback } from 'react';
import { percent } from '../display/amounts';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  points: { day: string; score: number | null }[];
  height?: number;
}

/** The score of a framework at the end of each day, in percent; days without a result are left out. */
export function ScoreChart({ points, height = 180 }: Props) {
  const option = useCallback(
    (ink: ChartColors) => {
      const data = points
        .filter((point) => point.score !== null)
        .map((point) => [Date.parse(point.day), point.score]);
      return {
        ...basics(ink),
        color: [ink.accent],
        grid: { left: 8, right: 16, top: 10, bottom: 4, containLabel: true },
        tooltip: {
          ...basics(ink).tooltip,
          valueFormatter: (value: unknown) => (typeof value === 'number' ? percent(value) : ''),
        },
        xAxis: {
          type: 'time',
          minInterval: 86_400_000,
          ...axisOf(ink),
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          min: 0,
          max: 100,
          interval: 25,
          ...axisOf(ink),
          axisLabel: { ...axisOf(ink).axisLabel, formatter: (value: number) => percent(value) },
        },
        series: [
          {
            type: 'line',
            name: 'Score',
            step: 'end',
            data,
            showSymbol: data.length === 1,
            symbolSize: 5,
            lineStyle: { width: 1.8 },
            areaStyle: { opacity: 0.12 },
          },
        ],
      };
    },
    [points],
  );
  return <Chart label="Score at the end of each day" height={height} option={option} />;
}
