import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { GO_TO } from './commands';

/** The second key of a pair follows within this time. */
const PAIR_MS = 1200;
const FIELDS = 'input, textarea, select, [contenteditable=true], [role=dialog]';

/** Opens pages with `g` and a letter, and focuses the page's first filter with `/`. Keys that belong to a field or dialog are left to it. */
export function useGoTo() {
  const navigate = useNavigate();
  useEffect(() => {
    let pressed = 0;
    const onKey = (event: KeyboardEvent) => {
      const busy = event.target instanceof Element && event.target.closest(FIELDS) !== null;
      if (
        busy ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        document.querySelector('[role=dialog]')
      )
        return;
      if (event.key === '/') {
        const field = document.querySelector<HTMLElement>(
          '#content [role=search] input, #content input[type=search], #content [role=search] textarea',
        );
        if (field) {
          event.preventDefault();
          field.focus();
        }
      } else if (Date.now() - pressed < PAIR_MS && GO_TO[event.key]) {
        pressed = 0;
        event.preventDefault();
        void navigate({ to: GO_TO[event.key]?.to });
      } else {
        pressed = event.key === 'g' ? Date.now() : 0;
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [navigate]);
}
