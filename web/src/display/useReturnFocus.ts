import { useEffect, useState } from 'react';

/** Gives the focus back to the control that had it when a dialog appeared, once the dialog is gone. */
export function useReturnFocus() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // After the dialog's own elements are gone, and only if nothing else has taken the focus.
      setTimeout(() => {
        if (
          opener instanceof HTMLElement &&
          opener.isConnected &&
          document.activeElement === document.body
        )
          opener.focus();
      });
    },
    [opener],
  );
}
