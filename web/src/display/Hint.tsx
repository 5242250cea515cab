import {
  cloneElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type DOMAttributes,
  type ReactElement,
  type ReactNode,
} from 'react';
import { createPortal } from 'react-dom';
import classes from './Hint.module.css';

type Target = DOMAttributes<HTMLElement> & { 'aria-describedby'?: string };

interface Props {
  label: ReactNode;
  disabled?: boolean;
  children: ReactElement<Target>;
}

/** Time that the pointer rests on an element before its hint appears, milliseconds. */
const REST_MS = 250;
/** Distance to the element and to the edges of the window, pixels. */
const GAP = 6;

/**
 * A short text about an element, shown while the pointer rests on it, while it has the focus, and after a touch. It replaces the
 * component library's tooltip, whose positioning was a tenth of what every page loads first.
 */
export function Hint({ label, disabled, children }: Props) {
  const id = useId();
  const [around, setAround] = useState<DOMRect>();
  const [pointed, setPointed] = useState<{ element: HTMLElement; after: number }>();
  const hide = () => {
    setPointed(undefined);
    setAround(undefined);
  };
  const show = (element: HTMLElement, after: number) => setPointed({ element, after });
  useEffect(() => {
    if (!pointed) return undefined;
    const rest = window.setTimeout(
      () => setAround(pointed.element.getBoundingClientRect()),
      pointed.after,
    );
    return () => window.clearTimeout(rest);
  }, [pointed]);
  useEffect(() => {
    if (!around) return undefined;
    const close = () => setAround(undefined);
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    window.addEventListener('scroll', close, true);
    window.addEventListener('keydown', onKey);
    window.addEventListener('pointerdown', close);
    return () => {
      window.removeEventListener('pointerdown', close);
      window.removeEventListener('scroll', close, true);
      window.removeEventListener('keydown', onKey);
    };
  }, [around]);
  if (disabled) return children;
  const own = children.props;
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': around ? id : own['aria-describedby'],
        onPointerEnter: (event) => {
          own.onPointerEnter?.(event);
          show(event.currentTarget, event.pointerType === 'touch' ? 0 : REST_MS);
        },
        // A finger that is lifted leaves the hint; the next touch closes it.
        onPointerLeave: (event) => {
          own.onPointerLeave?.(event);
          if (event.pointerType !== 'touch') hide();
        },
        onFocus: (event) => {
          own.onFocus?.(event);
          if (event.currentTarget.matches(':focus-visible')) show(event.currentTarget, 0);
        },
        onBlur: (event) => {
          own.onBlur?.(event);
          hide();
        },
      })}
      {around &&
        createPortal(
          <Bubble id={id} around={around}>
            {label}
          </Bubble>,
          document.body,
        )}
    </>
  );
}

/** Stands above the element, or below it where there is no room, and within the window. */
function Bubble({ id, around, children }: { id: string; around: DOMRect; children: ReactNode }) {
  const bubble = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = bubble;
    if (!current) return;
    const { width, height } = current.getBoundingClientRect();
    const left = Math.min(
      Math.max(GAP, around.left + (around.width - width) / 2),
      document.documentElement.clientWidth - width - GAP,
    );
    const above = around.top - height - GAP;
    current.style.left = `${Math.max(GAP, left)}px`;
    current.style.top = `${above < GAP ? around.bottom + GAP : above}px`;
  }, [around]);
  return (
    <div ref={bubble} id={id} role="tooltip" className={classes.hint}>
      {children}
    </div>
  );
}
