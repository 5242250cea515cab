import { useCallback } from 'react';
import { Chart } from '../../charts/Chart';
import { axisOf, basics, type ChartColors } from '../../charts/chart-colors';
import { moneyOf, percent } from '../../display/amounts';
import { running } from './running-totals';
import type { Budget } from './queries';

/** The next half of a power of ten: an axis that ends elsewhere labels its end beside its last step. */
function roundedUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(value, 1))) / 2;
  return Math.ceil(value / step) * step;
}

/** What was spent day by day, added up, what is expected, and the thresholds. */
export function BudgetChart({ budget }: { budget: Budget }) {
  const option = useCallback((ink: ChartColors) => optionOf(ink, budget), [budget]);
  const { standing } = budget;
  const label = `${budget.name}: ${moneyOf(standing?.spent, budget.currency)} spent of ${moneyOf(budget.amount, budget.currency)}${standing?.forecast == null ? '' : `, ${moneyOf(standing.forecast, budget.currency)} expected`}`;
  return <Chart label={label} height={320} option={option} />;
}

function optionOf(ink: ChartColors, { amount, currency, standing, thresholds }: Budget) {
  const money = (value: number) => moneyOf(value, currency);
  const { spent, expected } = running(
    standing?.days ?? [],
    standing?.ahead ?? [],
    standing?.data_until ?? undefined,
  );
  const actual = [...new Set(thresholds.map(({ percent: share }) => share))];
  const line = (name: string, data: [string, number][], more: object) => ({
    type: 'line',
    name,
    data,
    showSymbol: data.length === 1,
    ...more,
  });
  return {
    ...basics(ink),
    grid: { left: 8, right: 18, top: 46, bottom: 4, containLabel: true },
    legend: {
      top: 0,
      left: 0,
      icon: 'roundRect',
      itemWidth: 12,
      itemHeight: 3,
      textStyle: { color: ink.muted, fontSize: 12 },
      data: ['Spent', 'Forecast'],
    },
    tooltip: {
      ...basics(ink).tooltip,
      valueFormatter: (value: unknown) => (typeof value === 'number' ? money(value) : ''),
    },
    xAxis: {
      type: 'time',
      min: standing?.period_start,
      max: standing?.period_end,
      ...axisOf(ink),
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      min: 0,
      splitNumber: 4,
      ...axisOf(ink),
      axisLabel: { ...axisOf(ink).axisLabel, formatter: money },
      max: ({ max }: { max: number }) => roundedUp(Math.max(max, amount) * 1.05),
    },
    series: [
      line('Spent', spent, {
        color: ink.series[0],
        lineStyle: { width: 2 },
        areaStyle: { opacity: 0.12 },
        markLine: {
          silent: true,
          symbol: 'none',
          data: actual.map((share) => ({
            yAxis: (amount * share) / 100,
            lineStyle: { color: share >= 100 ? ink.alarm : ink.muted, type: 'dashed', width: 1 },
            label: {
              formatter: percent(share),
              color: share >= 100 ? ink.alarm : ink.muted,
              fontSize: 11,
              position: 'insideStartTop',
            },
          })),
        },
      }),
      line('Forecast', expected, { color: ink.band, lineStyle: { width: 1.8, type: 'dashed' } }),
    ],
  };
}
