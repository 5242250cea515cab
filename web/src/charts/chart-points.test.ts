import { describe, expect, it } from 'vitest';
import { placeAfter, pointsOf, zoomedSpan } from './chart-points';

const at = (text: string) => Date.parse(text);

describe('the values of a chart in words', () => {
  it('joins the series of a moment, and leaves out the edges of a band', () => {
    const points = pointsOf({
      xAxis: { type: 'time' },
      tooltip: { valueFormatter: (value: unknown) => `${String(value)} %` },
      series: [
        { name: 'Usual from', silent: true, data: [[at('2026-05-03T10:00:00Z'), 1]] },
        { name: 'Hidden', tooltip: { show: false }, data: [[at('2026-05-03T10:00:00Z'), 1]] },
        {
          name: 'CPU',
          data: [
            [at('2026-05-03T10:05:00Z'), 40],
            [at('2026-05-03T10:00:00Z'), 35],
          ],
        },
        { name: 'Expected', data: [['2026-05-03T10:00:00Z', 30]] },
      ],
    });
    expect(points.map(({ x }) => x)).toEqual([
      at('2026-05-03T10:00:00Z'),
      at('2026-05-03T10:05:00Z'),
    ]);
    expect(points[0]?.text).toMatch(/^.*May.*: CPU 35 %, Expected 30 %$/);
    expect(points[1]?.text).toMatch(/: CPU 40 %$/);
  });

  it('names categories, places of other axes, and what a tooltip says', () => {
    const series = [{ name: 'Accuracy', data: [90, null, 92] }];
    expect(
      pointsOf({
        xAxis: { type: 'category', data: ['Version 1', 'Version 2', 'Version 3'] },
        series,
      }),
    ).toEqual([
      { x: 0, text: 'Version 1: Accuracy 90' },
      { x: 2, text: 'Version 3: Accuracy 92' },
    ]);
    const dollars = ({ value }: { value: number }) => `$${value} an hour`;
    expect(
      pointsOf({
        xAxis: { type: 'value' },
        tooltip: { axisPointer: { label: { formatter: dollars } } },
        series: [{ name: 'Coverage', data: [[2, 80]] }],
      }),
    ).toEqual([{ x: 2, text: '$2 an hour: Coverage 80' }]);
    expect(
      pointsOf({
        xAxis: { type: 'time' },
        tooltip: { formatter: () => '<b>3 May</b><br>Forecast 4 GiB' },
        series: [{ name: 'Forecast', data: [[1, 4]] }],
      }),
    ).toEqual([{ x: 1, text: '3 May, Forecast 4 GiB' }]);
    expect(pointsOf({})).toEqual([]);
  });
});

describe('keys of a chart', () => {
  it.each([
    ['ArrowRight', 4, 5],
    ['ArrowRight', 99, 99],
    ['ArrowLeft', 0, 0],
    ['PageUp', 50, 60],
    ['PageDown', 4, 0],
    ['Home', 50, 0],
    ['End', 50, 99],
    ['Tab', 50, undefined],
  ])('%s from %i leads to %s', (key, from, to) => expect(placeAfter(key, from, 100)).toBe(to));

  it('zooms around the place that is read, and stays within the whole', () => {
    expect(zoomedSpan([0, 100], 50, 0.5, [0, 100])).toEqual([25, 75]);
    expect(zoomedSpan([0, 100], 95, 0.5, [0, 100])).toEqual([50, 100]);
    expect(zoomedSpan([25, 75], 50, 2, [0, 100])).toBeUndefined();
  });
});
