import { Skeleton, useComputedColorScheme } from '@mantine/core';
import type { EChartsCoreOption, EChartsType } from 'echarts/core';
import { useEffect, useRef, useState } from 'react';
import { inkOf, type Ink } from './ink';

interface Props {
  /** What the picture shows, for those who cannot see it. */
  label: string;
  height: number;
  option: (ink: Ink) => EChartsCoreOption;
}

/** A picture drawn by ECharts in the colours of the page. `option` must be stable between renders. */
export function Chart({ label, height, option }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  const [ready, setReady] = useState(false);
  const scheme = useComputedColorScheme('light');

  useEffect(() => {
    let gone = false;
    let observer: ResizeObserver | undefined;
    void import('./engine').then(({ init }) => {
      if (gone || !box.current) return;
      const drawn = init(box.current);
      chart.current = drawn;
      observer = new ResizeObserver(() => drawn.resize());
      observer.observe(box.current);
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
    if (ready) chart.current?.setOption({ ...option(inkOf(scheme)) }, { notMerge: true });
  }, [ready, option, scheme]);

  return (
    <div role="img" aria-label={label} style={{ position: 'relative', height }}>
      {!ready && <Skeleton h={height} pos="absolute" inset={0} />}
      {/* Outside the flow: what is drawn has a fixed width and would keep the page from getting narrower. */}
      <div ref={box} style={{ position: 'absolute', inset: 0 }} />
    </div>
  );
}
