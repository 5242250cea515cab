import {
  cloneElement,
  useEffect,
  useRef,
  useState,
  type ComponentType,
  type ReactElement,
  type ReactNode,
} from 'react';
import { notify } from './announce';

/** A component of a module, by its name. */
type Part = (props: never) => ReactNode;
type PropsOf<Component> = Component extends (props: infer Props extends object) => ReactNode
  ? Props
  : never;

/** Loads a module once; a load that failed is tried again at the next use. */
export function once<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

/** Says that a part of the page did not arrive. */
export function notLoaded() {
  notify({
    title: 'This part of the page could not be loaded',
    message: 'Check the connection and try again. After an update of Reeve, reload the page.',
    color: 'red',
  });
}

/**
 * A dialog, or another part of a page that nobody sees at first: it loads when it is first shown. A dialog that cannot be loaded closes,
 * so that its button works again.
 */
export function lazyComponent<Name extends string, Module extends Record<Name, Part>>(
  load: () => Promise<Module>,
  name: Name,
) {
  type Props = PropsOf<Module[Name]>;
  const module = once(load);
  let known: ComponentType<Props> | undefined;
  return function Late(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props> | undefined>(() => known);
    const close = useRef<() => void>(undefined);
    useEffect(() => {
      close.current = (props as { onClose?: () => void }).onClose;
    });
    useEffect(() => {
      let shown = true;
      module().then(
        (loaded) => {
          known = loaded[name] as unknown as ComponentType<Props>;
          if (shown) setLoaded(() => known);
        },
        () => {
          notLoaded();
          if (shown) close.current?.();
        },
      );
      return () => {
        shown = false;
      };
    }, []);
    return Loaded ? <Loaded {...props} /> : null;
  };
}

export interface OpenedProps {
  /** The button, as it is before what it opens has loaded. */
  target: ReactElement<Record<string, unknown>>;
}

/**
 * A button that opens a menu or a note. What it opens loads when the button is first pointed at or focused, and takes the button's
 * place when it is first opened.
 */
export function lazyOpened<Name extends string, Module extends Record<Name, Part>>(
  load: () => Promise<Module>,
  name: Name,
  opens: 'menu' | 'dialog',
) {
  type Props = PropsOf<Module[Name]> & OpenedProps;
  const module = once(load);
  const preload = () => {
    module().catch(() => undefined);
  };
  return function LateOpened(props: Props) {
    const [Loaded, setLoaded] = useState<ComponentType<Props>>();
    if (Loaded) return <Loaded {...props} />;
    const use = () => {
      module().then(
        (loaded) => setLoaded(() => loaded[name] as unknown as ComponentType<Props>),
        notLoaded,
      );
    };
    return cloneElement(props.target, {
      'aria-haspopup': opens,
      'aria-expanded': false,
      onClick: use,
      onPointerEnter: preload,
      onFocus: preload,
    });
  };
}

/** State of a menu or note that opens as soon as it is there: its button was used to load it. */
export function useOpenedAtOnce() {
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button takes the focus of the one that it replaces, so that the menu gives it back to something that is still there.
    const frame = requestAnimationFrame(() => {
      button.current?.focus();
      setOpened(true);
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return { opened, setOpened, button };
}
