import { useCallback } from 'react';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  label: string;
  days: { date: string; first: number; second: number }[];
  /** Names of the two parts of a bar. */
  names: [string, string];
  height?: number;
}

/** Flows by day, each bar in two parts. */
export function FlowBars({ label, days, names, height = 180 }: Props) {
  const option = useCallback(
    (ink: ChartColors) => ({
      ...basics(ink),
      color: [ink.accent, ink.alarm],
      legend: { data: names, top: 0, textStyle: { color: ink.text } },
      grid: { left: 4, right: 8, top: 30, bottom: 4, containLabel: true },
      xAxis: { type: 'time', minInterval: 86_400_000, ...axisOf(ink), splitLine: { show: false } },
      yAxis: { type: 'value', minInterval: 1, splitNumber: 3, ...axisOf(ink) },
      series: [
        { name: names[0], data: days.map(({ date, first }) => [Date.parse(date), first]) },
        { name: names[1], data: days.map(({ date, second }) => [Date.parse(date), second]) },
      ].map((part) => ({ ...part, type: 'bar', stack: 'flows', barMaxWidth: 20 })),
    }),
    [days, names],
  );
  return <Chart label={label} height={height} option={option} />;
}
