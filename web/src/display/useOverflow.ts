import { useCallback, useState } from 'react';

/**
 * Watches whether the content of a box is wider than the box. A box that scrolls sideways cannot keep its header at the top of
 * the window: only one that needs to scroll should.
 */
export function useOverflow(): [(box: HTMLElement | null) => (() => void) | undefined, boolean] {
  const [wide, setWide] = useState(false);
  const watch = useCallback((box: HTMLElement | null) => {
    if (!box) return undefined;
    const measure = () => setWide(box.scrollWidth > box.clientWidth + 1);
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    if (box.firstElementChild) observer.observe(box.firstElementChild);
    measure();
    return () => observer.disconnect();
  }, []);
  return [watch, wide];
}
