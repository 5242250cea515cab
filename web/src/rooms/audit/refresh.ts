// The clock of the dashboard: every 30 seconds all panels ask again, about one and the same period.
import { useEffect, useState } from 'react';

/** The refresh interval that the pages state. */
export const REFRESH_MS = 30_000;

export interface Refresh {
  /** Time of the last refresh, milliseconds since the epoch. */
  at: number;
  paused: boolean;
  /** Seconds until the next refresh. */
  left: number;
  now: () => void;
  pause: (paused: boolean) => void;
}

/** Ticks while the page is visible and not paused. */
export function useRefresh(every = REFRESH_MS): Refresh {
  const [at, setAt] = useState(() => Date.now());
  const [clock, setClock] = useState(at);
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    const timer = window.setInterval(() => {
      const now = Date.now();
      setClock(now);
      if (!paused && !document.hidden) setAt((last) => (now - last >= every ? now : last));
    }, 1000);
    return () => window.clearInterval(timer);
  }, [paused, every]);
  const now = () => {
    setAt(Date.now());
    setClock(Date.now());
  };
  const pause = (next: boolean) => {
    setPaused(next);
    if (!next) now();
  };
  return { at, paused, left: Math.max(0, Math.ceil((at + every - clock) / 1000)), now, pause };
}
