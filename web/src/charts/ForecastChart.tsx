import { useCallback } from 'react';
import type { Prediction } from '../api/bodies';
import { measured } from '../display/amounts';
import { fullTime } from '../display/instants';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

interface Props {
  label: string;
  unit: string;
  /** Observations before, `[ms since the epoch, value]`; may be empty. */
  observed: number[][];
  of: Pick<Prediction, 'forecast' | 'limit' | 'expected_at' | 'at'>;
  /** What the limit is called. */
  limitName: string;
}

/** Observations, what is forecast with its band (nine in ten), and the line that decides. */
export function ForecastChart({ label, unit, observed, of, limitName }: Props) {
  const option = useCallback(
    (ink: ChartColors) => optionOf(ink, { unit, observed, of, limitName }),
    [unit, observed, of, limitName],
  );
  return <Chart label={label} height={300} option={option} />;
}

/** The line that decides is drawn only where it does not press everything else flat. */
const FLAT = 8;

export function limitFits(limit: number | null | undefined, values: number[]): boolean {
  if (limit == null || values.length === 0) return false;
  const top = Math.max(...values.map(Math.abs));
  return Math.abs(limit) <= FLAT * Math.max(top, Number.EPSILON);
}

type Point = [at: number, value: number];

function optionOf(ink: ChartColors, { unit, observed, of, limitName }: Omit<Props, 'label'>) {
  const format = (value: number) => measured(value, unit);
  const steps = of.forecast.map(({ at, p05, p50, p95 }) => ({
    at: new Date(at).getTime(),
    low: Math.max(0, p05),
    mid: p50,
    high: Math.max(0, p95),
  }));
  const drawn = limitFits(of.limit, [
    ...observed.map((point) => point[1] ?? 0),
    ...steps.flatMap(({ low, high }) => [low, high]),
  ]);
  const line = (name: string, data: Point[], more: object) => ({
    type: 'line',
    name,
    data,
    showSymbol: false,
    lineStyle: { width: 1.5 },
    ...more,
  });
  const hidden = { lineStyle: { opacity: 0 }, stack: 'band', silent: true };
  const when = of.expected_at ? new Date(of.expected_at).getTime() : undefined;
  const decided = new Date(of.at).getTime();
  const shown = when !== undefined && when > decided && when <= (steps.at(-1)?.at ?? 0);
  const mark = (at: number | undefined, name: string, colour: string, type: string) => ({
    xAxis: at,
    lineStyle: { color: colour, type, width: 1.2 },
    label: { formatter: name, color: colour, fontSize: 11, rotate: 0, position: 'end' },
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
      data: ['Observed', 'Forecast'],
    },
    tooltip: { ...basics(ink).tooltip, formatter: (given: unknown) => tip(given, steps, format) },
    xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
    yAxis: {
      type: 'value',
      min: 0,
      max: unit === 'percent' ? 100 : undefined,
      interval: unit === 'percent' ? 25 : undefined,
      splitNumber: 4,
      ...axisOf(ink),
      axisLabel: { ...axisOf(ink).axisLabel, formatter: format },
    },
    series: [
      line('Observed', observed as Point[], {
        color: ink.series[0],
        sampling: 'lttb',
        markLine: {
          silent: true,
          symbol: 'none',
          data: [
            mark(decided, 'decided', ink.muted, 'solid'),
            ...(shown ? [mark(when, 'expected', ink.alarm, 'dotted')] : []),
          ],
        },
      }),
      line(
        'low',
        steps.map(({ at, low }) => [at, low]),
        hidden,
      ),
      line(
        'band',
        steps.map(({ at, low, high }) => [at, high - low]),
        { ...hidden, areaStyle: { color: ink.band, opacity: 0.28 } },
      ),
      line(
        'Forecast',
        steps.map(({ at, mid }) => [at, mid]),
        {
          color: ink.band,
          lineStyle: { width: 1.8, type: 'dashed' },
          markLine: drawn
            ? {
                silent: true,
                symbol: 'none',
                lineStyle: { color: ink.alarm, type: 'dashed', width: 1.2 },
                label: {
                  formatter: limitName,
                  color: ink.alarm,
                  fontSize: 11,
                  position: 'insideStartTop',
                },
                data: [{ yAxis: of.limit }],
              }
            : undefined,
        },
      ),
    ],
  };
}

interface Drawn {
  seriesName?: string;
  value?: Point;
}

/** The tooltip names the band by its ends, not by the differences it is stacked of. */
function tip(
  given: unknown,
  steps: { at: number; low: number; mid: number; high: number }[],
  format: (value: number) => string,
): string {
  const all = (Array.isArray(given) ? given : [given]) as Drawn[];
  const at = all[0]?.value?.[0];
  if (at === undefined) return '';
  const lines = [`<b>${fullTime(new Date(at).toISOString())}</b>`];
  const seen = all.find(({ seriesName }) => seriesName === 'Observed')?.value?.[1];
  if (seen !== undefined) lines.push(`Observed ${format(seen)}`);
  const step = steps.find((one) => one.at === at);
  if (step)
    lines.push(`Forecast ${format(step.mid)}`, `90 %: ${format(step.low)} to ${format(step.high)}`);
  return lines.join('<br>');
}
