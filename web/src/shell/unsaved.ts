import { useBlocker } from '@tanstack/react-router';

/** Asks before a page with unsaved changes is left, by a link of the page or by closing the tab. */
export function useUnsavedWarning(dirty: boolean) {
  useBlocker({
    shouldBlockFn: () => !window.confirm('Leave without saving? Your changes will be lost.'),
    enableBeforeUnload: true,
    disabled: !dirty,
  });
}
