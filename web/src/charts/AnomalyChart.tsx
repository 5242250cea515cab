import { useCallback } from 'react';
import type { Reading } from '../api/bodies';
import type { components } from '../api/schema';
import { measured } from '../display/amounts';
import { words } from '../display/wording';
import { Chart } from './Chart';
import { axisOf, basics, type ChartColors } from './chart-colors';

type Course = components['schemas']['AnomalyCourseBody'];

interface Props {
  label: string;
  /** Point by point, with what was expected. */
  course: Course;
  /** The strangest point, with what was expected then. */
  reading: Reading;
  /** First and last strange point. */
  began: string;
  last: string;
}

/** Where the resource was changed: by Reeve from one moment to another, by others somewhere between the two. */
export function changedSpans({
  changes,
  points,
}: Pick<Course, 'changes' | 'points'>): [number, number][] {
  const shown = [points.at(0)?.at, points.at(-1)?.at].map((at) =>
    at ? new Date(at).getTime() : NaN,
  );
  const [first = NaN, last = NaN] = shown;
  return changes
    .map(({ from, to }): [number, number] => [
      Math.max(first, new Date(from).getTime()),
      Math.min(last, new Date(to).getTime()),
    ])
    .filter(([from, to]) => from <= to);
}

/** Observations in its usual band, what was expected, the strange span, and where the resource was changed. */
export function AnomalyChart({ label, course, reading, began, last }: Props) {
  const option = useCallback(
    (ink: ChartColors) => optionOf(ink, { course, reading, began, last }),
    [course, reading, began, last],
  );
  return <Chart label={label} height={280} option={option} />;
}

/** A span too short to be seen is drawn this wide: a share of what is shown. */
const LEAST_SHARE = 0.03;

export function drawnSpan(
  { points }: Pick<Course, 'points'>,
  began: string,
  last: string,
): [number, number] {
  const [from, to] = [new Date(began).getTime(), new Date(last).getTime()];
  const at = (index: number, otherwise: number) =>
    new Date(points.at(index)?.at ?? otherwise).getTime();
  const shown = at(-1, to) - at(0, from);
  const missing = Math.max(0, shown * LEAST_SHARE - (to - from));
  return [from - missing / 2, to + missing / 2];
}

/** Nothing that is measured here goes below nothing, and no percentage beyond a hundred; a band that does is cut off there. */
export function bandOf({ unit, points }: Pick<Course, 'unit' | 'points'>): {
  low: [number, number][];
  height: [number, number][];
} {
  const cut = (value: number) => Math.max(0, unit === 'percent' ? Math.min(100, value) : value);
  const low = points.map((point): [number, number] => [
    new Date(point.at).getTime(),
    cut(point.low),
  ]);
  return {
    low,
    height: points.map((point, index): [number, number] => [
      new Date(point.at).getTime(),
      cut(point.high) - (low[index]?.[1] ?? 0),
    ]),
  };
}

function optionOf(ink: ChartColors, { course, reading, began, last }: Omit<Props, 'label'>) {
  const { unit, points } = course;
  const format = (value: unknown) => (typeof value === 'number' ? measured(value, unit) : '');
  const [from, to] = drawnSpan(course, began, last);
  const { low, height } = bandOf(course);
  const line = (pick: (point: Course['points'][number]) => number) =>
    points.map((point) => [new Date(point.at).getTime(), pick(point)]);
  const top = Math.max(reading.value, ...points.map((point) => Math.max(point.value, point.high)));
  // Percentages of a few in a hundred are drawn large enough to be seen.
  const whole = unit === 'percent' && top > 20 && top <= 100;
  const silent = {
    type: 'line',
    stack: 'band',
    showSymbol: false,
    silent: true,
    lineStyle: { width: 0 },
    tooltip: { show: false },
  };
  return {
    ...basics(ink),
    color: ink.series,
    grid: { left: 8, right: 16, top: 14, bottom: 4, containLabel: true },
    tooltip: { ...basics(ink).tooltip, valueFormatter: format },
    xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
    yAxis: {
      type: 'value',
      min: 0,
      max: whole ? 100 : undefined,
      interval: whole ? 25 : undefined,
      splitNumber: 4,
      ...axisOf(ink),
      axisLabel: { ...axisOf(ink).axisLabel, formatter: format },
    },
    series: [
      { ...silent, name: 'Usual from', data: low },
      { ...silent, name: 'Usual to', data: height, areaStyle: { color: ink.band, opacity: 0.25 } },
      {
        type: 'line',
        name: 'Expected',
        data: line((point) => Math.max(0, point.expected)),
        showSymbol: false,
        color: ink.text,
        lineStyle: { width: 1, type: 'dashed', color: ink.text },
      },
      {
        type: 'line',
        name: words(course.metric),
        data: line((point) => point.value),
        showSymbol: false,
        color: ink.series[0],
        lineStyle: { width: 1.4 },
        markArea: {
          silent: true,
          data: [[{ xAxis: from, itemStyle: { color: ink.alarm, opacity: 0.07 } }, { xAxis: to }]],
        },
        markLine: {
          silent: true,
          symbol: 'none',
          label: { show: false },
          lineStyle: { color: ink.text, width: 1, type: 'dotted' },
          data: changedSpans(course).flatMap((span) =>
            [...new Set(span)].map((xAxis) => ({ xAxis })),
          ),
        },
        markPoint: {
          silent: true,
          symbol: 'circle',
          symbolSize: 11,
          label: { show: false },
          itemStyle: { color: ink.alarm, borderColor: ink.surface, borderWidth: 2 },
          data: [{ coord: [new Date(reading.at).getTime(), reading.value] }],
        },
      },
    ],
  };
}
