import { useCallback } from 'react';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  label: string;
  /** Names of the parts of a bar, the largest first. */
  waits: string[];
  points: { at: string; sessions: number[] }[];
  /** Time that a bar stands for, seconds. */
  step: number;
  height?: number;
}

/** Further colors than a chart usually needs: a load has nine parts. */
const FURTHER = ['#b5533c', '#3f7fb5', '#9a8f2a'];

/** Active sessions over time, stacked by what they wait for. A time without a reading has no bar. */
export function LoadBars({ label, waits, points, step, height = 260 }: Props) {
  const option = useCallback(
    (ink: ChartColors) => ({
      ...basics(ink),
      color: [...ink.series, ...FURTHER],
      tooltip: {
        ...basics(ink).tooltip,
        order: 'valueDesc',
        valueFormatter: (value: unknown) =>
          typeof value === 'number' ? `${value.toFixed(2)} sessions` : '',
      },
      grid: { left: 4, right: 8, top: 12, bottom: 4, containLabel: true },
      xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
      yAxis: {
        type: 'value',
        min: 0,
        splitNumber: 4,
        ...axisOf(ink),
      },
      series: waits.map((name, place) => ({
        type: 'bar',
        name,
        stack: 'load',
        barMaxWidth: 24,
        barCategoryGap: '8%',
        data: points.map(({ at, sessions }) => [Date.parse(at) + step * 500, sessions[place] ?? 0]),
      })),
    }),
    [waits, points, step],
  );
  return <Chart label={label} height={height} option={option} />;
}

/** Colors of the parts, for keys outside of the picture. */
export function loadColors(ink: ChartColors): string[] {
  return [...ink.series, ...FURTHER];
}
