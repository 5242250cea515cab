import { useEffect, useRef, useState, type ReactNode } from 'react';

/** Distance below the screen from which a part counts as seen: it is there when the reader arrives. */
const AHEAD = '300px';

/** A part at the end of a page, which loads when a reader comes near it. */
export function WhenSeen({ children }: { children: ReactNode }) {
  const [seen, setSeen] = useState(() => !('IntersectionObserver' in window));
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: AHEAD },
    );
    observer.observe(place.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return seen ? children : <div ref={place} style={{ minHeight: 1 }} />;
}
