import { useCallback } from 'react';
import type { Reading, Series } from '../api/bodies';
import { measured } from '../display/amounts';
import { words } from '../display/wording';
import { Chart } from './Chart';
import { axisOf, basics, type Ink } from './ink';

interface Props {
  label: string;
  series: Series;
  /** The strangest point, with what was expected then. */
  reading: Reading;
  /** First and last strange point. */
  began: string;
  last: string;
}

/** What was observed, the strange span, and in it the value that was expected with its usual band. */
export function AnomalyChart({ label, series, reading, began, last }: Props) {
  const option = useCallback((ink: Ink) => optionOf(ink, { series, reading, began, last }), [series, reading, began, last]);
  return <Chart label={label} height={280} option={option} />;
}

/** A span too short to be seen is drawn this wide: a share of what is shown. */
const LEAST_SHARE = 0.03;

export function drawnSpan(series: Series, began: string, last: string): [number, number] {
  const [from, to] = [new Date(began).getTime(), new Date(last).getTime()];
  const shown = (series.points.at(-1)?.[0] ?? to) - (series.points[0]?.[0] ?? from);
  const missing = Math.max(0, shown * LEAST_SHARE - (to - from));
  return [from - missing / 2, to + missing / 2];
}

function optionOf(ink: Ink, { series, reading, began, last }: Omit<Props, 'label'>) {
  const { unit } = series;
  const format = (value: unknown) => (typeof value === 'number' ? measured(value, unit) : '');
  const [from, to] = drawnSpan(series, began, last);
  // Nothing that is measured here goes below nothing; a band that does is cut off where the axis begins.
  const low = Math.max(0, reading.low);
  const top = Math.max(reading.value, reading.high, ...series.points.map((point) => point[1] ?? 0));
  return {
    ...basics(ink),
    color: ink.series,
    grid: { left: 8, right: 16, top: 14, bottom: 4, containLabel: true },
    tooltip: { ...basics(ink).tooltip, valueFormatter: format },
    xAxis: { type: 'time', ...axisOf(ink), splitLine: { show: false } },
    yAxis: { type: 'value', min: 0, max: unit === 'percent' && top <= 100 ? 100 : undefined, interval: unit === 'percent' && top <= 100 ? 25 : undefined, splitNumber: 4, ...axisOf(ink), axisLabel: { ...axisOf(ink).axisLabel, formatter: format } },
    dataZoom: [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true }],
    series: [{
      type: 'line', name: words(series.metric), data: series.points, showSymbol: false, lineStyle: { width: 1.4 },
      markArea: {
        silent: true,
        data: [
          [{ xAxis: from, itemStyle: { color: ink.alarm, opacity: 0.07 } }, { xAxis: to }],
          [{ coord: [from, low], itemStyle: { color: ink.band, opacity: 0.35 } }, { coord: [to, reading.high] }],
        ],
      },
      markLine: {
        silent: true, symbol: 'none', label: { show: false },
        lineStyle: { color: ink.text, type: 'dashed', width: 1.4 },
        data: [[{ coord: [from, reading.expected] }, { coord: [to, reading.expected] }]],
      },
      markPoint: {
        silent: true, symbol: 'circle', symbolSize: 11, label: { show: false },
        itemStyle: { color: ink.alarm, borderColor: ink.surface, borderWidth: 2 },
        data: [{ coord: [new Date(reading.at).getTime(), reading.value] }],
      },
    }],
  };
}
