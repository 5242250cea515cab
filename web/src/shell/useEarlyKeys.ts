import { useEffect } from 'react';

/** A text after a key of the keyboard; nothing where the key writes nothing. */
export function typedWith(text: string, key: string): string | undefined {
  if (key === 'Backspace') return text.slice(0, -1);
  return [...key].length === 1 ? text + key : undefined;
}

/** Takes the keys that come before the field that they are for is there. Nothing else on the page hears them. */
export function useEarlyKeys(waiting: boolean, onText: (edit: (text: string) => string) => void) {
  useEffect(() => {
    if (!waiting) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || typedWith('', key) === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      onText((text) => typedWith(text, key) ?? text);
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [waiting, onText]);
}
