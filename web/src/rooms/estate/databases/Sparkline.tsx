const WIDTH = 96;
const HEIGHT = 24;

/** A small line of values over time; the table has the figures. */
export function Sparkline({ values }: { values: number[] }) {
  if (values.length < 2) return null;
  const most = Math.max(...values, Number.MIN_VALUE);
  const points = values.map((value, place) => {
    const x = (place / (values.length - 1)) * (WIDTH - 2) + 1;
    const y = HEIGHT - 2 - (value / most) * (HEIGHT - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.4}
      />
    </svg>
  );
}
