import { Input, InputBase, type SelectProps } from '@mantine/core';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentType,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { notLoaded, once } from './lazy';

interface Props extends Pick<
  SelectProps,
  | 'label'
  | 'description'
  | 'aria-label'
  | 'placeholder'
  | 'error'
  | 'size'
  | 'w'
  | 'value'
  | 'onChange'
  | 'onBlur'
  | 'clearable'
  | 'searchable'
  | 'allowDeselect'
> {
  data: (string | { value: string; label: string })[];
}

const choices = once(() => import('./library-choices'));

/** Keys that open the list of a select that has the focus. */
const OPENING = ['ArrowDown', 'ArrowUp', 'Enter', ' '];

/**
 * The component library's select, for filters and pages that begin with one. Before its first use it is a field of the same size that
 * shows the choice: the list with its positioning is a tenth of what every page loads first.
 */
export function Select(props: Props) {
  const [Loaded, setLoaded] = useState<ComponentType<SelectProps>>();
  const still = useRef<HTMLInputElement>(null);
  if (Loaded) return <Opened of={Loaded} {...props} />;
  const use = () => {
    // Left again before the list came: nothing takes the focus back.
    choices().then(({ Select: loaded }) => {
      if (document.activeElement === still.current) setLoaded(() => loaded);
    }, notLoaded);
  };
  return <Still {...props} input={still} onUse={use} />;
}

/** Takes the place of the field that was used: it takes its focus, and opens. */
function Opened({ of: Loaded, ...props }: Props & { of: ComponentType<SelectProps> }) {
  const input = useRef<HTMLInputElement>(null);
  const { searchable } = props;
  useLayoutEffect(() => input.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    // A select that is searched opens with the focus.
    const frame = requestAnimationFrame(() => {
      if (!searchable) input.current?.click();
    });
    return () => cancelAnimationFrame(frame);
  }, [searchable]);
  return <Loaded {...props} ref={input} />;
}

interface StillProps extends Props {
  input: RefObject<HTMLInputElement | null>;
  onUse: () => void;
}

function Still({
  input,
  onUse,
  data,
  value,
  onChange,
  clearable,
  searchable,
  label,
  description,
  placeholder,
  error,
  size,
  w,
  'aria-label': name,
}: StillProps) {
  const chosen = data
    .map((item) => (typeof item === 'string' ? { value: item, label: item } : item))
    .find((item) => item.value === value);
  const opens = (event: KeyboardEvent) => {
    if (OPENING.includes(event.key)) {
      event.preventDefault();
      onUse();
    }
  };
  const preload = () => {
    choices().catch(() => undefined);
  };
  return (
    <InputBase
      ref={input}
      label={label}
      description={description}
      placeholder={placeholder}
      error={error}
      size={size}
      w={w}
      aria-label={name}
      readOnly
      pointer={!searchable}
      value={chosen?.label ?? ''}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={searchable ? onUse : preload}
      onClick={onUse}
      onKeyDown={opens}
      rightSectionPointerEvents="none"
      __defaultRightSection={<Chevron />}
      __clearable={Boolean(clearable && chosen)}
      __clearSection={
        <Input.ClearButton
          tabIndex={-1}
          aria-hidden
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChange?.(null, null)}
        />
      }
    />
  );
}

/** The arrows of the component library's select. */
function Chevron() {
  return (
    <svg viewBox="0 0 15 15" fill="none" className="select-chevron" aria-hidden>
      <path
        fill="currentColor"
        fillRule="evenodd"
        clipRule="evenodd"
        d="M4.93 5.43a.45.45 0 0 0 .64.64L7.5 4.14l1.93 1.93a.45.45 0 0 0 .64-.64L7.82 3.18a.45.45 0 0 0-.64 0L4.93 5.43Zm5.14 4.14a.45.45 0 0 0-.64-.64L7.5 10.86 5.57 8.93a.45.45 0 0 0-.64.64l2.25 2.25c.18.17.46.17.64 0l2.25-2.25Z"
      />
    </svg>
  );
}
