import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;

function thisMinute() {
  return Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
}

/** Calls at the beginning of every minute. */
function everyMinute(changed: () => void) {
  let timer: number;
  const wait = () => {
    timer = window.setTimeout(
      () => {
        changed();
        wait();
      },
      thisMinute() + MINUTE_MS - Date.now(),
    );
  };
  wait();
  return () => window.clearTimeout(timer);
}

/** The beginning of the current minute, milliseconds since the epoch; a page that shows it follows the clock. */
export function useNow() {
  return useSyncExternalStore(everyMinute, thisMinute);
}
