// The values of a chart in words, place by place along its x axis, for those who read it by keyboard.
import type { EChartsCoreOption } from 'echarts/core';
import { shortTime } from '../display/instants';

export interface ChartPoint {
  /** Place on the x axis: ms since the epoch, a number, or the index of a category. */
  x: number;
  text: string;
}

type Format = (value: unknown) => string;

interface Drawn {
  name?: string;
  data?: unknown[];
  silent?: boolean;
  tooltip?: { show?: boolean; valueFormatter?: Format };
}

interface Axis {
  type?: string;
  data?: string[];
}

interface Tooltip {
  valueFormatter?: Format;
  formatter?: (given: unknown) => string;
  axisPointer?: { label?: { formatter?: (given: { value: number }) => string } };
}

const first = <One>(of: One | One[] | undefined): One | undefined =>
  Array.isArray(of) ? of[0] : of;

/** The places of a chart's x axis, in order. Series that carry no value of their own, such as the edges of a band, are left out. */
export function pointsOf(option: EChartsCoreOption): ChartPoint[] {
  const axis = (first(option.xAxis) ?? {}) as Axis;
  const tooltip = (first(option.tooltip) ?? {}) as Tooltip;
  const places = new Map<number, { series: Drawn; value: number }[]>();
  for (const series of (option.series ?? []) as Drawn[]) {
    if (series.silent || series.tooltip?.show === false) continue;
    (series.data ?? []).forEach((item, index) => {
      const [x, value] = (Array.isArray(item) ? item : [index, item]) as [unknown, unknown];
      const at = typeof x === 'string' ? Date.parse(x) : x;
      if (typeof at !== 'number' || Number.isNaN(at) || typeof value !== 'number') return;
      const here = places.get(at);
      if (here) here.push({ series, value });
      else places.set(at, [{ series, value }]);
    });
  }
  return [...places]
    .sort(([a], [b]) => a - b)
    .map(([x, values]) => ({
      x,
      text: tooltip.formatter
        ? withoutTags(
            tooltip.formatter(
              values.map(({ series, value }) => ({ seriesName: series.name, value: [x, value] })),
            ),
          )
        : `${placeInWords(x, axis, tooltip)}: ${values.map((one) => valueInWords(one, tooltip)).join(', ')}`,
    }));
}

function placeInWords(x: number, { type, data }: Axis, { axisPointer }: Tooltip): string {
  if (type === 'category') return data?.[x] ?? String(x);
  if (type === 'time') return shortTime(new Date(x).toISOString());
  return axisPointer?.label?.formatter?.({ value: x }) ?? String(x);
}

function valueInWords(
  { series, value }: { series: Drawn; value: number },
  { valueFormatter }: Tooltip,
) {
  const format = series.tooltip?.valueFormatter ?? valueFormatter ?? String;
  return [series.name, format(value)].filter(Boolean).join(' ');
}

/** The text of a tooltip that is written in HTML. */
function withoutTags(html: string): string {
  return html.replace(/<br\s*\/?>/g, ', ').replace(/<[^>]*>/g, '');
}

/** The place that a key leads to from another, of so many; nothing for other keys. */
export function placeAfter(key: string, at: number, places: number): number | undefined {
  const page = Math.max(1, Math.round(places / 10));
  const to: Record<string, number> = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + page,
    PageDown: at - page,
    Home: 0,
    End: places - 1,
  };
  const place = to[key];
  return place === undefined ? undefined : Math.min(places - 1, Math.max(0, place));
}

/** The span of the x axis after zooming by a factor around a place, within the whole; nothing where the whole is shown. */
export function zoomedSpan(
  [from, to]: [number, number],
  around: number,
  factor: number,
  [first, last]: [number, number],
): [number, number] | undefined {
  const width = (to - from) * factor;
  if (width >= last - first) return undefined;
  const start = Math.min(Math.max(first, around - width / 2), last - width);
  return [start, start + width];
}
