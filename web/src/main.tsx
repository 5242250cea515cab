import '@fontsource-variable/inter/wght.css';
import './theme/mantine.css';
import '@mantine/notifications/styles.css';
import './theme/global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onSignedOut } from './api/client';
import { newQueryClient } from './api/query-client';
import { meQuery } from './api/session';
import { newRouter } from './routes';
import { theme } from './theme/theme';

const queries = newQueryClient();
const router = newRouter(queries);

onSignedOut(() => {
  queries.setQueryData(meQuery.queryKey, null);
  void router.invalidate();
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
