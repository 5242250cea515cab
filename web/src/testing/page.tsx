import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { newQueryClient } from '../api/query-client';
import { theme } from '../theme/theme';

/** Renders a piece of a page as the program would, without transitions. */
export function show(piece: ReactNode) {
  return render(
    <MantineProvider theme={theme} env="test">
      <QueryClientProvider client={newQueryClient()}>{piece}</QueryClientProvider>
    </MantineProvider>,
  );
}
