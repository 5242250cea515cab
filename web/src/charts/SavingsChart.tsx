import { useCallback } from 'react';
import type { Dashboard } from '../api/bodies';
import { money } from '../display/amounts';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';
import { stepsOf } from './savings-steps';

interface Props {
  points: Dashboard['savings_history'];
  height?: number;
}

/** Savings a month of all changes up to the end of each day: a dashed line for what was predicted, an area for what was measured. */
export function SavingsChart({ points, height = 220 }: Props) {
  const option = useCallback(
    (ink: ChartColors) => {
      const today = Date.now();
      const line = (name: string, of: (point: Props['points'][number]) => number) => ({
        type: 'line',
        name,
        step: 'end',
        data: stepsOf(
          points.map((point) => ({ day: point.day, dollars: of(point) })),
          today,
        ),
        showSymbol: false,
      });
      return {
        ...basics(ink),
        color: [ink.band, ink.accent],
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
            typeof value === 'number' ? `${money(value)} a month` : '',
        },
        xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
        yAxis: {
          type: 'value',
          splitNumber: 3,
          ...axisOf(ink),
          axisLabel: { ...axisOf(ink).axisLabel, formatter: (value: number) => money(value) },
        },
        series: [
          {
            ...line('Predicted', (point) => point.predicted_monthly),
            lineStyle: { width: 1.6, type: 'dashed' },
          },
          {
            ...line('Measured', (point) => point.measured_monthly),
            lineStyle: { width: 1.8 },
            areaStyle: { opacity: 0.12 },
          },
        ],
      };
    },
    [points],
  );
  return (
    <Chart
      label="Predicted and measured savings a month, over time"
      height={height}
      option={option}
    />
  );
}
