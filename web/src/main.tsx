import '@fontsource-variable/inter/wght.css';
import './theme/mantine.css';
import './theme/global.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { onSignedOut } from './api/client';
import { onFirstNotice } from './display/announce';
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

const Notices = lazy(() =>
  import('./display/Notices').then((module) => ({ default: module.Notices })),
);

/** The notices, once there is one. */
function LazyNotices() {
  const [shown, setShown] = useState(false);
  useEffect(() => onFirstNotice(() => setShown(true)), []);
  return <Suspense>{shown && <Notices />}</Suspense>;
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <LazyNotices />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
