/** The colours a chart draws with. */
export interface ChartColors {
  text: string;
  muted: string;
  line: string;
  surface: string;
  accent: string;
  alarm: string;
  /** What is usual: a band behind a line. */
  band: string;
  series: string[];
}

const LIGHT: ChartColors = {
  text: '#1c2628',
  muted: '#5b696d',
  line: '#e2e8e9',
  surface: '#ffffff',
  accent: '#0d6b72',
  alarm: '#c0392f',
  band: '#d08a1d',
  series: ['#0d6b72', '#d08a1d', '#5a6fc0', '#a8527d', '#5c8a3a', '#7a7f87'],
};

const DARK: ChartColors = {
  text: '#d5dbdd',
  muted: '#93a0a4',
  line: '#273134',
  surface: '#151d1f',
  accent: '#4ca8ad',
  alarm: '#f0867f',
  band: '#e0ae57',
  series: ['#4ca8ad', '#e0ae57', '#8f9fe0', '#d187ab', '#93bd72', '#a2a8ae'],
};

export function chartColors(scheme: 'light' | 'dark'): ChartColors {
  return scheme === 'dark' ? DARK : LIGHT;
}

/** What every chart of ours shares: quiet axes, a tooltip in the page's colours. */
export function basics(ink: ChartColors) {
  return {
    animationDuration: 250,
    textStyle: { fontFamily: "'Inter Variable', system-ui, sans-serif", color: ink.text },
    tooltip: {
      trigger: 'axis',
      backgroundColor: ink.surface,
      borderColor: ink.line,
      textStyle: { color: ink.text, fontSize: 12 },
      axisPointer: { lineStyle: { color: ink.muted, width: 1 } },
      confine: true,
    },
  };
}

export function axisOf(ink: ChartColors) {
  return {
    axisLine: { lineStyle: { color: ink.line } },
    axisTick: { show: false },
    axisLabel: { color: ink.muted, fontSize: 11, hideOverlap: true },
    splitLine: { lineStyle: { color: ink.line } },
  };
}
