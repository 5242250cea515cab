import { useEffect } from 'react';

/** A text after a key of the keyboard; nothing where the key writes nothing. */
export function typedWith(text: string, key: string): string | undefined {
  if (key === 'Backspace') return text.slice(0, -1);
  return [...key].length === 1 ? text + key : undefined;
}

/** Takes the keys that come before the field that they are for is there. Nothing else on the page hears them. */
export function useEarlyKeys(
  waiting: boolean,
  onText: (edit: (text: string) => string) => void,
  onEnter: () => void,
) {
  useEffect(() => {
    if (!waiting) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const isText = typedWith('', key) !== undefined;
      if (ctrlKey || metaKey || altKey || !(isText || key === 'Enter')) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isText) onText((text) => typedWith(text, key) ?? text);
      else onEnter();
    };
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [waiting, onText, onEnter]);
}
