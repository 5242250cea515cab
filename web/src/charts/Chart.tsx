import { Button, Skeleton, useComputedColorScheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconZoomReset } from '@tabler/icons-react';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { useEffect, useRef, useState, type ComponentType } from 'react';
import type { ChartKeys } from './ChartKeys';
import { chartColors, type ChartColors } from './chart-colors';
import { isWhole, rangeOf, zoomable, type Range } from './zoom';

interface Props {
  /** What the picture shows, for those who cannot see it. */
  label: string;
  height: number;
  option: (ink: ChartColors) => EChartsCoreOption;
}

/**
 * A picture drawn by ECharts in the colours of the page. `option` must be stable between renders. Dragging across it zooms in;
 * on touch screens, where dragging scrolls the page, two fingers do. With the keyboard, arrow keys read the values.
 */
export function Chart({ label, height, option }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const range = useRef<Range | null>(null);
  const shown = useRef<EChartsCoreOption | null>(null);
  const [Keys, setKeys] = useState<ComponentType<Parameters<typeof ChartKeys>[0]>>();
  const [ready, setReady] = useState(false);
  const [zoomed, setZoomed] = useState(false);
  const scheme = useComputedColorScheme('light');
  const mouse = useMediaQuery('(pointer: fine)');

  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    void Promise.all([import('./engine'), import('./ChartKeys')]).then(([{ init }, keys]) => {
      if (gone || !box.current) return;
      const drawn = init(box.current);
      chart.current = drawn;
      drawn.on('datazoom', () => {
        range.current = rangeOf(drawn.getOption());
        setZoomed(!isWhole(range.current));
      });
      observer = new ResizeObserver(() => drawn.resize());
      observer.observe(box.current);
      setKeys(() => keys.ChartKeys);
      setReady(true);
    });
    return () => {
      gone = true;
      observer?.disconnect();
      chart.current?.dispose();
      chart.current = null;
    };
  }, []);

  useEffect(() => {
    const drawn = chart.current;
    if (!ready || !drawn) return;
    shown.current = option(chartColors(scheme));
    drawn.setOption(zoomable(shown.current), { notMerge: true });
    // Newer figures leave the reader where they were.
    if (range.current && !isWhole(range.current))
      drawn.dispatchAction({ type: 'dataZoom', ...range.current });
    drawn.dispatchAction({
      type: 'takeGlobalCursor',
      key: 'dataZoomSelect',
      dataZoomSelectActive: mouse === true,
    });
  }, [ready, option, scheme, mouse]);

  return (
    <div style={{ position: 'relative', height }}>
      <div role="img" aria-label={label} style={{ position: 'absolute', inset: 0 }}>
        {!ready && <Skeleton h={height} pos="absolute" inset={0} />}
        {/* Outside the flow: what is drawn has a fixed width and would keep the page from getting narrower. */}
        <div ref={box} style={{ position: 'absolute', inset: 0 }} />
      </div>
      {Keys && <Keys label={label} height={height} chart={chart} option={shown} />}
      {zoomed && (
        <Button
          size="compact-xs"
          variant="default"
          pos="absolute"
          top={0}
          right={0}
          leftSection={<IconZoomReset size={13} />}
          onClick={() => chart.current?.dispatchAction({ type: 'dataZoom', start: 0, end: 100 })}
        >
          Reset zoom
        </Button>
      )}
    </div>
  );
}
