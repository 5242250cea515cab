// The part of a chart's time axis that is shown.
import type { EChartsCoreOption } from 'echarts/core';

export interface Range {
  /** Percentages of the axis. */
  start: number;
  end: number;
}

/** Adds what zooms: Ctrl and the wheel, two fingers, and (switched on where there is a mouse) dragging across the chart. */
export function zoomable(option: EChartsCoreOption): EChartsCoreOption {
  if (!option.xAxis) return option;
  return {
    dataZoom: [
      { type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false, moveOnMouseWheel: false },
    ],
    // Its buttons are out of sight: it brings the selection by dragging.
    toolbox: { itemSize: 0, top: -20, feature: { dataZoom: { yAxisIndex: 'none' } } },
    ...option,
  };
}

/** The range that a drawn chart shows. */
export function rangeOf(drawn: EChartsCoreOption): Range | null {
  const [zoom] = (drawn.dataZoom ?? []) as Partial<Range>[];
  return zoom?.start !== undefined && zoom.end !== undefined
    ? { start: zoom.start, end: zoom.end }
    : null;
}

/** Returns `true` if nothing is cut off, apart from what rounding leaves. */
export function isWhole(range: Range | null): boolean {
  return !range || (range.start < 0.01 && range.end > 99.99);
}
