import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { useState, type KeyboardEvent, type RefObject } from 'react';
import { placeAfter, pointsOf, zoomedSpan, type ChartPoint } from './chart-points';

interface Props {
  label: string;
  height: number;
  chart: RefObject<EChartsType | null>;
  /** The option that is drawn now. */
  option: RefObject<EChartsCoreOption | null>;
}

/**
 * Reading and zooming a chart by keyboard. It is a slider along the x axis, because screen readers then pass the arrow keys on and say
 * the value at each place. It lies over the picture and leaves the pointer to it.
 */
export function ChartKeys({ label, height, chart, option }: Props) {
  const [points, setPoints] = useState<ChartPoint[]>([]);
  const [at, setAt] = useState<number>();
  const place = Math.min(at ?? 0, Math.max(0, points.length - 1));

  /** The places of what is drawn now: newer figures may have come since the last key. */
  const current = () => {
    const now = option.current ? pointsOf(option.current) : [];
    setPoints(now);
    return now;
  };
  const show = (all: ChartPoint[], to: number) => {
    const point = all[to];
    const drawn = chart.current;
    if (!point || !drawn) return;
    setAt(to);
    const span = spanOf(drawn);
    if (span && (point.x < span[0] || point.x > span[1])) zoom(all, to, 1);
    drawn.dispatchAction({
      type: 'showTip',
      x: drawn.convertToPixel({ xAxisIndex: 0 }, point.x),
      y: height / 2,
    });
  };
  const zoom = (all: ChartPoint[], to: number, factor: number) => {
    const [begin, here, end] = [all[0], all[to], all.at(-1)];
    const drawn = chart.current;
    if (!drawn || !begin || !here || !end) return;
    const whole: [number, number] = [begin.x, end.x];
    const span = zoomedSpan(spanOf(drawn) ?? whole, here.x, factor, whole);
    drawn.dispatchAction(
      span
        ? { type: 'dataZoom', startValue: span[0], endValue: span[1] }
        : { type: 'dataZoom', start: 0, end: 100 },
    );
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = current();
    const from = Math.min(at ?? all.length - 1, all.length - 1);
    const to = placeAfter(event.key, from, all.length);
    const factor = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
    if (to !== undefined) show(all, to);
    else if (factor) {
      zoom(all, from, factor);
      show(all, from);
    } else if (event.key === 'Escape') chart.current?.dispatchAction({ type: 'hideTip' });
    else return;
    event.preventDefault();
  };

  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`Values of ${label}`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, points.length - 1)}
      aria-valuenow={place}
      aria-valuetext={points[place]?.text ?? 'Arrow keys read the values, plus and minus zoom'}
      onFocus={() => {
        const all = current();
        show(all, Math.min(at ?? all.length - 1, all.length - 1));
      }}
      onBlur={() => chart.current?.dispatchAction({ type: 'hideTip' })}
      onKeyDown={press}
      style={{ position: 'absolute', inset: 0, pointerEvents: 'none' }}
    />
  );
}

/** The part of the x axis that is shown, where the chart can be zoomed. */
function spanOf(drawn: EChartsType): [number, number] | undefined {
  const [zoom] = (drawn.getOption().dataZoom ?? []) as { startValue?: number; endValue?: number }[];
  return zoom?.startValue !== undefined && zoom.endValue !== undefined
    ? [Number(zoom.startValue), Number(zoom.endValue)]
    : undefined;
}
