import { useMediaQuery } from '@mantine/hooks';

/** Returns `true` where tables become cards, at the width that `global.css` names. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false }) ?? false;
}
