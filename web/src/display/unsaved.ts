import { useBlocker } from '@tanstack/react-router';

export const DISCARD = 'Leave without saving? Your changes will be lost.';

/** Asks before a page with unsaved changes is left, by a link of the page or by closing the tab. */
export function useUnsavedWarning(dirty: boolean) {
  useBlocker({
    shouldBlockFn: () => !window.confirm(DISCARD),
    enableBeforeUnload: true,
    disabled: !dirty,
  });
}
