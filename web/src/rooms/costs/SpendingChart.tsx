import { useCallback } from 'react';
import { Chart } from '../../charts/Chart';
import { axisOf, basics, type ChartColors } from '../../charts/chart-colors';
import { moneyOf } from '../../display/amounts';
import type { Spending } from './queries';
import { daysFrom, nameOf } from './spending-search';

/** Groups that have a colour of their own; the rest is one. */
const COLOURED = 5;

/** What each day cost, the most expensive groups in colours. */
export function SpendingChart({ of: spending, by }: { of: Spending; by: string }) {
  const option = useCallback((ink: ChartColors) => optionOf(ink, spending, by), [spending, by]);
  const label = `${moneyOf(spending.all.total, spending.currency)} from ${spending.first_day} to ${spending.last_day}, by day`;
  return <Chart label={label} height={300} option={option} />;
}

function optionOf(ink: ChartColors, spending: Spending, by: string) {
  const money = (value: number) => moneyOf(value, spending.currency);
  const days = daysFrom(spending.first_day, spending.all.days.length);
  const shown = spending.groups.slice(0, COLOURED);
  const rest = spending.all.days.map(
    (all, day) => all - shown.reduce((sum, group) => sum + (group.days[day] ?? 0), 0),
  );
  const bars = (name: string, amounts: number[], color: string | undefined) => ({
    type: 'bar',
    stack: 'day',
    name,
    color,
    barMaxWidth: 28,
    data: amounts.map((amount, day) => [days[day], Math.round(amount * 100) / 100]),
  });
  const named = shown.map((group, place) => bars(nameOf(group, by), group.days, ink.series[place]));
  const all =
    spending.groups.length > COLOURED
      ? [...named, bars('Others', rest, ink.series[COLOURED])]
      : named;
  return {
    ...basics(ink),
    grid: { left: 8, right: 12, top: 46, bottom: 4, containLabel: true },
    legend: {
      type: 'scroll',
      top: 0,
      left: 0,
      icon: 'roundRect',
      itemWidth: 12,
      itemHeight: 8,
      textStyle: { color: ink.muted, fontSize: 12, width: 160, overflow: 'truncate' },
      data: all.map(({ name }) => name),
    },
    tooltip: {
      ...basics(ink).tooltip,
      valueFormatter: (value: unknown) => (typeof value === 'number' ? money(value) : ''),
    },
    xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
    yAxis: {
      type: 'value',
      splitNumber: 4,
      ...axisOf(ink),
      axisLabel: { ...axisOf(ink).axisLabel, formatter: money },
    },
    series: all,
  };
}
