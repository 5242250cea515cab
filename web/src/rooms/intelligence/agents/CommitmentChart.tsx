import { useCallback } from 'react';
import type { Portfolio } from '../../../api/bodies';
import { Chart } from '../../../charts/Chart';
import { axisOf, basics, type ChartColors } from '../../../charts/chart-colors';
import { money, percent } from '../../../display/amounts';

/** Chart of what each level of a commitment would have covered, used and saved, with the safe and the best level marked. */
export function CommitmentChart({ portfolio }: { portfolio: Portfolio }) {
  const option = useCallback(
    (ink: ChartColors) => {
      const { levels, safe, best } = portfolio;
      const line = (name: string, value: (level: Portfolio['safe']) => number, more: object) => ({
        type: 'line',
        name,
        showSymbol: false,
        data: levels.map((level) => [level.hourly, value(level)]),
        ...more,
      });
      const mark = (level: Portfolio['safe'], formatter: string) => ({
        xAxis: level.hourly,
        label: { formatter, color: ink.text, fontSize: 11, position: 'insideEndTop' },
      });
      const marks =
        best.hourly === safe.hourly
          ? [mark(safe, 'safe and best')]
          : [mark(safe, 'safe'), mark(best, 'best')];
      const axis = (name: string, formatter: (value: number) => string) => ({
        type: 'value',
        name,
        nameTextStyle: { color: ink.muted, fontSize: 11 },
        ...axisOf(ink),
        axisLabel: { ...axisOf(ink).axisLabel, formatter },
      });
      return {
        ...basics(ink),
        color: ink.series,
        grid: { left: 8, right: 12, top: 58, bottom: 24, containLabel: true },
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
          axisPointer: {
            ...basics(ink).tooltip.axisPointer,
            label: { formatter: ({ value }: { value: number }) => `${money(value)} an hour` },
          },
        },
        xAxis: {
          ...axis('Commitment an hour', money),
          nameLocation: 'middle',
          nameGap: 26,
          min: 0,
          max: levels.at(-1)?.hourly,
          splitLine: { show: false },
        },
        yAxis: [
          { ...axis('Share', percent), min: 0, max: 100, interval: 25 },
          { ...axis('Saving a month', money), splitLine: { show: false } },
        ],
        series: [
          line('Coverage', (level) => level.coverage_percent, {
            tooltip: { valueFormatter: percent },
          }),
          line('Utilization', (level) => level.utilisation_percent, {
            tooltip: { valueFormatter: percent },
          }),
          line('Saving a month', (level) => level.savings_monthly, {
            yAxisIndex: 1,
            areaStyle: { opacity: 0.12 },
            tooltip: { valueFormatter: money },
            markLine: {
              silent: true,
              symbol: 'none',
              lineStyle: { color: ink.accent, type: 'dashed', width: 1.2 },
              data: marks,
            },
          }),
        ],
      };
    },
    [portfolio],
  );
  return (
    <Chart label={`Levels of a commitment for ${portfolio.account}`} height={280} option={option} />
  );
}
